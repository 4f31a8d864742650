"""What the suite can be told: which objects may be asked about, and how clear an answer must be."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from ....scenes import SceneKind
from ...query import ScaledZone
from ...registry import SuiteSettings

__all__ = ["CrispMargins", "CrispSettings"]


class CrispMargins(BaseModel):
    """How clear an answer must be in a kind of place. A candidate that is less clear is refused.

    Args:
        zone_side_share, zone_least_m, zone_height_share: the dead zone of relations, see `ScaledZone`.
        relation_share: a relation must clear its dead zone, or miss it, by this share of the zone.
        distance_m, distance_share: two compared distances must differ by both, the share being of the larger one.
        size_m, size_ratio: two compared heights or widths must differ by both.
        volume_ratio: two compared volumes must be in at least this ratio.
        sector_deg: a bearing must be this far from the border of its 45 degree sector; at most 22.5.
        bearing_reach_m: what a bearing is taken to must be this far away along the ground.
        thresholds_m: "how many are within ..." asks about these distances.
        threshold_m: no object may be nearer than this to the asked distance.
        placed_m: how far away an imagined object is put.
        placed_share: its true distance must differ from that one, and from the distance between the two real objects,
            by this share, so that repeating a number of the question or the scene is wrong.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    zone_side_share: float = Field(default=0.25, ge=0)
    zone_least_m: float = Field(default=0.1, ge=0)
    zone_height_share: float = Field(default=0.5, ge=0, le=0.5)
    relation_share: float = Field(default=0.25, ge=0, lt=1)
    distance_m: float = Field(default=0.25, ge=0)
    distance_share: float = Field(default=0.1, ge=0, lt=1)
    size_m: float = Field(default=0.05, ge=0)
    size_ratio: float = Field(default=1.15, ge=1)
    volume_ratio: float = Field(default=1.4, ge=1)
    sector_deg: float = Field(default=7.5, ge=0, lt=22.5)
    bearing_reach_m: float = Field(default=0.4, gt=0)
    thresholds_m: tuple[float, ...] = (1.0, 1.5, 2.0, 3.0)
    threshold_m: float = Field(default=0.1, ge=0)
    placed_m: tuple[float, ...] = (0.5, 1.0, 1.5, 2.0)
    placed_share: float = Field(default=0.2, ge=0)

    @property
    def zone(self) -> ScaledZone:
        """The dead zone of relations."""
        return ScaledZone(self.zone_side_share, self.zone_least_m, self.zone_height_share)


_STREET = CrispMargins(
    zone_least_m=0.4,
    distance_m=1.0,
    size_m=0.15,
    bearing_reach_m=2.0,
    thresholds_m=(5.0, 10.0, 15.0, 20.0),
    threshold_m=0.5,
    placed_m=(5.0, 10.0, 15.0, 20.0),
)


class CrispSettings(SuiteSettings):
    """Settings of the suite.

    Args:
        least_objects, most_objects: objects in a picture; of more, those with the most visible pixels are marked (the
            published rule drops the picture).
        least_pixels, least_picture_share: an object must show at least this much of itself.
        most_occlusion, most_truncation: it may be hidden, and cut off by the border, by at most these shares.
        room, street: margins.
        vertical: ask about above and below; None: in rooms only, as published.
        steepest_pitch_deg: a camera that looks up or down more steeply has no meaningful level "forward"; no question
            then needs one.
        near_duplicate_share: a picture is passed over when its graph shares this much with that of an earlier one;
            None keeps all.
        questions_factor: times the published number of questions a picture; 1 for a test, more to learn from.
        tries: candidates drawn for each question before its place is left empty.
        published_zone_m, published_centre_tolerance_m: of the published rule.
        published_longest_edge_room_m, published_longest_edge_street_m: its longest edges; None for all. Its
            configuration says 2.5 m for both, which leaves next to no street; its solver assumes 25 m.
    """

    least_objects: int = Field(default=2, ge=2)
    most_objects: int = Field(default=12, ge=2)
    least_pixels: int = Field(default=150, ge=1)
    least_picture_share: float = Field(default=0.001, ge=0, lt=1)
    most_occlusion: float = Field(default=0.5, ge=0, le=1)
    most_truncation: float = Field(default=0.5, ge=0, le=1)
    room: CrispMargins = CrispMargins()
    street: CrispMargins = _STREET
    vertical: bool | None = None
    steepest_pitch_deg: float = Field(default=75.0, gt=0, lt=90)
    near_duplicate_share: float | None = Field(default=0.9, gt=0, le=1)
    questions_factor: int = Field(default=1, ge=1)
    tries: int = Field(default=12, ge=1)
    published_zone_m: float = Field(default=0.2, ge=0)
    published_longest_edge_room_m: float | None = Field(default=2.5, gt=0)
    published_longest_edge_street_m: float | None = Field(default=25.0, gt=0)
    published_centre_tolerance_m: float = Field(default=0.5, ge=0)

    def margins(self, kind: SceneKind) -> CrispMargins:
        """The margins of a kind of place."""
        return self.room if kind is SceneKind.ROOM else self.street

    def published_longest_edge_m(self, kind: SceneKind) -> float | None:
        """The longest edge of the published rule in a kind of place; None for no limit."""
        return self.published_longest_edge_room_m if kind is SceneKind.ROOM else self.published_longest_edge_street_m

    def asks_vertical(self, kind: SceneKind) -> bool:
        """Whether above and below are asked about in a kind of place."""
        return kind is SceneKind.ROOM if self.vertical is None else self.vertical
