"""Scene graphs: whole ones come back, cut ones never do, and every fault is named with its place."""

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seeworthy.diagnostics.replies import Flag, ParseStatus, graph_problem, parse_graph_json
from seeworthy.diagnostics.replies.json_reading import read_json
from seeworthy.diagnostics.replies.json_scan import MAX_DEPTH

LABELS = st.sampled_from(
    ["chair", 'the "big" lamp', "man's hat", "a, b", "brace } and ] here", "back\\slash", "椅子", ""]
)
NUMBERS = st.floats(-99, 99).map(lambda value: round(value, 3)) | st.integers(-9, 99)


@st.composite
def graphs(draw: st.DrawFn) -> dict[str, Any]:
    count = draw(st.integers(1, 6))
    ids: list[Any] = draw(st.sampled_from([[f"o{n}" for n in range(count)], list(range(count))]))
    objects = [
        {"id": one, "label": draw(LABELS), "centre": draw(st.lists(NUMBERS, min_size=3, max_size=3))} for one in ids
    ]
    pairs = draw(st.lists(st.tuples(st.sampled_from(ids), st.sampled_from(ids)), max_size=4))
    edges = [{"from": a, "to": b, "distance": draw(NUMBERS), "relation": ["left"]} for a, b in pairs]
    return {"objects": objects, "edges": edges}


@given(
    graphs(),
    st.sampled_from(["{}", "Here it is:\n```json\n{}\n```\nDone.", "```\n{}\n```", "<think>[1</think> {}"]),
    st.sampled_from([None, 1]),
)
def test_a_whole_graph_comes_back_unchanged(graph: dict[str, Any], form: str, indent: int | None) -> None:
    result = parse_graph_json(form.replace("{}", json.dumps(graph, indent=indent, ensure_ascii=False)))
    assert result.value == graph
    assert result.flags == ()


@given(graphs(), st.data())
def test_a_cut_graph_is_never_whole(graph: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(graph)
    cut = data.draw(st.integers(1, len(text) - 1))
    result = parse_graph_json(text[:cut])
    assert result.status in (ParseStatus.TRUNCATED, ParseStatus.NO_ANSWER)
    assert result.status is ParseStatus.TRUNCATED or cut < len('{"o')
    for candidate in result.candidates:
        objects = candidate.value["objects"]
        assert objects == graph["objects"][: len(objects)]
        edges = candidate.value.get("edges", [])
        assert edges == graph["edges"][: len(edges)]
        assert f"cut at character {cut}" in result.detail


@given(graphs())
def test_single_quotes_and_trailing_commas_are_repaired_without_loss(graph: dict[str, Any]) -> None:
    for one in graph["objects"]:
        one["label"] = "chair"
    text = json.dumps(graph).replace('"', "'").replace("}]", "},]")
    result = parse_graph_json(text)
    assert result.value == graph
    assert result.flags == (Flag.REPAIRED,)


def test_a_large_damaged_graph_is_repaired_piece_by_piece() -> None:
    graph = {"objects": [{"id": f"o{n}", "label": "chair", "centre": [n, 0, 2]} for n in range(150)]}
    result = parse_graph_json(json.dumps(graph).replace('"', "'"))
    assert result.value == graph


def test_beyond_the_budget_the_damage_is_named_and_nothing_is_lost_silently() -> None:
    graph = {"objects": [{"id": f"o{n}", "label": "x" * 200} for n in range(400)]}
    result = parse_graph_json(json.dumps(graph).replace('"', "'"))
    assert result.status is ParseStatus.INVALID
    assert "damage" in result.detail


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "1e999", '"nan"'])
@pytest.mark.parametrize(
    ("template", "path"),
    [
        ('{"objects":[{"id":1,"size":{"w":%s}}]}', "objects[0].size.w"),
        ('{"objects":[{"id":1},{"id":2,"dist_to_cam":%s}]}', "objects[1].dist_to_cam"),
        ('{"objects":[{"id":1}],"edges":[{"from":1,"to":1,"distance":%s}]}', "edges[0].distance"),
        ('{"objects":[{"id":1,"c":[[0,%s]]}]}', "objects[0].c[0][1]"),
    ],
)
def test_what_is_not_finite_is_named_by_its_path(template: str, path: str, value: str) -> None:
    result = parse_graph_json(template % value)
    assert result.status is ParseStatus.INVALID
    assert result.detail == f"{path} is not finite"


def test_a_label_may_be_called_nan() -> None:
    assert parse_graph_json('{"objects":[{"id":1,"label":"nan"}]}').ok


def test_deep_nesting_and_long_numbers_stop_politely() -> None:
    deep = '{"objects":' + "[" * (MAX_DEPTH + 5)
    assert parse_graph_json(deep).status is ParseStatus.INVALID
    assert parse_graph_json("[" * 200_000).status is ParseStatus.INVALID
    assert parse_graph_json('{"objects":[{"id":' + "9" * 6000 + "}]}").status is ParseStatus.INVALID
    assert parse_graph_json("x" * 4_000_001).status is ParseStatus.INVALID


def test_graph_problem_of_a_sound_graph_is_none() -> None:
    assert graph_problem({"objects": [{"id": 1}, {"id": 2.0}], "edges": [{"from": "1", "to": 2}]}) is None
    assert graph_problem({"objects": [{"id": 1.5}]}) == "objects[0] has no id"


@given(st.text("{}[]\":,'\\ab1 \n", max_size=60))
def test_any_mixture_of_marks_is_read_without_error(text: str) -> None:
    pieces = read_json(text)
    for piece in pieces:
        assert 0 <= piece.extent.start < piece.extent.end <= len(text)
    assert all(one.extent.end <= other.extent.start for one, other in pairwise(pieces))
    assert all(piece.extent.closed for piece in pieces[:-1])
