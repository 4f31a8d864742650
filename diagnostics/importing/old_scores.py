"""The scores that another tool gave, kept beside the run so that they can be compared with ours at any time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..errors import DiagnosticsError
from .rows import OldRow

__all__ = ["OLD_SCORES", "OldScore", "read_old_scores", "write_old_scores"]

OLD_SCORES: Final = "old_scores.jsonl"


class OldScore(BaseModel):
    """What the other tool made of a reply.

    Args:
        key: of the record.
        item, arm: of the record.
        file, line: of the row.
        scores: from 0 to 1, by the tool's own names.
        reading: what it took for the answer, where it says so.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str = Field(pattern="^[0-9a-f]{64}$")
    item: str
    arm: str
    file: str
    line: int
    scores: dict[str, float] = {}
    reading: str | None = None

    @classmethod
    def of(cls, key: str, item: str, arm: str, row: OldRow) -> OldScore:
        """Of a row whose record is known."""
        return cls(
            key=key,
            item=item,
            arm=arm,
            file=row.place.file,
            line=row.place.line,
            scores=dict(row.scores),
            reading=row.reading,
        )


def write_old_scores(run: Path, scores: Iterable[OldScore]) -> None:
    """Writes them into a run's folder, one JSON object a line.

    Raises:
        OSError: it cannot be written.
    """
    with (run / OLD_SCORES).open("w", encoding="ascii", newline="\n") as stream:
        for score in scores:
            stream.write(json.dumps(score.model_dump(exclude_defaults=True), ensure_ascii=True) + "\n")


def read_old_scores(run: Path) -> Iterator[OldScore]:
    """Those of a run's folder.

    Raises:
        DiagnosticsError: there are none, or the file is damaged; the message names the line.
    """
    path = run / OLD_SCORES
    try:
        with path.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                try:
                    yield OldScore.model_validate(json.loads(line))
                except (ValueError, ValidationError) as error:
                    raise DiagnosticsError(f"{path}, line {number}: no score of another tool; import again") from error
    except OSError as error:
        raise DiagnosticsError(
            f"cannot read {path}: {error.strerror or error}; was {run} made by `seeworthy import-run`?"
        ) from error
