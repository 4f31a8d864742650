"""Which graph a condition shows beside a picture, or why it has none to show."""

from __future__ import annotations

from ...bench_data.degrade.seeds import derived_rng
from ..interventions import Condition
from ..scene_graph import SceneGraph, corrupt_graph, shuffle_ids
from .pictures import AuditedPicture

__all__ = ["NO_OWN_GRAPH", "graph_to_show"]

NO_OWN_GRAPH = "the model drew no graph of this picture"
_NO_PLACES = "its graph states no places to draw from above"
_ONE_OBJECT = "the numbers of a single object cannot be exchanged"


def graph_to_show(
    condition: Condition, picture: AuditedPicture, own: SceneGraph | None, *, seed: int
) -> tuple[SceneGraph | None, str]:
    """The graph that a condition shows, and "", or None and the reason why it cannot show one.

    Args:
        own: what the model drew of the picture; None where it drew nothing that could be read.
        seed: of wrong and shuffled graphs; each picture has its own.
    """
    true = picture.known.graph
    own_seed = int(derived_rng("graphs to show", seed, picture.known.id).integers(2**53))
    match condition.graph:
        case "none":
            return None, ""
        case "true":
            return true, ""
        case "own":
            if own is None:
                return None, NO_OWN_GRAPH
            if "birds_eye" in condition.media and any(one.position_m is None for one in own.objects):
                return None, _NO_PLACES
            return own, ""
        case "corrupted":
            return corrupt_graph(true, condition.level or 0.0, seed=own_seed), ""
        case "shuffled":
            if len(true.objects) < 2:
                return None, _ONE_OBJECT
            return shuffle_ids(true, seed=own_seed), ""
