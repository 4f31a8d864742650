"""Scene graphs as JSON: found in prose and fences, repaired where that loses nothing, reported as cut where
something is missing, and checked before anyone scores them."""

from __future__ import annotations

import math

from .claims import Claim, settle
from .json_reading import JsonPiece, load_json, read_json
from .json_scan import JsonExtent
from .reading import Reading, nothing_found, read
from .result import Candidate, Flag, JsonValue, ParsedReply, ParseStatus, Rule, Span

__all__ = ["MAX_JSON_CHARS", "Graph", "graph_problem", "parse_graph_json"]

Graph = dict[str, JsonValue]

MAX_JSON_CHARS = 4_000_000
_NOT_FINITE = frozenset({"nan", "inf", "-inf", "+inf", "infinity", "-infinity"})
_FREE_TEXT = frozenset({"label", "name", "category", "description", "caption", "text"})


def parse_graph_json(text: str, *, cut: bool = False) -> ParsedReply[Graph]:
    """The scene graph of a reply, as plain JSON with ``objects`` and, if given, ``edges``.

    Returns:
        ``ok`` for a whole graph, with the flag ``repaired`` if json-repair was needed.
        ``truncated`` when brackets stay open: the whole members are a candidate, and ``detail`` says where it was cut.
        ``invalid`` for a number that is not finite (with its path), an id or key that stands twice, an edge to an
        unknown id, and JSON that is no graph.

    >>> parse_graph_json('{"objects": [{"id": 1}]}').value
    {'objects': [{'id': 1}]}
    """
    return read(text, _decide, cut=cut, whole=True)


def _decide(reading: Reading) -> ParsedReply[Graph]:
    raw = reading.raw
    if len(raw) > MAX_JSON_CHARS:
        return _invalid(reading, None, f"a reply of {len(raw)} characters; at most {MAX_JSON_CHARS} are read")
    pieces = read_json(raw)
    claims = [claim for piece in pieces if piece.extent.closed and (claim := _as_graph(piece)) is not None]
    last = pieces[-1] if pieces else None
    if last is not None and not last.extent.closed and (not claims or '"objects"' in raw[last.extent.start :]):
        return _truncated(reading, last.extent, claims)
    if not claims:
        return _no_graph(reading, pieces)
    standing = settle(claims, raw.lower() if len(raw.lower()) == len(raw) else raw)
    candidates = tuple(Candidate(one.value, reading.raw_span(one.start, one.end), Rule.JSON) for one in standing)
    if len(standing) != 1:
        detail = f"{len(standing)} different graphs stand without a word that revises one of them"
        return ParsedReply(ParseStatus.AMBIGUOUS, rule=Rule.JSON, candidates=candidates, detail=detail)
    graph, span, flags = standing[0].value, candidates[0].span, standing[0].flags
    problem = graph_problem(graph)
    if problem is not None:
        return _invalid(reading, span, problem, candidates, flags)
    return ParsedReply(ParseStatus.OK, graph, span, Rule.JSON, flags)


def _as_graph(piece: JsonPiece) -> Claim[Graph] | None:
    """A graph, or one under a single key ("scene_graph"), which is unwrapped and flagged."""
    flags = (Flag.REPAIRED,) if piece.repaired else ()
    value = piece.value
    if isinstance(value, dict) and "objects" not in value:
        inner = [one for one in value.values() if isinstance(one, dict) and "objects" in one]
        if len(inner) == 1:
            value, flags = inner[0], (*flags, Flag.UNWRAPPED)
    if not isinstance(value, dict) or "objects" not in value:
        return None
    return Claim(value, piece.extent.start, piece.extent.end, Rule.JSON, flags=flags)


def _no_graph(reading: Reading, pieces: list[JsonPiece]) -> ParsedReply[Graph]:
    if not pieces or reading.refusal is not None:
        return nothing_found(reading)
    last = pieces[-1]
    return _invalid(
        reading, reading.raw_span(last.extent.start, last.extent.end), last.problem or 'the JSON holds no "objects"'
    )


def _truncated(reading: Reading, extent: JsonExtent, claims: list[Claim[Graph]]) -> ParsedReply[Graph]:
    span = reading.raw_span(extent.start, extent.end)
    if extent.too_deep:
        return _invalid(reading, span, "nested too deeply to be a scene graph")
    candidates = [Candidate(one.value, reading.raw_span(one.start, one.end), Rule.JSON) for one in claims]
    salvaged = _as_graph(load_json(extent.salvaged(reading.raw), extent))
    if salvaged is not None:
        candidates.append(Candidate(salvaged.value, reading.raw_span(extent.start, extent.keep), Rule.JSON))
    graph = None if salvaged is None else salvaged.value
    return ParsedReply(
        ParseStatus.TRUNCATED,
        span=span,
        rule=Rule.JSON,
        flags=(*reading.flags, Flag.RAISE_OUTPUT_BUDGET),
        candidates=tuple(candidates),
        detail=f"cut at character {span[1]}; whole are {_count(graph, 'objects')} objects and "
        f"{_count(graph, 'edges')} edges; raise the output budget",
    )


def _count(graph: Graph | None, key: str) -> int:
    items = None if graph is None else graph.get(key)
    return len(items) if isinstance(items, list) else 0


def _invalid(
    reading: Reading,
    span: Span | None,
    problem: str,
    candidates: tuple[Candidate[Graph], ...] = (),
    flags: tuple[Flag, ...] = (),
) -> ParsedReply[Graph]:
    return ParsedReply(
        ParseStatus.INVALID,
        span=span,
        rule=Rule.JSON,
        flags=(*reading.flags, *flags),
        candidates=candidates,
        detail=problem,
    )


def graph_problem(graph: Graph) -> str | None:
    """What makes a graph unusable, with its path, or None."""
    problem = _not_finite(graph, "")
    if problem is not None:
        return problem
    ids: set[str] = set()
    objects = graph.get("objects")
    if not isinstance(objects, list):
        return "objects is no list"
    for index, item in enumerate(objects):
        key = _id(item.get("id")) if isinstance(item, dict) else None
        if key is None:
            return f"objects[{index}] has no id"
        if key in ids:
            return f"objects[{index}].id: {key!r} stands twice"
        ids.add(key)
    edges = graph.get("edges", [])
    if not isinstance(edges, list):
        return "edges is no list"
    for index, edge in enumerate(edges):
        if not isinstance(edge, dict):
            return f"edges[{index}] is no object"
        for end in ("from", "to"):
            key = _id(edge.get(end))
            if key not in ids:
                return f"edges[{index}].{end}: {edge.get(end)!r} is no id of an object"
    return None


def _id(value: JsonValue) -> str | None:
    """An id as text: 1, 1.0 and "1" are the same."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, float):
        return str(int(value)) if math.isfinite(value) and value == int(value) else None
    if isinstance(value, int | str):
        return str(value).strip() or None
    return None


def _not_finite(value: JsonValue, path: str) -> str | None:
    """Path of the first number that is not finite."""
    stack: list[tuple[JsonValue, str]] = [(value, path)]
    while stack:
        item, at = stack.pop()
        if isinstance(item, dict):
            stack += [
                (inner, f"{at}.{key}" if at else key) for key, inner in reversed(item.items()) if key not in _FREE_TEXT
            ]
        elif isinstance(item, list):
            stack += [(inner, f"{at}[{index}]") for index, inner in reversed(list(enumerate(item)))]
        elif (isinstance(item, float) and not math.isfinite(item)) or (
            isinstance(item, str) and item.strip().lower() in _NOT_FINITE
        ):
            return f"{at} is not finite"
    return None
