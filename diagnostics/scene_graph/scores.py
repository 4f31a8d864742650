"""How good a scene graph is: what it found and what it invented, its lengths, its relations, and slips of convention.

Unlike with the published scores (`score_published_reply`) invented objects and edges cost precision, half and double a
length are equally wrong, silence about relations earns nothing, and a graph in another unit or a mirrored frame is
called that.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ..errors import DiagnosticsError
from .scale import ScaleError, scale_error
from .schema import SceneEdge, SceneGraph, SceneObject
from .score_parts import AXES, AxisName, AxisTally, Found, RatioTally, Side, side_on

__all__ = ["GraphScores", "LengthKind", "MirrorSlip", "pool_scores", "score_scene_graph"]

LengthKind = Literal["size", "camera_distance", "edge_distance"]

LENGTH_KINDS: tuple[LengthKind, ...] = ("size", "camera_distance", "edge_distance")

MirrorSlip = Literal["none", "left_right", "front_behind", "reversed"]
"""Which convention the relations were told in by mistake: left and right swapped, front and behind swapped, or both, as
when the centre is told as seen from the target."""

Pair = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class GraphScores:
    """The scores of one picture's graph, or of several pictures together (`pool_scores`).

    Attributes:
        nodes, edges: found and invented; an edge counts whichever way round it is told.
        lengths: kind -> ratios of told and true.
        axes: axis -> what relations were told, over all true edges.
        pairs: kind -> (told, true) of all lengths that are in both graphs, in metres.
        pictures: how many.
        failed: of how many there was no graph.
    """

    nodes: Found = field(default_factory=Found)
    edges: Found = field(default_factory=Found)
    lengths: Mapping[LengthKind, RatioTally] = field(default_factory=dict)
    axes: Mapping[AxisName, AxisTally] = field(default_factory=dict)
    pairs: Mapping[LengthKind, tuple[Pair, ...]] = field(default_factory=dict, repr=False)
    pictures: int = 1
    failed: int = 0

    @property
    def estimation(self) -> float | None:
        """S_est: the mean over sizes, distances to the camera and distances between objects of their ratio scores.

        In [0, 1], higher is better; None where no length was asked.
        """
        return _mean(tally.score for tally in self.lengths.values())

    @property
    def relation(self) -> float | None:
        """S_rel: the mean of the balanced scores of the axes. In [0, 1], higher is better; None without edges."""
        return _mean(axis.balanced for axis in self.axes.values())

    @property
    def relation_of_empty_answer(self) -> float | None:
        """What `relation` is for a graph that says of every edge that no relation holds."""
        return _mean(axis.empty_answer for axis in self.axes.values())

    @property
    def sgc(self) -> float | None:
        """The mean of `estimation` and `relation`, of those that were asked."""
        return _mean((self.estimation, self.relation))

    def scale(self, kind: LengthKind | None = None) -> ScaleError:
        """The common scale of the lengths of a kind, or of all, and the unit that it speaks for."""
        kinds = LENGTH_KINDS if kind is None else (kind,)
        pairs = [pair for one in kinds for pair in self.pairs.get(one, ())]
        return scale_error([told for told, _ in pairs], [true for _, true in pairs])

    @property
    def estimation_without_slip(self) -> float | None:
        """`estimation` with each kind of length read in the unit of its slip, where it has one."""
        return _mean(self._ratio_without_slip(kind) for kind in self.lengths)

    def _ratio_without_slip(self, kind: LengthKind) -> float | None:
        slip = self.scale(kind).slip
        if slip is None:
            return self.lengths[kind].score
        converted = [(told * slip.in_base, true) for told, true in self.pairs[kind]]
        return _ratio_sum(converted) / self.lengths[kind].asked

    def _is_inverted(self, axis: AxisName) -> bool:
        return axis in self.axes and self.axes[axis].is_inverted

    @property
    def mirror_slip(self) -> MirrorSlip:
        """A consistent inversion of left and right, of front and behind, or of both."""
        lateral, depth = (self._is_inverted(axis) for axis in ("left_right", "front_behind"))
        if lateral and depth:
            return "reversed"
        return "left_right" if lateral else "front_behind" if depth else "none"

    @property
    def relation_without_slip(self) -> float | None:
        """`relation` with the axes of the `mirror_slip` turned round, for "reversed" also the vertical one if it is."""
        turned = {"reversed": ["left_right", "front_behind"], "none": []}.get(self.mirror_slip, [self.mirror_slip])
        vertical = self.axes.get("above_below")
        if len(turned) > 1 and vertical is not None and vertical.opposed > vertical.agreeing:
            turned.append("above_below")
        return _mean((axis.inverted if name in turned else axis).balanced for name, axis in self.axes.items())


def score_scene_graph(predicted: SceneGraph | None, truth: SceneGraph) -> GraphScores:
    """The scores of a graph against the true one of the same picture, in the same frame and numbers.

    Args:
        predicted: what was read from a reply; None if nothing was, which scores 0.
        truth: the graph that was asked for; only what it states is asked.

    Raises:
        DiagnosticsError: the two are told in different frames, or mean different sides by length and width.

    >>> truth = SceneGraph(objects=(SceneObject(id=1, height_m=2.0), SceneObject(id=2, height_m=1.0)))
    >>> told = SceneGraph(objects=(SceneObject(id=1, height_m=1.0), SceneObject(id=7)))
    >>> scores = score_scene_graph(told, truth)
    >>> scores.nodes.precision, scores.nodes.recall, scores.estimation
    (0.5, 0.5, 0.25)
    """
    graph = SceneGraph(frame=truth.frame, sides=truth.sides) if predicted is None else predicted
    if (graph.frame, graph.sides) != (truth.frame, truth.sides):
        raise DiagnosticsError(
            f"a graph read as frame={graph.frame!r}, sides={graph.sides!r} cannot be scored against one in "
            f"{truth.frame!r}, {truth.sides!r}; read replies with GraphRequest.of(truth).parse"
        )
    lengths: dict[LengthKind, RatioTally] = {}
    pairs: dict[LengthKind, tuple[Pair, ...]] = {}
    for kind, asked in _lengths(graph, truth).items():
        lengths[kind], pairs[kind] = _ratios(asked)
    true_pairs = {_unordered(edge) for edge in truth.edges}
    told_pairs = {_unordered(edge) for edge in graph.edges}
    return GraphScores(
        nodes=Found(len({*graph.ids} & {*truth.ids}), len(graph.ids), len(truth.ids)),
        edges=Found(len(true_pairs & told_pairs), len(told_pairs), len(true_pairs)),
        lengths=lengths,
        axes={axis: _tally(axis, graph, truth) for axis in AXES},
        pairs=pairs,
        failed=int(predicted is None),
    )


def pool_scores(scores: Iterable[GraphScores]) -> GraphScores:
    """All pictures as if they were one: counts are added up, so that rare relations and slips become visible."""
    parts = list(scores)
    return GraphScores(
        nodes=sum((one.nodes for one in parts), Found()),
        edges=sum((one.edges for one in parts), Found()),
        lengths={
            kind: sum((one.lengths.get(kind, RatioTally()) for one in parts), RatioTally()) for kind in LENGTH_KINDS
        },
        axes={axis: sum((one.axes.get(axis, AxisTally()) for one in parts), AxisTally()) for axis in AXES},
        pairs={kind: tuple(pair for one in parts for pair in one.pairs.get(kind, ())) for kind in LENGTH_KINDS},
        pictures=sum(one.pictures for one in parts),
        failed=sum(one.failed for one in parts),
    )


def _lengths(graph: SceneGraph, truth: SceneGraph) -> dict[LengthKind, list[tuple[float | None, float]]]:
    """Kind -> (told or None, true) of every length that the truth states."""
    found: dict[LengthKind, list[tuple[float | None, float]]] = {kind: [] for kind in LENGTH_KINDS}
    for true in truth.objects:
        told = graph.node(true.id) or SceneObject(id=true.id)
        for side, true_side in zip(_sides(told), _sides(true), strict=True):
            if true_side is not None:
                found["size"].append((side, true_side))
        if true.distance_to_camera_m is not None:
            found["camera_distance"].append((told.distance_to_camera_m, true.distance_to_camera_m))
    for edge in truth.edges:
        if edge.distance_m is not None:
            told_edge = graph.edge(edge.source, edge.target)
            found["edge_distance"].append((None if told_edge is None else told_edge.distance_m, edge.distance_m))
    return found


def _sides(one: SceneObject) -> tuple[float | None, float | None, float | None]:
    return one.length_m, one.width_m, one.height_m


def _ratios(asked: list[tuple[float | None, float]]) -> tuple[RatioTally, tuple[Pair, ...]]:
    pairs = tuple((told, true) for told, true in asked if told is not None)
    return RatioTally(_ratio_sum(pairs), len(pairs), len(asked)), pairs


def _ratio_sum(pairs: Iterable[Pair]) -> float:
    # Zero against zero is right; zero against anything else is not.
    return math.fsum(min(pair) / max(pair) if max(pair) > 0 else 1.0 for pair in pairs)


def _tally(axis: AxisName, graph: SceneGraph, truth: SceneGraph) -> AxisTally:
    counts: dict[tuple[Side, Side], int] = {}
    for edge in truth.edges:
        if edge.relations is None:
            continue
        told = graph.edge(edge.source, edge.target)
        key = side_on(axis, edge.relations), side_on(axis, None if told is None else told.relations)
        counts[key] = counts.get(key, 0) + 1
    return AxisTally(counts)


def _unordered(edge: SceneEdge) -> tuple[int, int]:
    return min(edge.source, edge.target), max(edge.source, edge.target)


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
