"""Table: one picture, with everything that its questions rest on worked out once, in plain numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from ....cameras import Camera
from ....degrade.seeds import derived_rng
from ....scene_graphs import GraphFrame, PlacedObject, PlacedScene, RelationGraph, published_star_graph, star_graph
from ....scene_graphs.placed import Sides
from ....scene_graphs.relations import Scores
from ....scenes import SceneKind
from ...options import shuffled
from ...registry import Refusals
from ...scene_truth import SceneTruth, Sight, ViewTruth
from .filters import graph_signature, has_enough_objects, near_duplicates
from .settings import CrispSettings

__all__ = ["PICTURE", "Table", "distinct_tables", "mark_numbers", "tables", "view_objects"]

PICTURE = "picture"
"""What refusals of whole pictures are counted under."""


@dataclass(frozen=True, kw_only=True)
class Table:
    """A picture to ask about.

    Args:
        view: its name.
        graph: the star around its centre.
        objects: number of the object -> where it is, in the frame of the graph.
        marks: number of the object -> the number drawn on it.
        names: number of the object -> "object 3".
        level: there is a level frame to speak of (the camera does not look straight up or down).
        rng: for everything that is drawn for this picture.
    """

    view: str
    graph: RelationGraph
    objects: Mapping[int, PlacedObject]
    marks: Mapping[int, int]
    names: Mapping[int, str] = field(repr=False)
    level: bool
    rng: np.random.Generator = field(repr=False)

    scores: dict[tuple[int, int], tuple[Scores, float, float]] = field(default_factory=dict, repr=False)
    """Of pairs that were already compared; filled by the rule."""
    centre: int = field(init=False)
    ids: tuple[int, ...] = field(init=False)
    neighbours: tuple[int, ...] = field(init=False)
    """The objects that have an edge with the centre."""
    camera_m: Mapping[int, float] = field(init=False, repr=False)
    """Distance from the camera."""
    edge_m: Mapping[int, float] = field(init=False, repr=False)
    """Distance of each neighbour from the centre."""

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "centre", self.graph.centre)
        put(self, "ids", tuple(self.objects))
        put(self, "neighbours", tuple(edge.target for edge in self.graph.edges))
        put(self, "camera_m", {node.id: node.distance_m for node in self.graph.nodes})
        put(self, "edge_m", {edge.target: edge.distance_m for edge in self.graph.edges})


def distinct_tables(truth: SceneTruth, settings: CrispSettings, seed: int, refusals: Refusals) -> list[Table]:
    """The pictures of a scene that can be asked about, without those whose graph hardly differs from another's."""
    found = list(tables(truth, settings, seed, refusals))
    if settings.near_duplicate_share is None:
        return found
    signatures = [graph_signature(table.graph) for table in found]
    dropped = near_duplicates(signatures, least_shared=settings.near_duplicate_share)
    if dropped:
        refusals.add(PICTURE, "nearly the same graph as another picture", len(dropped))
    return [table for place, table in enumerate(found) if place not in dropped]


def tables(truth: SceneTruth, settings: CrispSettings, seed: int, refusals: Refusals) -> Iterator[Table]:
    """The pictures of a scene that can be asked about, in order."""
    scene = PlacedScene(truth)
    for view in truth.views:
        ids = view_objects(view, truth, settings)
        if not has_enough_objects(len(ids), least=settings.least_objects, most=settings.most_objects):
            few = len(ids) < settings.least_objects
            refusals.add(PICTURE, f"too {'few' if few else 'many'} objects seen well enough")
            continue
        rng = derived_rng("crisp", truth.scene, view.name, seed)
        numbers = {one: place for place, one in enumerate(ids, 1)} if settings.published else mark_numbers(ids, rng)
        graph, objects, level = _graph(scene, view.camera, ids, settings, truth.kind)
        if not graph.edges:
            refusals.add(PICTURE, "no edge within reach of the centre")
            continue
        yield Table(
            view=view.name,
            graph=graph,
            objects={one.id: one for one in objects},
            marks=numbers,
            names={object_id: f"object {number}" for object_id, number in numbers.items()},
            level=level,
            rng=rng,
        )


def view_objects(view: ViewTruth, truth: SceneTruth, settings: CrispSettings) -> tuple[int, ...]:
    """The objects of a picture that are marked and asked about, in the order of their numbers in the scene."""
    area = view.camera.width * view.camera.height
    least = max(settings.least_pixels, settings.least_picture_share * area)
    ids = [
        object_id
        for object_id in sorted(view.seen)
        if object_id in truth.objects and _is_clear(view.seen[object_id], least, settings)
    ]
    if not settings.published and len(ids) > settings.most_objects:
        ids = sorted(sorted(ids, key=lambda one: -view.seen[one].pixels)[: settings.most_objects])
    return tuple(ids)


def _is_clear(sight: Sight, least_pixels: float, settings: CrispSettings) -> bool:
    return (
        sight.pixels >= least_pixels
        and sight.occlusion <= settings.most_occlusion
        and sight.truncation <= settings.most_truncation
    )


def mark_numbers(ids: tuple[int, ...], rng: np.random.Generator) -> dict[int, int]:
    """Object -> the number drawn on it, from 1. Shuffled, so that a number says nothing about its object."""
    return dict(zip(ids, shuffled(rng, range(1, len(ids) + 1)), strict=True))


def _graph(
    scene: PlacedScene, camera: Camera, ids: tuple[int, ...], settings: CrispSettings, kind: SceneKind
) -> tuple[RelationGraph, tuple[PlacedObject, ...], bool]:
    if settings.published:
        # Width and length: along and across the heading outdoors, the shorter and the longer side indoors.
        sides: Sides = "ground" if kind is SceneKind.ROOM else "heading"
        objects = scene.seen_from(camera, ids, frame="camera", sides=sides)
        graph = published_star_graph(
            objects,
            zone_m=settings.published_zone_m,
            centre_tolerance_m=settings.published_centre_tolerance_m,
            longest_edge_m=settings.published_longest_edge_m(kind),
        )
        return graph, objects, True
    pitch_deg = math.degrees(math.asin(min(1.0, abs(float(camera.world_from_camera[2, 2])))))
    level = pitch_deg <= settings.steepest_pitch_deg
    frame: GraphFrame = "level" if level else "camera"
    objects = scene.seen_from(camera, ids, frame=frame)
    return star_graph(objects, zone=settings.margins(kind).zone, frame=frame), objects, level
