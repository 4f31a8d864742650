"""SceneGraph: objects, what is known of each, and how they stand to each other; from a scene or from a model's reply.

All but an object's number is optional, as models leave things out: None means "not stated", never "zero" and never
"no". A graph made from the truth holds enough to rebuild boxes, cameras and sights, so that every question of the
project can be derived from it.

Units: metres, degrees, pixels. The origin of all positions is the first camera.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ...bench_data.questions.query import ScaledZone
from ...bench_data.scene_graphs import GraphFrame, Relation, opposites
from ...bench_data.scene_graphs.placed import Sides
from ..errors import DiagnosticsError

if TYPE_CHECKING:
    import networkx as nx

__all__ = [
    "AxesRows",
    "CameraPose",
    "RelationReading",
    "SceneEdge",
    "SceneGraph",
    "SceneObject",
    "Vector",
    "ViewSight",
    "scene_graph_from_json",
    "scene_graph_to_json",
]

Vector = tuple[float, float, float]
"""(right, up, forward) components in the frame of the graph."""

AxesRows = tuple[Vector, Vector, Vector]
"""Unit vectors right, up and forward, one a row, each in the frame of the graph."""

Length = Annotated[float, Field(ge=0)]

_UP: Vector = (0.0, 1.0, 0.0)


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class ViewSight(_Record):
    """How an object appears in one picture.

    Args:
        view: number of the picture, from 0.
        box_px: (x0, y0, x1, y1) around its visible pixels, continuous coordinates.
        point_px: (x, y) on it.
    """

    view: int = Field(ge=0)
    box_px: tuple[float, float, float, float] | None = None
    point_px: tuple[float, float] | None = None


class SceneObject(_Record):
    """A node.

    Args:
        id: its number.
        label: its category; "" where none is stated.
        distance_to_camera_m: from the first camera to the centre of its box.
        length_m, width_m, height_m: of its box; what length and width mean, `SceneGraph.sides` says.
        position_m: (right, up, forward) of its centre from the first camera.
        heading_deg: bearing of its front, 0 along the frame's forward axis, clockwise seen from above.
        axes: of its box, right, up and forward (its front); needed only where it does not stand upright in the frame.
        sights: the pictures it can be seen in; () is "in none", None "not stated".
        attributes: words for it by what they speak of: {"colour": "red"}.
    """

    id: int
    label: str = ""
    distance_to_camera_m: Length | None = None
    length_m: Length | None = None
    width_m: Length | None = None
    height_m: Length | None = None
    position_m: Vector | None = None
    heading_deg: float | None = None
    axes: AxesRows | None = None
    sights: tuple[ViewSight, ...] | None = None
    attributes: Mapping[str, str] = Field(default_factory=dict)

    @property
    def seen_in(self) -> tuple[int, ...] | None:
        """Numbers of the pictures it can be seen in; None where that is not stated."""
        return None if self.sights is None else tuple(sight.view for sight in self.sights)

    def sight(self, view: int = 0) -> ViewSight | None:
        """How it appears in a picture; None where it does not, or where that is not stated."""
        return next((sight for sight in self.sights or () if sight.view == view), None)

    def box_px(self, view: int = 0) -> tuple[float, float, float, float] | None:
        """(x0, y0, x1, y1) in a picture."""
        sight = self.sight(view)
        return None if sight is None else sight.box_px

    @property
    def own_axes(self) -> AxesRows | None:
        """The axes of its box; from the heading, of a box that stands upright in the frame, where only that is known.

        >>> SceneObject(id=1, heading_deg=90).own_axes[2]
        (1.0, 0.0, 0.0)
        """
        if self.axes is not None or self.heading_deg is None:
            return self.axes
        s, c = (round(of(math.radians(self.heading_deg)), 15) for of in (math.sin, math.cos))
        return (c, 0.0, -s), _UP, (s, 0.0, c)


class SceneEdge(_Record):
    """How ``target`` stands to ``source``.

    Args:
        source, target: numbers of objects.
        distance_m: from centre to centre.
        relations: what ``target`` is, seen against ``source``, in the order of `RELATIONS`; () is "none holds", None
            "not stated".
        bearing_deg: of ``target`` from ``source``, 0 forward, clockwise, in (-180, 180].
    """

    source: int
    target: int
    distance_m: Length | None = None
    relations: tuple[Relation, ...] | None = None
    bearing_deg: float | None = None

    def reversed(self) -> SceneEdge:
        """The same fact told the other way round."""
        bearing = self.bearing_deg
        if bearing is not None:
            bearing = bearing - 180 if bearing > 0 else bearing + 180
        return SceneEdge(
            source=self.target,
            target=self.source,
            distance_m=self.distance_m,
            relations=None if self.relations is None else opposites(self.relations),
            bearing_deg=bearing,
        )


class CameraPose(_Record):
    """A camera that took one of the pictures.

    Args:
        view: number of the picture, from 0.
        position_m: (right, up, forward) from the first camera.
        axes: its right, up (in the picture) and optical axis, tilted as it is.
    """

    view: int = Field(ge=0)
    position_m: Vector
    axes: AxesRows


class RelationReading(_Record):
    """By which rule the relations of the edges hold.

    Args:
        zone: the dead zone, in metres or scaled by the two objects.
        exclusive: of above and below only one holds.
    """

    zone: float | ScaledZone = ScaledZone()
    exclusive: bool = True


class SceneGraph(_Record):
    """What is said to be in a picture, or in several.

    Args:
        objects: each number once.
        edges: between listed objects; each ordered pair at most once.
        centre: the object that a star is drawn around; None where there is none.
        frame: "level" for a person at the first camera (up is up), "camera" for that camera's own, tilted axes.
        sides: what length and width mean: the longer and the shorter level side ("ground"), or along and across the
            object's front ("heading").
        cameras: of the pictures, if stated; each view once.
        gravity_up: which way is up in the world, in a graph whose frame is "camera".
        camera_height_m: of the first camera above the world's zero.
        reading: the rule behind the relations, where it is known.
        complete: whether every object seen in the pictures is listed; None where that is not stated.

    Raises:
        DiagnosticsError: a number, pair or view twice, an edge that does not join two objects, an unknown centre.
    """

    objects: tuple[SceneObject, ...] = ()
    edges: tuple[SceneEdge, ...] = Field(default=(), repr=False)
    centre: int | None = None
    frame: GraphFrame = "level"
    sides: Sides = "ground"
    cameras: tuple[CameraPose, ...] = Field(default=(), repr=False)
    gravity_up: Vector | None = None
    camera_height_m: float | None = None
    reading: RelationReading | None = None
    complete: bool | None = None

    def model_post_init(self, _context: object, /) -> None:
        """Checks what no single field can."""
        known = self._by_id
        if len(known) != len(self.objects):
            raise DiagnosticsError("the objects of a scene graph must have different numbers")
        if self.centre is not None and self.centre not in known:
            raise DiagnosticsError(f"the centre, object {self.centre}, is no object of the scene graph")
        for edge in self.edges:
            if edge.source == edge.target or edge.source not in known or edge.target not in known:
                raise DiagnosticsError(f"the edge from {edge.source} to {edge.target} does not join two objects")
        if len(self._by_pair) != len(self.edges):
            raise DiagnosticsError("a scene graph must have at most one edge from one object to another")
        if len({camera.view for camera in self.cameras}) != len(self.cameras):
            raise DiagnosticsError("the cameras of a scene graph must have different views")

    @cached_property
    def _by_id(self) -> Mapping[int, SceneObject]:
        return {one.id: one for one in self.objects}

    @cached_property
    def _by_pair(self) -> Mapping[tuple[int, int], SceneEdge]:
        return {(edge.source, edge.target): edge for edge in self.edges}

    @property
    def ids(self) -> tuple[int, ...]:
        """The numbers of its objects, in its order."""
        return tuple(self._by_id)

    @property
    def world_up(self) -> Vector | None:
        """Which way is up in the world, in the frame of the graph; None where that is not known."""
        return _UP if self.frame == "level" else self.gravity_up

    def node(self, number: int) -> SceneObject | None:
        """The object of a number; None where there is none."""
        return self._by_id.get(number)

    def camera(self, view: int) -> CameraPose | None:
        """The camera of a picture; None where it is not stated."""
        return next((camera for camera in self.cameras if camera.view == view), None)

    def edge(self, source: int, target: int) -> SceneEdge | None:
        """How ``target`` stands to ``source``: as stated, or else turned round; None where it is told neither way."""
        found = self._by_pair.get((source, target))
        if found is None and (back := self._by_pair.get((target, source))) is not None:
            return back.reversed()
        return found

    def told(self, source: int, target: int) -> Iterator[SceneEdge]:
        """All that is said of a pair, seen from ``source``: at most two edges, which may disagree."""
        if (found := self._by_pair.get((source, target))) is not None:
            yield found
        if (back := self._by_pair.get((target, source))) is not None:
            yield back.reversed()

    def networkx(self, *, both_ways: bool = False) -> nx.MultiDiGraph:
        """The graph for networkx: nodes and edges carry the fields of their records.

        Args:
            both_ways: with each edge also told the other way round, under the key "reversed", so that paths can be
                followed in any direction; edges as told have the key "told".
        """
        import networkx as nx

        view: nx.MultiDiGraph = nx.MultiDiGraph(centre=self.centre, frame=self.frame)
        view.add_nodes_from((one.id, _fields(one)) for one in self.objects)
        view.add_edges_from((edge.source, edge.target, "told", _fields(edge)) for edge in self.edges)
        if both_ways:
            turned = (edge.reversed() for edge in self.edges)
            view.add_edges_from((edge.source, edge.target, "reversed", _fields(edge)) for edge in turned)
        return view

    def renumbered(self, numbers: Mapping[int, int]) -> Self:
        """The same graph under other numbers.

        Raises:
            DiagnosticsError: an object without a new number, or two with the same.
        """
        missing = [number for number in self.ids if number not in numbers]
        if missing:
            raise DiagnosticsError(f"object {missing[0]} has no new number")
        objects = tuple(one.model_copy(update={"id": numbers[one.id]}) for one in self.objects)
        edges = tuple(
            edge.model_copy(update={"source": numbers[edge.source], "target": numbers[edge.target]})
            for edge in self.edges
        )
        return self.changed(objects=objects, edges=edges, centre=None if self.centre is None else numbers[self.centre])

    def changed(self, **fields: object) -> Self:
        """A checked copy with other fields.

        Raises:
            DiagnosticsError: see the class.
        """
        return type(self)(**{**_fields(self), **fields})

    def model_copy(self, *, update: Mapping[str, object] | None = None, deep: bool = False) -> Self:
        """The same as `changed`: pydantic's own copy would keep what was looked up in the old objects and edges."""
        return self.changed(**(update or {}))

    def without_positions(self) -> Self:
        """The same graph as a model is asked for it: sizes, distances and relations only."""
        hidden: dict[str, object] = {"position_m": None, "heading_deg": None, "axes": None}
        return self.changed(
            objects=tuple(one.model_copy(update=hidden) for one in self.objects),
            edges=tuple(edge.model_copy(update={"bearing_deg": None}) for edge in self.edges),
            cameras=(),
            gravity_up=None,
            camera_height_m=None,
        )


def _fields(record: _Record) -> dict[str, object]:
    """Field name -> value, one level deep."""
    return {name: getattr(record, name) for name in type(record).model_fields}


def scene_graph_to_json(graph: SceneGraph) -> str:
    """One line of JSON, without loss; what is not stated is left out."""
    return graph.model_dump_json(exclude_defaults=True)


def scene_graph_from_json(text: str | bytes) -> SceneGraph:
    """Reads what `scene_graph_to_json` wrote; for replies of models see `parse_scene_graph`.

    Raises:
        DiagnosticsError: not JSON, or not a scene graph; the message names the field.
    """
    try:
        return SceneGraph.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the record"
        raise DiagnosticsError(f"not a scene graph: {place}: {first['msg']}") from error
