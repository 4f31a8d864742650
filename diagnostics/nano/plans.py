"""What decides the weights: the plan of a training from nothing, and that of one that goes on from finished models."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field

from .rooms import RoomSettings
from .stage import StageSettings

__all__ = ["FurtherPlan", "Plan", "TrainingPlan"]


class _Plan(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    seed: int = 1
    rooms: int = Field(default=360, ge=1)
    held_out: int = Field(default=8, ge=1)
    room: RoomSettings = RoomSettings()
    examined: int = Field(default=48, ge=1)
    counted: int = Field(default=100, ge=1)
    joint_room_tokens: int = Field(default=240, ge=64)
    degraded_share: float = Field(default=0.7, gt=0, le=1)
    repaired_share: float = Field(default=0.25, ge=0, le=1)
    faded_share: float = Field(default=0.4, ge=0, le=1)

    def settings(self, stage: str) -> StageSettings:
        """Of a stage by its name, of which what follows a hyphen is the model."""
        settings: StageSettings = getattr(self, stage.partition("-")[0])
        return settings


class TrainingPlan(_Plan):
    """A training from nothing.

    Args:
        seed: of weights and draws.
        rooms: how many to learn from.
        held_out: further rooms, for the curve alone.
        room: how they are made.
        examined: held-out pictures at every checkpoint.
        counted: further rooms, in which it is only counted how often each category occurs.
        tower, decoder, alignment, joint: the stages.
        room_tokens: of questions about one picture, for the decoder alone.
        joint_room_tokens: the same in the last stage, where pictures cost more.
        degraded_share: of the pictures that are drawn degraded for nano-sft in the last stage.
        repaired_share: of the pictures that are shown after a tool of the solver in the last stage.
        faded_share: of the pictures that are shown faded and restored in the last stage.
    """

    tower: StageSettings = StageSettings(steps=3_600, batch=16, learning_rate=1.5e-3, weight_decay=0.05)
    decoder: StageSettings = StageSettings(steps=5_400, batch=5, learning_rate=2e-3, weight_decay=0.02)
    alignment: StageSettings = StageSettings(steps=400, batch=24, learning_rate=2e-3)
    joint: StageSettings = StageSettings(steps=1_300, batch=10, learning_rate=7e-4)
    room_tokens: int = Field(default=360, ge=64)


class FurtherPlan(_Plan):
    """A training that goes on from finished models, on other rooms; what is not named here is as in `TrainingPlan`.

    Args:
        begun: model -> SHA-256 of the weights from which it goes on.
        tower, joint: the stages; each model has a tower of its own now.
        degraded_share: of the pictures that are drawn degraded for nano-sft.
        repaired_share: of the pictures that are shown after a tool of the solver.
        faded_share: of the pictures that are shown faded and restored in the last stage.
    """

    begun: Mapping[str, str]
    room: RoomSettings = RoomSettings(seed=8)
    tower: StageSettings = StageSettings(steps=900, batch=16, learning_rate=8e-4, weight_decay=0.05)
    joint: StageSettings = StageSettings(steps=1_500, batch=10, learning_rate=7e-4)


Plan = TrainingPlan | FurtherPlan
