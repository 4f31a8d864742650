"""The truth of a scene as a file: nothing is lost, and what is no truth is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.questions import QUESTION_SUITES, Refusals, SceneTruth, question_to_json
from seeworthy.bench_data.questions.truth_file import read_truth, truth_from_json, truth_to_json
from seeworthy.bench_data.scenes import SceneKind
from tests.bench_data.questions.truths import random_truth


def with_shares(truth: SceneTruth, seed: int) -> SceneTruth:
    shares = np.random.default_rng(seed).random((len(truth.views), len(truth.views)))
    return SceneTruth(
        scene=truth.scene, kind=truth.kind, instances=truth.instances, views=truth.views, co_visibility=shares
    )


@pytest.mark.parametrize("seed", range(6))
def test_nothing_is_lost(seed: int) -> None:
    kind = SceneKind.STREET if seed % 2 else SceneKind.ROOM
    truth = with_shares(random_truth(seed, kind=kind, occluded=0.7), seed)
    again = truth_from_json(truth_to_json(truth))
    assert (again.scene, again.kind) == (truth.scene, truth.kind)
    assert [(v.name, v.camera, dict(v.seen)) for v in again.views] == [
        (v.name, v.camera, dict(v.seen)) for v in truth.views
    ]
    for one, other in zip(again.instances, truth.instances, strict=True):
        assert (one.id, one.label, one.description, one.is_structure, one.has_front) == (
            other.id,
            other.label,
            other.description,
            other.is_structure,
            other.has_front,
        )
        for name in ("centre_m", "size_m", "world_from_box"):
            assert np.array_equal(getattr(one.box, name), getattr(other.box, name))
    assert again.co_visibility is not None
    assert np.array_equal(again.co_visibility, truth.co_visibility)
    assert truth_to_json(again) == truth_to_json(truth)


def test_the_same_questions_are_asked_of_a_truth_from_a_file() -> None:
    truth = with_shares(random_truth(3, objects=12), 3)
    again = truth_from_json(truth_to_json(truth))
    for _, suite in QUESTION_SUITES.specs():
        asked, asked_again = (
            [question_to_json(one) for one in suite.generate(each, suite.settings(), 5, Refusals())]
            for each in (truth, again)
        )
        assert asked == asked_again


def test_without_co_visibility_and_without_views() -> None:
    bare = SceneTruth(scene="empty", kind=SceneKind.ROOM, instances=(), views=())
    assert truth_from_json(truth_to_json(bare)).co_visibility is None


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"format": "seeworthy scene truth 2"}, "format"),
        ({"kind": "cave"}, "kind"),
        ({"views": None}, "views"),
        ({"surprise": 1}, "surprise"),
        ({"co_visibility": [[1.0]]}, "co_visibility must have 4"),
        ({"co_visibility": [["x"]]}, "co_visibility"),
    ],
)
def test_what_is_no_truth(change: dict[str, object], says: str) -> None:
    record = json.loads(truth_to_json(random_truth(1)))
    with pytest.raises(BenchDataError, match=says):
        truth_from_json(json.dumps({**record, **change}), source="t.json")


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    with pytest.raises(BenchDataError, match=r"cannot read .*t\.json"):
        read_truth(path)
    path.write_bytes(b"\xff\xfe nothing")
    with pytest.raises(BenchDataError, match=r"t\.json is no truth of a scene"):
        read_truth(path)
