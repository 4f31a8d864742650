"""Table: one picture, with everything that its questions rest on worked out once, in plain numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from operator import itemgetter

from ....errors import BenchDataError
from ....scene_graphs import (
    GraphFrame,
    PlacedObject,
    PlacedScene,
    RelationGraph,
    choose_centre,
    published_star_graph,
    star_graph,
)
from ....scene_graphs.placed import Sides
from ....scene_graphs.relations import RELATIONS, Relation, Scores, scores_beyond, zones_m
from ....scenes import SceneKind
from ...draws import Uniform, derived_draws
from ...options import shuffled
from ...query import ScaledZone
from ...registry import Refusals
from ...scene_truth import SceneTruth, ViewTruth
from .filters import Signature, distance_bin, graph_signature, has_enough_objects, near_duplicates
from .settings import CrispSettings

__all__ = ["PICTURE", "Compared", "Table", "compared", "distinct_tables", "mark_numbers", "tables", "view_objects"]

PICTURE = "picture"
"""What refusals of whole pictures are counted under."""

_FIRST = itemgetter(0)

Compared = tuple[Scores, float, float]
"""Of a pair: by how much each relation holds, and its dead zone on the level and in height, in metres."""


@dataclass(kw_only=True, slots=True, eq=False)
class Table:
    """A picture to ask about.

    Args:
        view: its name.
        objects: number of the object -> where it is, in the frame of the graph.
        marks: number of the object -> the number drawn on it.
        level: there is a level frame to speak of (the camera does not look straight up or down).
        rng: for everything that is drawn for this picture.
        make_graph: makes the star; called once, when it is asked for.
        centre: the object in the middle of the star.
        edge_m: distance from the centre to each object that has an edge with it.
        scores: of pairs that were already compared; filled by the rule.
    """

    view: str
    objects: Mapping[int, PlacedObject]
    marks: Mapping[int, int]
    level: bool
    rng: Uniform = field(repr=False)
    make_graph: Callable[[], RelationGraph] = field(repr=False)
    centre: int
    edge_m: Mapping[int, float] = field(repr=False)
    scores: dict[tuple[int, int], Compared] = field(default_factory=dict, repr=False)

    names: Mapping[int, str] = field(init=False, repr=False)
    """Number of the object -> "object 3"."""
    ids: tuple[int, ...] = field(init=False)
    neighbours: tuple[int, ...] = field(init=False)
    """The objects that have an edge with the centre."""
    camera_m: Mapping[int, float] = field(init=False, repr=False)
    """Distance from the camera."""
    sorted_edges_m: list[float] = field(init=False, repr=False)
    _graph: RelationGraph | None = field(init=False, default=None, repr=False)

    def __post_init__(self) -> None:
        self.names = {one: _name(number) for one, number in self.marks.items()}
        self.ids = tuple(self.objects)
        self.neighbours = tuple(self.edge_m)
        self.camera_m = {number: one.distance_m for number, one in self.objects.items()}
        self.sorted_edges_m = sorted(self.edge_m.values())

    @property
    def graph(self) -> RelationGraph:
        """The star around the centre."""
        if self._graph is None:
            self._graph = self.make_graph()
        return self._graph


@cache
def _name(number: int) -> str:
    return f"object {number}"


def distinct_tables(truth: SceneTruth, settings: CrispSettings, seed: int, refusals: Refusals) -> list[Table]:
    """The pictures of a scene that can be asked about, without those whose graph hardly differs from another's."""
    found = list(tables(truth, settings, seed, refusals))
    if settings.near_duplicate_share is None:
        return found
    sign = (lambda table: graph_signature(table.graph)) if settings.published else _signature
    dropped = near_duplicates([sign(table) for table in found], least_shared=settings.near_duplicate_share)
    if dropped:
        refusals.add(PICTURE, "nearly the same graph as another picture", len(dropped))
    return [table for place, table in enumerate(found) if place not in dropped]


def _signature(table: Table) -> Signature:
    """The `graph_signature` of a star with all edges, from the scores that its questions need too."""
    label = table.objects[table.centre].label
    return frozenset(
        [
            (label, table.objects[one].label, _held(table.scores[one, table.centre][0]), distance_bin(distance))
            for one, distance in table.edge_m.items()
        ]
    )


def _held(scores: Scores) -> tuple[Relation, ...]:
    return tuple([name for name, score in zip(RELATIONS, scores, strict=True) if score > 0])


def tables(truth: SceneTruth, settings: CrispSettings, seed: int, refusals: Refusals) -> Iterator[Table]:
    """The pictures of a scene that can be asked about, in order."""
    scene = PlacedScene(truth)
    zone = settings.margins(truth.kind).zone
    for view in truth.views:
        ids = view_objects(view, truth, settings)
        if not has_enough_objects(len(ids), least=settings.least_objects, most=settings.most_objects):
            few = len(ids) < settings.least_objects
            refusals.add(PICTURE, f"too {'few' if few else 'many'} objects seen well enough")
            continue
        rng = derived_draws("crisp", truth.scene, view.name, seed)
        if settings.published:
            table = _published_table(scene, view, ids, settings, truth.kind, rng)
        else:
            table = _sound_table(scene, view, ids, zone, settings.steepest_pitch_deg, rng)
        if table.edge_m:
            yield table
        else:
            refusals.add(PICTURE, "no edge within reach of the centre")


def view_objects(view: ViewTruth, truth: SceneTruth, settings: CrispSettings) -> tuple[int, ...]:
    """The objects of a picture that are marked and asked about, in the order of their numbers in the scene."""
    area = view.camera.width * view.camera.height
    least = max(settings.least_pixels, settings.least_picture_share * area)
    most_occlusion, most_truncation, objects = settings.most_occlusion, settings.most_truncation, truth.objects
    ids = [
        object_id
        for object_id, sight in sorted(view.seen.items(), key=_FIRST)
        if sight.pixels >= least
        and sight.occlusion <= most_occlusion
        and sight.truncation <= most_truncation
        and object_id in objects
    ]
    if not settings.published and len(ids) > settings.most_objects:
        ids = sorted(sorted(ids, key=lambda one: -view.seen[one].pixels)[: settings.most_objects])
    return tuple(ids)


def mark_numbers(ids: tuple[int, ...], rng: Uniform) -> dict[int, int]:
    """Object -> the number drawn on it, from 1. Shuffled, so that a number says nothing about its object."""
    return dict(zip(ids, shuffled(rng, range(1, len(ids) + 1)), strict=True))


def _sound_table(
    scene: PlacedScene,
    view: ViewTruth,
    ids: tuple[int, ...],
    zone: ScaledZone,
    steepest_pitch_deg: float,
    rng: Uniform,
) -> Table:
    """A star with edges to all others, in a level frame where the camera has one."""
    pitch_deg = math.degrees(math.asin(min(1.0, abs(float(view.camera.world_from_camera[2, 2])))))
    level = pitch_deg <= steepest_pitch_deg
    frame: GraphFrame = "level" if level else "camera"
    seen = scene.seen_from(view.camera, ids, frame=frame)
    centre = choose_centre(seen)
    objects = {one.id: one for one in seen}
    middle = objects[centre]
    others = [one for one in seen if one is not middle]
    return Table(
        view=view.name,
        objects=objects,
        marks=mark_numbers(ids, rng),
        level=level,
        rng=rng,
        make_graph=lambda: star_graph(seen, zone=zone, centre=centre, frame=frame),
        centre=centre,
        edge_m={one.id: one.distance_to_m(middle) for one in others},
        scores={(one.id, centre): compared(one, middle, zone) for one in others},
    )


def compared(of: PlacedObject, against: PlacedObject, zone: ScaledZone) -> Compared:
    """How one object stands to another."""
    level, height = zones_m(of, against, zone)
    return scores_beyond(of, against, level, height), level, height


def _published_table(
    scene: PlacedScene, view: ViewTruth, ids: tuple[int, ...], settings: CrispSettings, kind: SceneKind, rng: Uniform
) -> Table:
    # Width and length: along and across the heading outdoors, the shorter and the longer side indoors.
    sides: Sides = "ground" if kind is SceneKind.ROOM else "heading"
    objects = scene.seen_from(view.camera, ids, frame="camera", sides=sides)
    graph = published_star_graph(
        objects,
        zone_m=settings.published_zone_m,
        centre_tolerance_m=settings.published_centre_tolerance_m,
        longest_edge_m=settings.published_longest_edge_m(kind),
    )
    if graph.centre is None:
        raise BenchDataError(f"view {view.name}: the published graph has no centre")
    return Table(
        view=view.name,
        objects={one.id: one for one in objects},
        marks={one: place for place, one in enumerate(ids, 1)},
        level=True,
        rng=rng,
        make_graph=lambda: graph,
        centre=graph.centre,
        edge_m={edge.target: edge.distance_m for edge in graph.edges},
    )
