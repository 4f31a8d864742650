"""What the RoboStress suite can be told; each number with its reason."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from ....scenes import SceneKind
from ...query import ScaledZone
from ...seen import SeenSettings

__all__ = ["RoboStressMargins", "RoboStressSettings"]


class RoboStressMargins(BaseModel):
    """How clear an answer must be. A candidate that is less clear is refused.

    Args:
        zone_side_share, zone_least_m: the dead zone of left, right, nearer and farther, see `ScaledZone`.
        zone_guard: both relations must clear their dead zone by this share of it.
        distance_m, distance_share: neighbours in an order of distances differ by both; the share is of the larger one.
        top_m: neighbours in an order of heights differ by this.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    zone_side_share: float = Field(default=0.25, ge=0)
    zone_least_m: float = Field(default=0.1, gt=0)
    zone_guard: float = Field(default=0.25, ge=0)
    distance_m: float = Field(default=0.25, gt=0)
    distance_share: float = Field(default=0.08, ge=0, lt=1)
    top_m: float = Field(default=0.12, gt=0)

    @property
    def zone(self) -> ScaledZone:
        """The dead zone of relations."""
        return ScaledZone(self.zone_side_share, self.zone_least_m)


class RoboStressSettings(SeenSettings):
    """Settings of the suite.

    Args:
        sets_per_view: sets of four objects drawn in a picture for each kind, and pairs for relations.
        questions_per_view: of these, at most so many make a question of a kind in a picture.
        room, street: margins.
    """

    sets_per_view: int = Field(default=24, ge=1)
    questions_per_view: int = Field(default=4, ge=1)
    room: RoboStressMargins = RoboStressMargins()
    street: RoboStressMargins = RoboStressMargins(zone_least_m=0.4, distance_m=1.0, top_m=0.4)

    def margins(self, kind: SceneKind) -> RoboStressMargins:
        """The margins of a kind of place."""
        return self.room if kind is SceneKind.ROOM else self.street
