"""What objects in a picture can be called so that only one of them is meant.

Everything with a visible pixel counts as a rival, however little of it shows, and a noun also means what ends in it:
with an armchair about, no chair is "the chair".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from ...draws import Uniform
from ...options import drawn
from ...query import Choose, Distance, Offset, Quantity, Size
from ...question import Fact
from ...registry import Refusals
from ...seen import EYE, LEVEL, Seen, SeenView, alike
from ...units import Unit
from ...wording import plural
from .kinds import Way
from .settings import GroundingMargins, GroundingSettings

__all__ = ["Reference", "references"]

UNCLEAR = "not seen well"
RIVALS = "another one that the noun may mean"
MAY_BE = "the word may hold of another one"
CLOSE = "too close to call"
CUT = "one of them is cut off by the border of the picture"
STEEP = "the camera looks too steeply up or down"

_ATTRIBUTES = ("colour", "material")

Lead = Callable[[Seen, Seen], bool]
"""Whether the first of two objects leads clearly over the second."""


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """What an object is called in a picture.

    Args:
        target: the object that is meant.
        phrase: what the text calls it.
        found: its number, or the comparison that finds it.
        names: all objects that the phrase names.
        facts: what the comparison rests on, one for each of those compared.
        compared: the objects among which a comparison finds the target; none where no comparison does.
    """

    view: str
    way: Way
    target: Seen
    phrase: str
    found: int | Choose
    names: Mapping[int, str]
    facts: tuple[Fact, ...] = ()
    compared: tuple[Seen, ...] = ()


def references(
    rng: Uniform,
    view: SeenView,
    settings: GroundingSettings,
    margins: GroundingMargins,
    refusals: Refusals,
) -> Iterator[Reference]:
    """All that objects of a picture can be called, in a fixed order."""
    yield from _by_description(view, refusals)
    for label in dict.fromkeys(one.label for one in view.objects):
        group = tuple(one for one in view.objects if alike(one.label, label))
        if len(group) == 1:
            yield from _by_category(view, group[0], refusals)
            continue
        refusals.add("category", RIVALS)
        yield from _by_attribute(view, label, group, refusals)
        yield from _by_relation(rng, view, label, group, settings, margins, refusals)


def _by_description(view: SeenView, refusals: Refusals) -> Iterator[Reference]:
    for one in view.objects:
        if not one.name:
            continue
        if one.well:
            yield Reference(view.name, "description", one, one.name, one.id, {one.id: one.name})
        else:
            refusals.add("description", UNCLEAR)


def _by_category(view: SeenView, one: Seen, refusals: Refusals) -> Iterator[Reference]:
    if not one.well:
        refusals.add("category", UNCLEAR)
        return
    phrase = f"the {one.label}"
    yield Reference(view.name, "category", one, phrase, one.id, {one.id: phrase})


def _by_attribute(view: SeenView, label: str, group: tuple[Seen, ...], refusals: Refusals) -> Iterator[Reference]:
    for one in group:
        if one.label != label:
            continue
        for attribute in _ATTRIBUTES:
            word = one.attributes.get(attribute)
            if not word:
                continue
            if not one.well:
                refusals.add("attribute", UNCLEAR)
            elif any(_may_be(other, attribute, word) for other in group if other is not one):
                refusals.add("attribute", MAY_BE)
            else:
                phrase = f"the {word} one of the {plural(label)}"
                yield Reference(view.name, "attribute", one, phrase, one.id, {one.id: phrase})


def _may_be(one: Seen, attribute: str, word: str) -> bool:
    """Whether that word might be said of an object: it is its own, or may be, or nothing is known."""
    if attribute in one.attributes:
        return one.attributes[attribute] == word
    maybe = one.attributes.get(f"{attribute}_may_be")
    return maybe is None or word in maybe.split()


@dataclass(frozen=True, slots=True, eq=False)
class _Relation:
    """A comparison within a group: "the {low} chair" has the smallest value, "the {high} chair" the largest."""

    way: Way
    what: str
    low: str
    high: str
    measured: Callable[[Seen], tuple[Quantity, float]]
    leads: Lead
    anchor: Seen | None = None


def _by_relation(
    rng: Uniform,
    view: SeenView,
    label: str,
    group: tuple[Seen, ...],
    settings: GroundingSettings,
    margins: GroundingMargins,
    refusals: Refusals,
) -> Iterator[Reference]:
    relations = [_camera_distance(label, margins)]
    if view.level:
        relations.append(_side(label, margins))
    else:
        refusals.add("side", STEEP)
    if all(one.whole for one in group):
        relations.append(_height(label, margins))
    else:
        refusals.add("height", CUT)
    # An object that may itself be called so is no landmark.
    anchors = [one for one in view.named if not any(alike(one.label, other.label) for other in group)]
    relations += [_distance_to(label, anchor, margins) for anchor in drawn(rng, anchors, settings.targets_per_view)]
    for relation in relations:
        yield from _extremes(view, label, group, relation, refusals)


def _extremes(
    view: SeenView, label: str, group: tuple[Seen, ...], relation: _Relation, refusals: Refusals
) -> Iterator[Reference]:
    """The objects with the smallest and the largest value, where they lead clearly."""
    measured = {one.id: relation.measured(one) for one in group}
    ordered = sorted(group, key=lambda one: measured[one.id][1])
    among = {str(one.id): measured[one.id][0] for one in group}
    facts = tuple(Fact(f"{relation.what}: object {one.id}", measured[one.id][1], Unit.METRE) for one in group)
    ends: tuple[tuple[Literal["smallest", "largest"], str, list[Seen]], ...] = (
        ("smallest", relation.low, ordered),
        ("largest", relation.high, ordered[::-1]),
    )
    for pick, phrase, (target, *others) in ends:
        if not target.well or not _holds_of(target, label):
            refusals.add(relation.way, UNCLEAR)
        elif not all(relation.leads(target, other) for other in others):
            refusals.add(relation.way, CLOSE)
        else:
            anchor = relation.anchor
            names = {target.id: phrase} if anchor is None else {target.id: phrase, anchor.id: anchor.name}
            yield Reference(view.name, relation.way, target, phrase, Choose(among, pick), names, facts, group)


def _holds_of(target: Seen, label: str) -> bool:
    """Whether the noun of the phrase holds of the object: an office chair is a chair, but not the other way round."""
    return target.label.endswith(label)


def _lead_in_distance(value: Callable[[Seen], float], margins: GroundingMargins) -> Lead:
    def leads(one: Seen, other: Seen) -> bool:
        first, second = value(one), value(other)
        least = max(
            margins.distance_m,
            margins.distance_share * max(first, second),
            margins.size_share * (one.longer_m + other.longer_m) / 2,
        )
        return abs(first - second) >= least

    return leads


def _camera_distance(label: str, margins: GroundingMargins) -> _Relation:
    def distance_m(one: Seen) -> float:
        return one.distance_m

    return _Relation(
        "distance",
        "distance to the camera",
        f"the {label} nearest to the camera",
        f"the {label} farthest from the camera",
        lambda one: (Distance(EYE, one.ref), distance_m(one)),
        _lead_in_distance(distance_m, margins),
    )


def _distance_to(label: str, anchor: Seen, margins: GroundingMargins) -> _Relation:
    def distance_m(one: Seen) -> float:
        right, up, forward = anchor.between(one)
        return math.sqrt(right * right + up * up + forward * forward)

    return _Relation(
        "distance_to",
        f"distance to {anchor.name}",
        f"the {label} nearest to {anchor.name}",
        f"the {label} farthest from {anchor.name}",
        lambda one: (Distance(anchor.ref, one.ref), distance_m(one)),
        _lead_in_distance(distance_m, margins),
        anchor,
    )


def _side(label: str, margins: GroundingMargins) -> _Relation:
    def leads(one: Seen, other: Seen) -> bool:
        in_world_m, in_picture_px = other.right_m - one.right_m, _middle_px(other) - _middle_px(one)
        # The sideways order in the world must be the one in the picture: then "leftmost" has one meaning.
        return (
            in_world_m * in_picture_px > 0
            and abs(in_world_m) >= margins.side_m
            and abs(in_picture_px) >= margins.side_px
        )

    return _Relation(
        "side",
        "to the right of the camera",
        f"the leftmost {label}",
        f"the rightmost {label}",
        lambda one: (Offset(EYE, one.ref, LEVEL, "right"), one.right_m),
        leads,
    )


def _middle_px(one: Seen) -> float:
    x0, _, x1, _ = one.sight.box_px
    return (x0 + x1) / 2


def _height(label: str, margins: GroundingMargins) -> _Relation:
    def leads(one: Seen, other: Seen) -> bool:
        smaller, larger = sorted((one.tall_m, other.tall_m))
        return larger >= margins.size_ratio * smaller

    return _Relation(
        "height",
        "height",
        f"the shortest {label}",
        f"the tallest {label}",
        lambda one: (Size(one.ref, "height"), one.tall_m),
        leads,
    )
