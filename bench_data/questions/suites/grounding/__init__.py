"""Grounding: point to an object or box it, told by description, category, attribute, or by comparison with others.

Truths are the box of an object's visible pixels, and a pixel well inside of it; margins are the smaller side of that
box. There is no published generator for these.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ....errors import BenchDataError
from ...draws import derived_draws
from ...options import below, shuffled
from ...query import Locate
from ...question import Fact, Question
from ...registry import Refusals, SuiteSettings, question_suite
from ...scene_truth import SceneTruth
from ...seen import Seen, seen_views
from .kinds import KINDS, Kind, Shape, Way
from .referring import Reference, references
from .settings import GroundingMargins, GroundingSettings

__all__ = ["KINDS", "GroundingMargins", "GroundingSettings", "grounding"]

SMALL = "too small in the picture"


@question_suite(
    "grounding",
    summary="point to an object or box it, told by description, category, attribute or comparison",
    kinds=tuple(KINDS),
    settings=GroundingSettings,
)
def grounding(truth: SceneTruth, settings: SuiteSettings, seed: int, refusals: Refusals) -> Iterator[Question]:
    """All questions of a scene, kind by kind.

    Raises:
        BenchDataError: settings of another suite, or the published rule, of which there is none.
    """
    if not isinstance(settings, GroundingSettings):
        if type(settings) is not SuiteSettings:
            raise BenchDataError(f"the suite grounding needs GroundingSettings, got {type(settings).__name__}")
        settings = GroundingSettings(**settings.model_dump())
    if settings.published:
        raise BenchDataError("the suite grounding has no published rule to follow; leave published off")
    return _generated(truth, settings, seed, refusals)


def _generated(truth: SceneTruth, settings: GroundingSettings, seed: int, refusals: Refusals) -> Iterator[Question]:
    rng = derived_draws("grounding references", truth.scene, seed)
    by_way: defaultdict[Way, list[Reference]] = defaultdict(list)
    places = _Places()
    margins = settings.margins(truth.kind)
    for view in seen_views(truth, settings):
        for one in references(rng, view, settings, margins, refusals):
            by_way[one.way].append(one)
    count = 0
    for kind in KINDS.values():
        rng = derived_draws("grounding", truth.scene, seed, kind.name)
        least_px = settings.least_point_side_px if kind.shape == "point" else settings.least_box_side_px
        asked = 0
        for one in shuffled(rng, by_way[kind.way]):
            if one.target.smaller_side_px < least_px:
                refusals.add(kind.name, SMALL)
            elif settings.most_per_kind is not None and asked >= settings.most_per_kind:
                refusals.add(kind.name, "more than asked for")
            else:
                asked += 1
                count += 1
                yield _question(
                    kind,
                    one,
                    places,
                    scene=truth.scene,
                    number=count,
                    wording=below(rng, len(kind.wordings)),
                    seed=seed,
                )


class _Places:
    """Where each object is in each picture, as facts; objects are asked about many times, so each is told once."""

    def __init__(self) -> None:
        self._told: dict[tuple[str, int, Shape], tuple[Fact, ...]] = {}

    def of(self, view: str, one: Seen, shape: Shape) -> tuple[Fact, ...]:
        """Box (x0, y0, x1, y1) or point (x, y), continuous pixel coordinates."""
        key = view, one.id, shape
        found = self._told.get(key)
        if found is None:
            name = one.name or f"object {one.id}"
            if shape == "point":
                found = _pixels(("x", "y"), f"of a pixel of {name}", one.sight.point_px)
            else:
                found = _pixels(("left", "top", "right", "bottom"), f"edge of what shows of {name}", one.sight.box_px)
            self._told[key] = found
        return found


def _pixels(names: tuple[str, ...], what: str, values: tuple[float, ...]) -> tuple[Fact, ...]:
    return tuple([Fact(f"{name} {what}, px", value) for name, value in zip(names, values, strict=True)])


def _question(
    kind: Kind, one: Reference, places: _Places, *, scene: str, number: int, wording: int, seed: int
) -> Question:
    sight = one.target.sight
    side_px = one.target.smaller_side_px
    rivals = one.compared or (one.target,)
    return Question(
        id=f"{scene}/{one.view}/grounding-{number}",
        suite="grounding",
        kind=kind.name,
        scene=scene,
        views=(one.view,),
        query=Locate(one.found, 0, kind.shape),
        text=kind.wordings[wording].format(a=one.phrase),
        answer_type=kind.answer_type,
        truth=sight.point_px if kind.shape == "point" else sight.box_px,
        margin=side_px,
        margin_unit="px",
        derivation=(*one.facts, *[fact for rival in rivals for fact in places.of(one.view, rival, kind.shape)]),
        names=one.names,
        wording=wording,
        tags=kind.tags,
        seed=seed,
    )
