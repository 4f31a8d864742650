"""What the grounding suite can be told; each number with its reason."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from ....scenes import SceneKind
from ...seen import SeenSettings

__all__ = ["GroundingMargins", "GroundingSettings"]


class GroundingMargins(BaseModel):
    """How clearly the object that is meant must stand out from the others of its category.

    Args:
        distance_m, distance_share, size_share: the nearest and the farthest lead by all of these: metres, a share of
            the larger distance, and a share of the two objects' mean longer side, as one cannot see a centre.
        size_ratio: the tallest and the shortest lead by this ratio.
        side_px: the leftmost and the rightmost lead by this in the picture, between the middles of their visible boxes,
        side_m: and by this in the world, to the side of the camera.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    distance_m: float = Field(default=0.3, gt=0)
    distance_share: float = Field(default=0.1, ge=0, lt=1)
    size_share: float = Field(default=0.25, ge=0)
    size_ratio: float = Field(default=1.2, gt=1)
    side_px: float = Field(default=20.0, ge=0)
    side_m: float = Field(default=0.1, gt=0)


class GroundingSettings(SeenSettings):
    """Settings of the suite.

    Args:
        least_point_side_px, least_box_side_px: smaller side of the box around what is visible of the object. A point
            needs less than a box: two pixels off a side of 20 cost a tenth of the overlap.
        room, street: margins.
        targets_per_view: "nearest to", "farthest from" an object are asked for at most so many such objects a picture.
    """

    least_point_side_px: float = Field(default=8.0, ge=1)
    least_box_side_px: float = Field(default=20.0, ge=1)
    room: GroundingMargins = GroundingMargins()
    street: GroundingMargins = GroundingMargins(distance_m=1.0, side_m=0.4)
    targets_per_view: int = Field(default=3, ge=0)

    def margins(self, kind: SceneKind) -> GroundingMargins:
        """The margins of a kind of place."""
        return self.room if kind is SceneKind.ROOM else self.street
