"""Who a run asks: models, alone or wrapped, and what they are told about the pictures."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from ...tools.models import CoordinateSpace, VisionLanguageModel
from ...tools.models.identity import model_identity

__all__ = ["Arm", "CallRange", "PlannedArm", "Told", "Wrap"]

Wrap = Callable[[VisionLanguageModel, Path | None], VisionLanguageModel]

Told = Literal["nothing", "oracle", "wrong"]
"""What is told, beside the request, of what is wrong with the pictures: nothing, the truth (`RunItem.stress`), or
something wrong (`RunItem.wrong_stress`). It stands in `ImagePart.stress`, which a solver acts on and a plain model does
not see; items of which nobody knows what is wrong are left out of such an arm."""

CallRange = tuple[int, int]
"""The fewest and the most calls that one question takes."""


@dataclass(frozen=True)
class Arm:
    """Who is asked: a model, perhaps wrapped.

    Args:
        leaf: the model whose calls are counted, paced and paid.
        wrap: makes the model that is asked out of the leaf and a folder for what it keeps (None while planning).
        label: the arm's name; "" for that of the model which is asked.
        told: what the model is told about the pictures.
        calls: of the leaf for one request.
    """

    leaf: VisionLanguageModel
    wrap: Wrap | None = None
    label: str = ""
    told: Told = "nothing"
    calls: CallRange = (1, 1)

    @property
    def name(self) -> str:
        """By which plans, records and reports know it."""
        return self.label or self.model().name

    def model(self, leaf: VisionLanguageModel | None = None, folder: Path | None = None) -> VisionLanguageModel:
        """The model that is asked, over another leaf if one is given."""
        base = self.leaf if leaf is None else leaf
        return base if self.wrap is None else self.wrap(base, folder)


class PlannedArm(BaseModel):
    """An arm as it is written down.

    Args:
        name: of the arm.
        identity: what decides its replies beside the request, see `model_identity`.
        space: what its boxes and points are measured in.
        told: see `Told`.
        calls: to a server for one request.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    identity: dict[str, object]
    space: CoordinateSpace
    told: Told = "nothing"
    calls: CallRange = (1, 1)

    @classmethod
    def of(cls, arm: Arm) -> PlannedArm:
        """The arm as a plan has it."""
        model = arm.model()
        return cls(
            name=arm.name,
            identity=json.loads(model_identity(model)),
            space=model.capabilities.coordinate_space,
            told=arm.told,
            calls=arm.calls,
        )
