"""The published generators, faults included: v1 in the tilted frame of the camera, v2 in a level one.

From the specification: sizes are what an object's corners spread over in that frame, so they change with the view; ties
are "no" or the second object, and near ties are kept; hours begin where they should have their middle; what concerns
the first object alone is asked again for each of its pairs; the last two options of four are never right and none is
moved; hidden objects, and v1's behind the camera, are asked about. Where the two generators measure a point set (v2) we
have its box, whose centre and spread stand for its mean and its own box.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ....errors import BenchDataError
from ....scenes import Instance
from ...facts import Axes
from ...options import below, drawn, shuffled
from ...query import (
    CameraFrame,
    Choose,
    Distance,
    Exceeds,
    LevelFrame,
    ObjectRef,
    Offset,
    Place,
    Quantity,
    Sector,
    Spread,
    Value,
)
from ...question import Fact, Option, Question
from ...registry import Refusals
from ...scene_truth import SceneTruth, ViewTruth
from ...seen import EYE
from ...units import Unit
from . import reasons
from .kinds import V1, V2, Kind, Measured
from .maker import Asked, Maker
from .published_text import clock_hour, length_text, volume_text
from .settings import Open3DVQASettings

__all__ = ["PublishedObject", "PublishedRule", "generate_published"]

_YES_NO = (Option("yes", "Yes"), Option("no", "No"))
_SIZES: Mapping[str, Measured] = {"width_data": "width", "height_data": "height", "volume_data": "volume"}
_PAIRS_V2 = 2


@dataclass(frozen=True, slots=True, eq=False)
class PublishedObject:
    """An object in a picture, as the published generators see it.

    Args:
        centre_m: (right, up, forward) from the camera, in the frame of the version.
        spread_m: what its corners spread over along these axes.
    """

    id: int
    name: str
    ref: ObjectRef
    centre_m: tuple[float, float, float]
    spread_m: tuple[float, float, float]

    @property
    def volume_m3(self) -> float:
        """Product of the three spreads."""
        return math.prod(self.spread_m)


class PublishedRule:
    """Truths by a published rule.

    Args:
        version: "v1" or "v2".
    """

    def __init__(self, version: str) -> None:
        self.version = version
        self.frame: CameraFrame | LevelFrame = CameraFrame(0) if version == "v1" else LevelFrame(0)
        self.kinds = V1 if version == "v1" else V2

    def ask(self, kind: Kind, view: str, a: PublishedObject, b: PublishedObject) -> Asked:
        """The question of a kind about two objects, or about the first of them alone."""
        match kind.form:
            case "predicate" | "tfqa":
                return self._exceeds(kind, view, a, b)
            case "choice" | "multichoice":
                return self._choose(kind, view, a, b)
            case "yes_no_agent":
                return self._side(kind, view, a)
            case "clock":
                return self._clock(view, a, None if "agent" in kind.name else b)
            case _:
                return self._number(kind, view, a, b)

    def value(self, measured: Measured, one: PublishedObject) -> float:
        """What is compared of an object."""
        match measured:
            case "volume":
                return one.volume_m3
            case "width" | "height":
                return one.spread_m[0 if measured == "width" else 1]
            case "right" | "up" | "forward":
                return one.centre_m[("right", "up", "forward").index(measured)]

    def quantity(self, measured: Measured, one: PublishedObject) -> Quantity:
        """The same as a quantity of a query."""
        match measured:
            case "volume":
                return Spread(one.ref, self.frame, "volume")
            case "width" | "height":
                return Spread(one.ref, self.frame, "right" if measured == "width" else "up")
            case "right" | "up" | "forward":
                return Offset(EYE, one.ref, self.frame, measured)

    def _exceeds(self, kind: Kind, view: str, a: PublishedObject, b: PublishedObject) -> Asked:
        greater, smaller = (a, b) if kind.larger else (b, a)
        values = self.value(kind.measured, greater), self.value(kind.measured, smaller)
        query = Exceeds(self.quantity(kind.measured, greater), self.quantity(kind.measured, smaller))
        truth: bool | str = values[0] > values[1]
        if kind.form == "tfqa":
            truth = "yes" if truth else "no"
        return Asked(view, _names(a, b), query, truth, abs(values[0] - values[1]), _facts(kind, values))

    def _choose(self, kind: Kind, view: str, a: PublishedObject, b: PublishedObject) -> Asked:
        first, second = self.value(kind.measured, a), self.value(kind.measured, b)
        query = Choose(
            {"first": self.quantity(kind.measured, a), "second": self.quantity(kind.measured, b)},
            "largest" if kind.larger else "smallest",
            equal="second",
        )
        truth = "first" if (first > second if kind.larger else first < second) else "second"
        return Asked(view, _names(a, b), query, truth, abs(first - second), _facts(kind, (first, second)))

    def _side(self, kind: Kind, view: str, a: PublishedObject) -> Asked:
        value = self.value(kind.measured, a)
        offset = self.quantity(kind.measured, a)
        query = Exceeds(offset, 0.0) if kind.larger else Exceeds(0.0, offset)
        truth = value > 0 if kind.larger else value < 0
        return Asked(view, {a.id: a.name}, query, truth, abs(value), _facts(kind, (value,)))

    def _clock(self, view: str, a: PublishedObject, b: PublishedObject | None) -> Asked:
        start: Place = EYE if b is None else a.ref
        end = a if b is None else b
        right, forward = end.centre_m[0], end.centre_m[2]
        if b is not None:
            right, forward = right - a.centre_m[0], forward - a.centre_m[2]
        bearing = math.degrees(math.atan2(right, forward))
        fact = Fact("bearing, to the right of ahead", bearing, Unit.DEGREE)
        query = Sector(start, end.ref, self.frame, "floored_clock")
        margin = min(bearing % 30, -bearing % 30)
        names = {a.id: a.name} if b is None else _names(a, b)
        return Asked(view, names, query, clock_hour(right, forward), margin, (fact,))

    def _number(self, kind: Kind, view: str, a: PublishedObject, b: PublishedObject) -> Asked:
        names = {a.id: a.name}
        quantity: Quantity
        if kind.form == "size":
            measured = _SIZES[kind.name]
            value, quantity = self.value(measured, a), self.quantity(measured, a)
        else:
            start: Place = EYE
            end = a
            parts = a.centre_m
            if kind.form == "pair":
                names, start, end = _names(a, b), a.ref, b
                parts = (parts[0] - b.centre_m[0], parts[1] - b.centre_m[1], parts[2] - b.centre_m[2])
            value, quantity = self._distance(kind, start, end.ref, parts)
        fact = Fact(kind.name, value, kind.unit)
        return Asked(view, names, Value(quantity), value, None, (fact,))

    def _distance(
        self, kind: Kind, start: Place, end: ObjectRef, parts: tuple[float, float, float]
    ) -> tuple[float, Quantity]:
        right, up, forward = parts
        if kind.name.startswith("vertical"):
            return abs(up), Offset(start, end, self.frame, "up", absolute=True)
        if kind.name.startswith("horizontal"):
            if self.version == "v1":
                return abs(right), Offset(start, end, self.frame, "right", absolute=True)
            return math.hypot(right, forward), Distance(start, end, "ground")
        return math.sqrt(right * right + up * up + forward * forward), Distance(start, end)


def _names(a: PublishedObject, b: PublishedObject) -> dict[int, str]:
    return {a.id: a.name, b.id: b.name}


def _facts(kind: Kind, values: tuple[float, ...]) -> tuple[Fact, ...]:
    unit = Unit.CUBIC_METRE if kind.measured == "volume" else Unit.METRE
    return tuple([Fact(kind.measured, value, unit) for value in values])


def generate_published(
    truth: SceneTruth, settings: Open3DVQASettings, seed: int, refusals: Refusals
) -> Iterator[Question]:
    """The questions of a scene, picture by picture and pair by pair: every pair gets all types."""
    rule = PublishedRule(settings.published_version)
    maker = Maker(scene=truth.scene, seed=seed, published=True, most_per_kind=None, refusals=refusals)
    left = {kind.name: math.inf if settings.most_per_kind is None else settings.most_per_kind for kind in rule.kinds}
    tags = {kind.name: _tags(kind, rule.version) for kind in rule.kinds}
    for view in truth.views:
        rng = maker.rng(f"published {view.name}")
        objects = published_objects(truth, view, rule, settings, refusals)
        pairs = shuffled(rng, combinations(objects, 2))
        if rule.version == "v2":
            pairs = drawn(rng, pairs, _PAIRS_V2)
        # A random half of the pairs is turned round.
        flipped = set(drawn(rng, range(len(pairs)), len(pairs) // 2))
        for number, (one, other) in enumerate(pairs):
            a, b = (other, one) if number in flipped else (one, other)
            for kind in rule.kinds:
                if left[kind.name] == 0:
                    maker.refuse(kind, reasons.ENOUGH)
                    continue
                left[kind.name] -= 1
                asked = rule.ask(kind, view.name, a, b)
                yield maker.question(
                    kind,
                    asked,
                    wording=below(rng, len(kind.published_wordings)),
                    options=_options(kind, a, b),
                    tags=_with_answer(tags[kind.name], kind, asked),
                )


def _tags(kind: Kind, version: str) -> dict[str, str]:
    tags = {**kind.tags, "version": version}
    if kind.form == "tfqa":
        # The published records of these have no type.
        del tags["type"]
    return tags


def _with_answer(tags: dict[str, str], kind: Kind, asked: Asked) -> dict[str, str]:
    """The tags, of a number with the published reference answer."""
    if kind.unit is None or not isinstance(asked.truth, float):
        return tags
    return {**tags, "answer_text": (length_text if kind.unit is Unit.METRE else volume_text)(asked.truth)}


def _options(kind: Kind, a: PublishedObject, b: PublishedObject) -> tuple[Option, ...]:
    """In a fixed order; of four, the last two are never right."""
    if kind.form == "tfqa":
        return _YES_NO
    if kind.form not in ("choice", "multichoice"):
        return ()
    both = (Option("first", a.name), Option("second", b.name))
    return both if kind.form == "choice" else (*both, Option("same", "the same"), Option("unknown", "unknown"))


def published_objects(
    truth: SceneTruth, view: ViewTruth, rule: PublishedRule, settings: Open3DVQASettings, refusals: Refusals
) -> list[PublishedObject]:
    """The objects with a description whose projected box lies in the picture; hidden ones, and of v1 mirrored ones too.

    v1 keeps those near the camera of the first picture. v2 finds its objects in the picture itself: they are seen.
    """
    instances = [one for one in truth.objects.values() if one.description]
    if not instances:
        return []
    try:
        axes = truth.facts([truth.view_index(view.name)]).axes(rule.frame)
    except BenchDataError:
        refusals.add("picture", "the camera looks straight up or down")
        return []
    pose = view.camera.world_from_camera
    first_m = truth.views[0].camera.world_from_camera[:3, 3]
    found = []
    for one in instances:
        far = rule.version == "v1" and np.linalg.norm(one.box.centre_m - first_m) >= settings.published_reach_m
        hidden = rule.version == "v2" and one.id not in view.seen
        in_camera = (one.box.corners_m - pose[:3, 3]) @ pose[:3, :3]
        if far or hidden or not _is_inside(view, in_camera, settings.published_least_side_px):
            refusals.add("object", "too far away" if far else "not seen" if hidden else "not wholly in the picture")
        else:
            found.append(_published_object(one, axes, pose[:3, 3]))
    return found


def _published_object(one: Instance, axes: Axes, eye_m: NDArray[np.float64]) -> PublishedObject:
    # Near ties are asked about: things of one height differ in the last digits only. Each number is worked out by the
    # very operations of the reference, so that both call the same one larger.
    offset, corners = one.box.centre_m - eye_m, one.box.corners_m
    right, up, forward = (float(np.ptp(corners @ axis)) for axis in (axes.right, axes.up, axes.forward))
    return PublishedObject(one.id, one.description.lower(), ObjectRef(one.id), axes.of(offset), (right, up, forward))


def _is_inside(view: ViewTruth, corners_camera: NDArray[np.float64], least_px: float) -> bool:
    """Whether the box around the projected corners lies in the picture and is large enough; also behind the camera."""
    camera = view.camera
    depth = corners_camera[:, 2]
    if (depth == 0).any():
        return False
    u = corners_camera[:, 0] / depth * camera.fx + camera.cx
    v = corners_camera[:, 1] / depth * camera.fy + camera.cy
    x0, x1, y0, y1 = u.min(), u.max(), v.min(), v.max()
    return bool(
        x0 >= 0
        and y0 >= 0
        and x0 < camera.width
        and y0 < camera.height
        and x1 <= camera.width
        and y1 <= camera.height
        and x1 - x0 >= least_px
        and y1 - y0 >= least_px
    )
