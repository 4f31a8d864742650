"""The sound generator: all kinds of a scene, in the order of the published table."""

from __future__ import annotations

from collections.abc import Iterator

from ...options import shuffled
from ...question import Question
from ...registry import Refusals
from ...scene_truth import SceneTruth
from ...seen import seen_views
from .comparisons import Clearness, chosen, claimed, drawn_pairs, multichoice, predicates
from .kinds import KINDS
from .maker import Maker
from .measures import agent_distances, agent_sides, clocks, pair_distances, sizes
from .settings import Open3DVQASettings

__all__ = ["generate_sound"]


def generate_sound(truth: SceneTruth, settings: Open3DVQASettings, seed: int, refusals: Refusals) -> Iterator[Question]:
    """The questions of a scene, kind by kind; what concerns one object is asked once for it and picture."""
    maker = Maker(
        scene=truth.scene, seed=seed, published=False, most_per_kind=settings.most_per_kind, refusals=refusals
    )
    margins = settings.margins(truth.kind)
    clearness = Clearness(margins)
    views = seen_views(truth, settings)
    pairs = drawn_pairs(maker.rng("pairs"), views, settings.pairs_per_view)
    places = shuffled(maker.rng("places"), [(view, one) for view in views for one in view.named])
    for kind in KINDS.values():
        match kind.form:
            case "predicate":
                yield from predicates(maker, kind, pairs, clearness)
            case "tfqa":
                yield from claimed(maker, kind, pairs, clearness)
            case "choice":
                yield from chosen(maker, kind, pairs, clearness)
            case "multichoice":
                yield from multichoice(maker, kind, pairs, views, clearness)
            case "size":
                yield from sizes(maker, kind, places)
            case "pair":
                yield from pair_distances(maker, kind, pairs, margins.least_number_m)
            case "agent":
                yield from agent_distances(maker, kind, places, margins.least_number_m)
            case "yes_no_agent":
                yield from agent_sides(maker, kind, places, margins)
            case "clock":
                yield from clocks(maker, kind, places, pairs, margins, answers=settings.clock)
