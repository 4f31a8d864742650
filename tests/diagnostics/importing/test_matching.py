"""Which item a row answers: by every name it may have, and never against its own words."""

from __future__ import annotations

from pathlib import Path

import pytest

from seeworthy.bench_data.suites import SuiteItem
from seeworthy.diagnostics.importing import OldRow, Place, given_reply
from seeworthy.diagnostics.importing.matching import match_rows

from .making import items_in


@pytest.fixture
def items(tmp_path: Path) -> list[SuiteItem]:
    return items_in(tmp_path, conditions=("clean", "haze"))


def row(line: int = 1, **how: object) -> OldRow:
    return OldRow(place=Place("f", line), replies=(given_reply("B"),), **how)  # type: ignore[arg-type]


def outcome(one: OldRow, items: list[SuiteItem]) -> str:
    """The item's id, or why there is none."""
    matched, lost = match_rows([one], items)
    return matched[0].item.id if matched else lost[0].reason


@pytest.mark.parametrize(
    ("how", "wanted"),
    [
        ({"ids": ("q1@haze",)}, "q1@haze"),
        ({"ids": ("gone", "q1@haze")}, "q1@haze"),
        ({"ids": ("gone",)}, "no item has its id"),
        ({"ids": ("q1@haze",), "question": "Look.\n  QUESTION 1?\nA. the lamp"}, "q1@haze"),
        ({"ids": ("q1@haze",), "question": "Question 2?"}, "its item asks another question"),
        ({"ids": ("q1@haze",), "target": "B"}, "q1@haze"),
        ({"ids": ("q1@haze",), "target": "A"}, "its item has another answer"),
        # An index, as some tasks have it, contradicts nothing.
        ({"ids": ("q1@haze",), "target": "1"}, "q1@haze"),
        ({"ids": ("q3@clean",), "target": "2.004"}, "q3@clean"),
        ({"ids": ("q3@clean",), "target": "2.1"}, "its item has another answer"),
        ({"asked_as": ("q2", "haze")}, "q2@haze"),
        ({"asked_as": ("q2", "rain")}, "no item has its id"),
        ({"position": 5, "question": "Question 1?"}, "q1@haze"),
        ({"position": 5}, "rows are counted, and nothing in the row proves which one is meant"),
        ({"position": 5, "question": "Question 3?"}, "rows are counted, and the data comes in another order"),
        ({"position": 8, "question": "Question 3?"}, "rows are counted, and the data comes in another order"),
        ({}, "no item has its id"),
    ],
)
def test_one_row(items: list[SuiteItem], how: dict[str, object], wanted: str) -> None:
    assert outcome(row(**how), items) == wanted


def test_one_contradiction_is_enough_to_distrust_all_counted_rows(items: list[SuiteItem]) -> None:
    good = [row(place + 1, position=place, question=item.text) for place, item in enumerate(items)]
    assert [one.item.id for one in match_rows(good, items)[0]] == [item.id for item in items]
    bad = row(99, position=0, question="Question 3?")
    named = row(100, ids=("q0@clean",), question="Question 0?")
    matched, lost = match_rows([*good, bad, named], items)
    assert [one.item.id for one in matched] == ["q0@clean"]
    assert len(lost) == len(good) + 1
    assert {one.detail for one in lost} == {"f line 99: its item asks another question"}


def test_numbers_that_a_table_has_changed(tmp_path: Path) -> None:
    from dataclasses import replace

    items = [replace(item, id=name) for item, name in zip(items_in(tmp_path), ("007", "8", "009", "9"), strict=True)]
    assert outcome(row(ids=("7",)), items) == "007"
    assert outcome(row(ids=("8.0",)), items) == "8"
    assert outcome(row(ids=("9",)), items) == "9"
    assert outcome(row(ids=("0009",)), items) == "several items could be meant"
