"""Scene graphs from replies of models: tolerant, bounded, and never an exception. What was lost is always said.

Nothing of a reply is trusted: labels are data, cut to a length and stripped of control characters; numbers, ids and
relations are read by the same rules that scores and derivations use.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ...bench_data.scene_graphs import GraphFrame
from ...bench_data.scene_graphs.placed import Sides
from ..replies import Flag, ParseStatus, Rule, parse_graph_json, split_reasoning
from ..replies.graph_json import MAX_JSON_CHARS
from ..replies.json_reading import read_json
from ..replies.result import JsonValue
from .fields import GRAPH_FIELDS, fields_of
from .findings import Finding, FindingKind, FindingLog, GraphStatus
from .lengths import length_unit, read_id
from .parsing_edges import read_edges
from .parsing_objects import read_objects
from .schema import RelationReading, SceneGraph, SceneObject

__all__ = ["ParsedGraph", "parse_scene_graph", "read_scene_graph"]

_DEEPEST_WRAPPER = 4


@dataclass(frozen=True, slots=True)
class ParsedGraph:
    """A graph read from a reply.

    Attributes:
        status: how it went.
        graph: None if, and only if, it failed.
        findings: the first `MAX_FINDINGS` of what had to be understood, repaired or left out.
        counts: how many of each kind there were in all.
    """

    status: GraphStatus
    graph: SceneGraph | None = None
    findings: tuple[Finding, ...] = ()
    counts: Mapping[FindingKind, int] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether there is a graph."""
        return self.graph is not None


def parse_scene_graph(
    text: str,
    *,
    centre: int | None = None,
    frame: GraphFrame = "level",
    sides: Sides = "ground",
    reading: RelationReading | None = None,
    cut: bool = False,
) -> ParsedGraph:
    """The scene graph of a reply. Never raises, whatever the text.

    Args:
        text: the reply as it came, reasoning block included.
        centre: the object that edges were asked from; edges that name no source are taken to start there.
        frame, sides, reading: what was asked for, see `SceneGraph`; a reply is read in the frame it was asked in.
        cut: the server stopped the reply at its token limit.

    >>> parsed = parse_scene_graph('{"objects": [{"id": "object 3", "height": "120 cm"}]}')
    >>> parsed.status.value, parsed.graph.objects[0].id, parsed.graph.objects[0].height_m
    ('repaired', 3, 1.2)
    """
    log = FindingLog()
    value = _json_of(text, cut, log)
    if value is None:
        return ParsedGraph(GraphStatus.FAILED, None, tuple(log.kept), Counter(log.counts))
    return _read(value, log, centre=centre, frame=frame, sides=sides, reading=reading)


def read_scene_graph(
    value: JsonValue,
    *,
    centre: int | None = None,
    frame: GraphFrame = "level",
    sides: Sides = "ground",
    reading: RelationReading | None = None,
) -> ParsedGraph:
    """The same for a graph that is JSON already. Never raises."""
    return _read(value, FindingLog(), centre=centre, frame=frame, sides=sides, reading=reading)


def _json_of(text: str, cut: bool, log: FindingLog) -> JsonValue:
    """The JSON that holds the graph; None where there is none, with a finding."""
    parsed = parse_graph_json(text, cut=cut)
    found = [one.value for one in parsed.candidates if one.rule is Rule.JSON]
    value: JsonValue = parsed.value if parsed.value is not None else found[-1] if found else None
    if parsed.status is ParseStatus.TRUNCATED:
        log.add(FindingKind.TRUNCATED, "", parsed.detail)
    elif parsed.status is ParseStatus.AMBIGUOUS:
        log.add(FindingKind.SEVERAL_GRAPHS, "", "several graphs stand; the last one is read")
    if Flag.REPAIRED in parsed.flags:
        log.add(FindingKind.JSON_REPAIRED)
    if Flag.UNWRAPPED in parsed.flags:
        log.add(FindingKind.UNWRAPPED)
    if value is None and len(text) <= MAX_JSON_CHARS:
        value = _other_json(text, log)
    if value is None:
        log.add(FindingKind.NO_GRAPH, "", f"{parsed.status.value}: {parsed.detail or 'no JSON with objects'}"[:200])
    return value


def _other_json(text: str, log: FindingLog) -> JsonValue:
    """JSON that holds a graph in another form than asked for: under "nodes", wrapped twice, a bare list of objects."""
    pieces = [one for one in read_json(split_reasoning(text).visible) if one.value is not None]
    for piece in reversed(pieces):
        graph = _unwrapped(piece.value, 0)
        if graph is not None:
            log.add(FindingKind.OTHER_FORM, "", "the graph is written in another form than asked for")
            if piece.repaired:
                log.add(FindingKind.JSON_REPAIRED)
            return graph
    return None


def _unwrapped(value: JsonValue, depth: int) -> JsonValue:
    if isinstance(value, dict):
        if "objects" in fields_of(value, GRAPH_FIELDS):
            return value
        inner = [one for one in list(value.values())[:16] if isinstance(one, dict | list)]
    elif isinstance(value, list):
        if value and all(isinstance(one, dict) and "id" in one for one in value):
            return {"objects": value}
        inner = [one for one in value[:16] if isinstance(one, dict)]
    else:
        return None
    found = (
        [one for one in (_unwrapped(item, depth + 1) for item in inner) if one is not None]
        if depth < _DEEPEST_WRAPPER
        else []
    )
    return found[0] if len(found) == 1 else None


def _read(
    value: JsonValue,
    log: FindingLog,
    *,
    centre: int | None,
    frame: GraphFrame,
    sides: Sides,
    reading: RelationReading | None,
) -> ParsedGraph:
    graph = _unwrapped(value, 0)
    if not isinstance(graph, dict):
        log.add(FindingKind.NO_GRAPH, "", "the JSON holds no objects")
        return ParsedGraph(GraphStatus.FAILED, None, tuple(log.kept), Counter(log.counts))
    if graph is not value:
        log.add(FindingKind.UNWRAPPED)
    parts = fields_of(graph, GRAPH_FIELDS)
    told = parts["unit"].value if "unit" in parts else None
    unit = length_unit(told) if isinstance(told, str) else None
    objects = read_objects(parts["objects"].value, unit, log)
    stated = read_id(parts["centre"].value) if "centre" in parts else None
    middle = stated if stated is not None else centre
    edges = read_edges(parts["edges"].value if "edges" in parts else None, unit, centre, log)
    _add_implied(objects, ((edge.source, edge.target) for edge in edges), log)
    result = SceneGraph(
        objects=tuple(objects.values()),
        edges=tuple(edges),
        centre=middle if middle in objects else None,
        frame=frame,
        sides=sides,
        reading=reading,
    )
    return ParsedGraph(log.status, result, tuple(log.kept), Counter(log.counts))


def _add_implied(objects: dict[int, SceneObject], pairs: Iterable[tuple[int, int]], log: FindingLog) -> None:
    """Objects that only edges speak of, as objects of which nothing else is stated."""
    for pair in pairs:
        for number in pair:
            if number not in objects:
                objects[number] = SceneObject(id=number)
                log.add(FindingKind.IMPLIED_OBJECT, "", f"object {number} is in an edge, but not among the objects")
