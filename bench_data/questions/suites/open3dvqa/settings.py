"""What the Open3DVQA suite can be told; how clear an answer must be in a kind of place."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from ....scenes import SceneKind
from ...seen import SeenSettings

__all__ = ["Open3DVQAMargins", "Open3DVQASettings"]


class Open3DVQAMargins(BaseModel):
    """How clear an answer must be. A candidate that is less clear is refused.

    Args:
        position_m, position_share: two compared places must differ by both; the share is of the objects' mean size
            along what is compared (their longer level sides, or their heights).
        same_within_m: "about the same" is offered, and right, within this; it is asked where the places differ by at
            most half of it.
        size_m: two compared widths or heights must differ by this,
        size_ratio, most_size_ratio: and be in a ratio between these, above the second of which the names alone would
            tell: a wardrobe is wider than a stool.
        volume_ratio, most_volume_ratio: the same for volumes.
        bearing_deg: a bearing must be this far from the border of its hour, at most 15, and from straight ahead where
            left and right of you are asked about.
        bearing_reach_m: what a bearing is taken to must be this far away on the ground.
        least_number_m: lengths below are not asked for.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    position_m: float = Field(default=0.25, gt=0)
    position_share: float = Field(default=0.25, ge=0)
    same_within_m: float = Field(default=0.2, gt=0)
    size_m: float = Field(default=0.05, gt=0)
    size_ratio: float = Field(default=1.15, gt=1)
    most_size_ratio: float = Field(default=1.6, gt=1)
    volume_ratio: float = Field(default=1.4, gt=1)
    most_volume_ratio: float = Field(default=4.0, gt=1)
    bearing_deg: float = Field(default=5.0, gt=0, lt=15)
    bearing_reach_m: float = Field(default=0.4, gt=0)
    least_number_m: float = Field(default=0.2, gt=0)


_STREET = Open3DVQAMargins(
    position_m=1.0, same_within_m=0.8, size_m=0.2, bearing_reach_m=2.0, least_number_m=1.0, most_size_ratio=2.0
)


class Open3DVQASettings(SeenSettings):
    """Settings of the suite.

    Args:
        pairs_per_view: pairs of objects drawn in a picture; the published generators take all of them (v1) or two (v2).
        room, street: margins.
        clock: how directions are answered. "options": among two to four hours, each of which is right equally often;
            "open": as an hour, which those who see no picture find far too often, as all that a picture shows lies
            around 12 o'clock.
        published_version: which published generator is followed: v1 with its 39 types, or v2 with its 46.
        published_reach_m: v1 keeps objects nearer than this to the camera of the first picture.
        published_least_side_px: both keep objects whose projected box has at least such sides.
    """

    pairs_per_view: int = Field(default=6, ge=1)
    room: Open3DVQAMargins = Open3DVQAMargins()
    street: Open3DVQAMargins = _STREET
    clock: Literal["options", "open"] = "options"
    published_version: Literal["v1", "v2"] = "v2"
    published_reach_m: float = Field(default=50.0, gt=0)
    published_least_side_px: float = Field(default=30.0, ge=0)

    def margins(self, kind: SceneKind) -> Open3DVQAMargins:
        """The margins of a kind of place."""
        return self.room if kind is SceneKind.ROOM else self.street
