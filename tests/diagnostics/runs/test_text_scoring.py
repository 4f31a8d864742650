"""Short texts are right when they say what a reference says; sentences stay unscored, and the results say why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seeworthy.bench_data.questions import AnswerFormat, AnswerType
from seeworthy.diagnostics.runs import RunFolder, run_results
from seeworthy.diagnostics.runs.text_scoring import comparable_references, same_text

from .small_runs import CountedModel, planned, run_in, small_items, table_in, written

TEXT = AnswerFormat(answer_type=AnswerType.TEXT)


@pytest.mark.parametrize(
    ("said", "reference", "same"),
    [
        ("red mug", "red mug", True),
        ("  The RED, mug!", "a red mug", True),
        ("red  mug", "red\tmug", True),
        ("mug", "red mug", False),
        ("a red mug and a cup", "red mug", False),
        ("theatre", "atre", False),
        ("3.5", "3.5", True),
        ("3.5", "35", False),
        ("-3", "3", False),
        ("3.", "3", True),
        ("ｍｕｇ", "mug", True),
        ("STRASSE", "straße", True),
        ("well-lit room", "well lit room", True),
        ("椅子", "椅子。", True),
        ("", "red mug", False),
    ],
)
def test_what_says_the_same(said: str, reference: str, same: bool) -> None:
    assert same_text(said, (reference,)) is same


@pytest.mark.parametrize(
    ("truth", "references"),
    [
        ("a red mug", ("a red mug",)),
        ("['a red mug', 'cup']", ("a red mug", "cup")),
        ('["a red mug"]', ("a red mug",)),
        ("[unfinished", ("[unfinished",)),
        ("[]", ()),
        ("...", ()),
        ("The taller of the two buildings stands on the left side of the road.", ()),
        ("['yes', 'It is certainly the case that the mug stands on the table']", ("yes",)),
    ],
)
def test_which_references_can_be_compared(truth: str, references: tuple[str, ...]) -> None:
    assert comparable_references(truth) == references


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_texts_can_be_compared_and_the_order_plays_no_role(one: str, other: str) -> None:
    assert same_text(one, (one,))
    assert same_text(one, (other,)) == same_text(other, (one,))
    comparable_references(one)


async def test_results_count_what_is_unscored_and_why(tmp_path: Path) -> None:
    items = small_items(tmp_path / "suite", questions=4)
    sentence = "It is the tall lamp that stands behind the sofa in the corner."
    changed = [
        replace(items[0], answer_format=TEXT, truth="the sofa"),
        replace(items[1], answer_format=TEXT, truth=sentence),
        replace(items[2], answer_format=TEXT, truth=None),
        replace(items[3], answer_format=TEXT, truth="a lamp"),
    ]
    suite = written(tmp_path / "suite", [replace(item, kind="name it") for item in changed])
    model = CountedModel(lambda request: "Sofa.")
    await run_in(tmp_path / "run", planned(suite, [model.arm]), [model.arm])
    group = run_results(RunFolder(tmp_path / "run")).groups[-1]
    assert (group.n, group.scored, group.unscored) == (4, 2, 2)
    assert group.score is not None and group.score.estimate == 0.5
    assert group.unscored_because == {
        "the reference answer is a sentence, which can be said in many ways": 1,
        "the suite withholds the answer": 1,
    }
    table = table_in(tmp_path / "run")
    assert "1 unscored: the suite withholds the answer" in table
