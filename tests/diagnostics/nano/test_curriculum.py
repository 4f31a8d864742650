"""Every kind that the curriculum names exists, and what the models claim is practised more than what they do not."""

from __future__ import annotations

import pytest

from seeworthy.bench_data.questions import QUESTION_SUITES
from seeworthy.diagnostics.nano import curriculum
from seeworthy.diagnostics.nano.claims import CLAIMED_KINDS
from seeworthy.diagnostics.nano.curriculum import OF_ALL_THINGS, picture_weight
from seeworthy.diagnostics.nano.lessons import GRAPH_KIND


@pytest.mark.parametrize("name", sorted({*curriculum._WEIGHTS, *curriculum._OF_PICTURES, *OF_ALL_THINGS}))
def test_every_kind_named_is_one_of_its_suite(name: str) -> None:
    suite, _, kind = name.partition("/")
    assert name == GRAPH_KIND or suite == "naming" or kind in QUESTION_SUITES.get(suite).kinds


def test_what_is_claimed_is_practised_more_often_than_its_like_that_is_not() -> None:
    for claimed, other in [
        ("open3dvqa/left_choice", "open3dvqa/above_choice"),
        ("open3dvqa/right_tfqa", "open3dvqa/below_tfqa"),
        ("crisp/nearer_camera", "crisp/nearer_anchor"),
        ("spacedg/object_counting.visible_count", "crisp/count_within"),
    ]:
        assert claimed in CLAIMED_KINDS and other not in CLAIMED_KINDS
        assert picture_weight(claimed) > 2 * picture_weight(other) > 0
