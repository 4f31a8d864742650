"""CRISP's graph files: the published short form is read and written back, the raw form gives the same graphs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.scene_graphs import published_injected_form
from seeworthy.bench_data.suites import read_crisp_graphs, write_crisp_graphs

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "crisp" / "gt_graphs.json"
SHORT = [scene["injected_graph"] for scene in json.loads(GOLDEN.read_text())["scenes"]]

RAW = {
    "image": "s/k1.jpg",
    "objects": [
        {
            "node_id": name,
            "local_id": number,
            "attributes": {
                "category_name": "thing",
                "translation": {"x": 1.0, "y": 0.6, "z_cam": 8.0, "z_world": 0.9},
                "size": {"w": 0.6, "l": 0.7, "h": 1.8},
            },
        }
        for name, number in (("p", 2), ("q", 5), ("unmarked", None))
    ],
    "edges": [
        {"from": "p", "to": "q", "distance": 2.3, "angle": 1.0, "relation": {"right": 1, "left": 0, "behind": 1}},
        {"from": "p", "to": "unmarked", "distance": 2.3, "angle": 1.0, "relation": {"right": 1}},
        {"from": "ego", "to": "p", "distance": 8.1, "angle": 7.1, "relation": {"in front of": 1}},
    ],
}


def written(folder: Path, content: object) -> Path:
    path = folder / "graphs.json"
    path.write_text(json.dumps(content))
    return path


def test_published_graphs_come_back(tmp_path: Path) -> None:
    found = list(read_crisp_graphs(written(tmp_path, SHORT)))
    assert [one.image for one in found] == [graph["image"] for graph in SHORT]
    for one, graph in zip(found, SHORT, strict=True):
        assert {"image": one.image, **published_injected_form(one.graph)} == graph
    write_crisp_graphs(found, tmp_path / "again.json")
    assert json.loads((tmp_path / "again.json").read_text()) == SHORT


def test_raw_graphs_are_read_without_what_has_no_number(tmp_path: Path) -> None:
    (one,) = read_crisp_graphs(written(tmp_path, [RAW]))
    assert [node.id for node in one.graph.nodes] == [2, 5]
    assert one.graph.nodes[0].position_m == (1.0, -0.6, 8.0)
    assert one.graph.nodes[0].distance_m == pytest.approx(8.0846, abs=1e-4)
    assert [(edge.source, edge.target, edge.relations) for edge in one.graph.edges] == [(2, 5, ("right", "behind"))]
    assert one.graph.centre == 2


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"id": 1', '"id": 2', "no object of this picture"),
        ('"id": 1', '"id": "1"', "objects.0..id"),
        ('"distance"', '"span"', "edges.0..distance"),
        ('"left"', '"leftish"', "unknown_relation|leftish"),
        ('"to": 1', '"to": 77', "no object of this picture"),
        ('"w"', '"wide"', "size.w"),
        ('"image"', '"picture"', "image"),
    ],
)
def test_bad_graphs_are_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = written(tmp_path, SHORT[:1])
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(BenchDataError, match=message):
        list(read_crisp_graphs(path))
