"""Consistency as published: golden numbers, and the faults that the sound one does not have."""

import json
from pathlib import Path

import pytest

from seeworthy.diagnostics.consistency import PublishedItem, published_consistency, published_match
from seeworthy.diagnostics.metrics import mean_relative_accuracy

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "crisp" / "mra.json").read_text())["mra"]


@pytest.mark.parametrize("row", GOLDEN, ids=lambda row: f"{row['pred']}-{row['target']}")
def test_golden_numbers(row: dict[str, float | None]) -> None:
    pred, target, score = row["pred"], row["target"], row["consistency"]
    assert mean_relative_accuracy(pred, target, published="crisp_consistency") == score
    if pred is not None and target is not None:
        # the derived answer is the prediction and the model's own answer the reference
        assert published_match("NA", str(pred), str(target)) == score


@pytest.mark.parametrize(
    ("form", "derived", "reply", "match"),
    [
        ("MCQ", "B", "<answer>B</answer>", 1.0),
        ("MCQ", "B", "I think it is B", 1.0),
        ("MCQ", "b", "The answer is (B).", 1.0),
        ("MCQ", "A", "B", 0.0),
        ("MCQ", "FAILED: Option Mismatch", "B", 0.0),
        ("MCQ", "B", "", 0.0),
        ("NA", "2", "3", 0.4),
        ("NA", "3", "2", 0.1),
        ("NA", "3", "3.5m", 1.0),
        ("NA", "3", "no idea", 0.0),
        ("NA", "FAILED: Missing Data", "3", 0.0),
    ],
)
def test_matches(form: str, derived: str, reply: str, match: float) -> None:
    assert published_match("MCQ" if form == "MCQ" else "NA", derived, reply) == match


def test_groups_weigh_the_same_whatever_their_size() -> None:
    items = [PublishedItem("MCQ", "size", "easy", "A", "A")] * 9 + [PublishedItem("NA", "size", "hard", "3", "2")]
    found = published_consistency(items)
    assert found.by_group == {("MCQ", "size"): 1.0, ("NA", "size"): 0.4}
    assert found.overall == 0.7
    assert found.by_difficulty == {"easy": 1.0, "hard": 0.4}


def test_undefined_stays_in_the_mean() -> None:
    items = [PublishedItem("MCQ", "size", "easy", "A", "A"), PublishedItem("MCQ", "size", "easy", "A", "FAILED: x")]
    found = published_consistency(items)
    assert (found.overall, found.valid_rate) == (0.5, 0.5)


def test_nothing_gives_nothing() -> None:
    assert published_consistency([]).overall is None
