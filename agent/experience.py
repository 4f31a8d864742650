"""What earlier runs taught about which tool helps against which stress, as a small readable file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..bench_data.stress import Stress
from .errors import SolverError

__all__ = ["Experience"]


class Experience(BaseModel):
    """Per stress, the tools in the order in which they proved themselves; tools listed under ``never`` are not used.

    The file form is JSON: ``{"prefer": {"haze": ["dehaze"]}, "never": {"haze": ["stretch_contrast"]}}``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    prefer: dict[Stress, list[str]] = Field(default_factory=dict)
    never: dict[Stress, list[str]] = Field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Reads a file; what is wrong with it is said by field."""
        try:
            return cls.model_validate(json.loads(path.read_text(encoding="utf-8")))
        except OSError as error:
            raise SolverError(f"cannot read the experience file {path}: {error.strerror}") from error
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            raise SolverError(f"experience file {path}: {where}: {first['msg']}") from error
        except ValueError as error:
            raise SolverError(f"experience file {path} is not JSON: {error}") from error

    def order(self, stress: Stress, tools: Sequence[str]) -> list[str]:
        """``tools`` without the banned ones, the preferred first, otherwise in the order given."""
        banned = set(self.never.get(stress, ()))
        preferred = self.prefer.get(stress, [])
        rank = {name: place for place, name in enumerate(preferred)}
        kept = [name for name in tools if name not in banned]
        return sorted(kept, key=lambda name: rank.get(name, len(rank)))
