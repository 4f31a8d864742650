"""Which answer wins, and when nobody can tell."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seeworthy.agent.answers import same_answer
from seeworthy.agent.context import SolverContext
from seeworthy.agent.conversation import Conversation, ask
from seeworthy.agent.profiles import Budget, Profile, profile_named
from seeworthy.agent.records import Answer, PictureWork, PlanStep, Solution
from seeworthy.agent.stages import cross_check
from seeworthy.agent.state import SolverState
from seeworthy.agent.store import MemoryCalls, MemoryPictures
from seeworthy.bench_data.images import Picture
from seeworthy.bench_data.questions import AnswerFormat, AnswerType, Unit
from seeworthy.bench_data.stress import Stress
from seeworthy.tools.models import CoordinateSpace

from .conftest import ScriptedModel

CHOICE = AnswerFormat(answer_type=AnswerType.CHOICE, options={"A": "x", "B": "y", "C": "z"})
COUNT = AnswerFormat(answer_type=AnswerType.NUMBER, unit=Unit.COUNT)
YES_NO = AnswerFormat(answer_type=AnswerType.YES_NO)
METRES = AnswerFormat(answer_type=AnswerType.NUMBER, unit=Unit.METRE)
TEXT = AnswerFormat(answer_type=AnswerType.TEXT)
GREY = Picture(np.full((4, 6, 3), 90, dtype=np.uint8))


def check(
    said: list[tuple[str, object]],
    form: AnswerFormat = CHOICE,
    severity: float = 3.0,
    sure: list[float | None] | None = None,
) -> tuple[Solution, list[str]]:
    """The solution for (view, value) pairs; a value None is a reply without an answer.

    With ``sure``, the logarithm of each reply's probability, sureness decides.
    """
    store = MemoryPictures()
    request = ask("q", [GREY], form, space=CoordinateSpace.PERMILLE)
    step = PlanStep(stress=Stress.HAZE, severity=severity, confidence=1, tools=["t"], reason="")
    work = PictureWork(index=0, original=store.put(GREY), current="f" * 64, size=[6, 4], steps=[step])
    answers = [
        Answer(
            view=view,  # type: ignore[arg-type]
            sample=sum(v == view for v, _ in said[:number]),
            reply_status="ok",
            text=str(value),
            parsed_status="ok" if value is not None else "no_answer",
            value=value,  # type: ignore[arg-type]
            fingerprint=str(number),
            logprob=None if sure is None else sure[number],
        )
        for number, (view, value) in enumerate(said)
    ]
    state: SolverState = {
        "conversation": Conversation.of(request, form, store).plain(),
        "work": [work.plain()],
        "answers": [answer.plain() for answer in answers],
    }
    context = SolverContext(
        model=ScriptedModel(lambda r: ""),
        profile=Profile(name="test") if sure is None else profile_named("surest"),
        budget=Budget(),
        pictures=store,
        calls=MemoryCalls(),
    )
    update = cross_check(state, context)
    events = [event["text"] for event in update["events"]]  # type: ignore[index, union-attr, attr-defined]
    return Solution.model_validate(update["solution"]), events


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ([("original", "A")], "A"),
        ([("both", "A"), ("original", "A"), ("rectified", "A")], "A"),
        ([("both", "B"), ("original", "A"), ("rectified", "B")], "B"),
        ([("both", "A"), ("original", "A"), ("rectified", "B")], "A"),
        ([("both", "B"), ("original", "A"), ("rectified", "A")], "A"),
        ([("both", "A"), ("original", None), ("rectified", "A")], "A"),
        ([("both", "A"), ("original", "B"), ("rectified", "C")], None),
        ([("both", None), ("original", None), ("rectified", "A")], None),
        ([("rectified", "B"), ("original", "A")], None),
        ([("both", "B"), ("original", "A")], None),
        ([("both", "B"), ("original", None)], "B"),
        ([("both", "A"), ("original", "A")], "A"),
        ([("both", None), ("original", None), ("rectified", None)], None),
        ([("original", None)], None),
    ],
)
def test_choices(said: list[tuple[str, object]], value: str | None) -> None:
    solution, _ = check(said)
    assert solution.value == value
    assert solution.outcome == ("answered" if value else "abstained")
    assert 0 <= solution.support <= 1


def test_the_worse_the_picture_the_less_its_own_vote_counts() -> None:
    said: list[tuple[str, object]] = [("both", "B"), ("rectified", "B"), ("original", "A")]
    mild, _ = check(said, severity=1.0)
    severe, _ = check(said, severity=5.0)
    assert (mild.value, severe.value) == ("B", "B")
    assert severe.support > mild.support


def test_numbers_within_a_tenth_agree_and_the_chosen_one_is_a_real_reply() -> None:
    solution, _ = check([("both", 2.0), ("original", 5.0), ("rectified", 2.15)], METRES)
    assert solution.value == 2.0
    assert solution.reason.startswith("both, rectified agree")


def test_texts_that_share_their_words_agree() -> None:
    said = [
        ("both", "a red chair beside the table"),
        ("original", "I cannot see anything"),
        ("rectified", "A red chair, beside a table."),
    ]
    solution, _ = check(said, TEXT)
    assert solution.text == "a red chair beside the table"
    assert solution.support > 0.5


def test_texts_that_differ_pass_on_the_fullest_view_with_its_low_support() -> None:
    solution, _ = check([("both", "a cat"), ("original", "some dog"), ("rectified", "one horse")], TEXT)
    assert (solution.outcome, solution.text) == ("answered", "a cat")
    assert solution.support < 0.5


def test_identical_samples_are_one_vote_and_the_trace_says_why() -> None:
    said: list[tuple[str, object]] = [("original", "A"), ("original", "A"), ("original", "A")]
    others: list[tuple[str, object]] = [("rectified", "B"), ("both", "B")]
    solution, events = check([*said, *others])
    once, _ = check([*said[:1], *others])
    assert solution.value == once.value == "B"
    assert solution.support == pytest.approx(once.support)
    assert any("ignores the temperature" in text for text in events)


def test_samples_share_the_weight_of_their_view() -> None:
    solution, _ = check([("original", "A"), ("original", "B"), ("original", "C"), ("rectified", "B")])
    assert solution.outcome == "answered"
    assert solution.value == "B"
    assert solution.support == pytest.approx((0.8 + 0.7 / 3) / 1.5, abs=1e-4)


@pytest.mark.parametrize(
    ("kind", "one", "other", "same"),
    [
        (AnswerType.YES_NO, True, True, True),
        (AnswerType.YES_NO, True, False, False),
        (AnswerType.NUMBER, 0.0, 0.0, True),
        (AnswerType.NUMBER, 0.0, 0.1, False),
        (AnswerType.NUMBER, -1.0, -1.05, True),
        (AnswerType.NUMBER, 1.0, -1.0, False),
        (AnswerType.NUMBER, {"low": 1.0, "high": 2.0}, {"low": 1.05, "high": 2.0}, True),
        (AnswerType.NUMBER, {"low": 1.0, "high": None}, {"low": 1.0, "high": None}, True),
        (AnswerType.NUMBER, {"low": 1.0, "high": None}, {"low": 1.0, "high": 3.0}, False),
        (AnswerType.NUMBER, {"low": 1.0, "high": 2.0}, 1.0, False),
        (AnswerType.CLOCK, 3, 3, True),
        (AnswerType.CLOCK, 12, 11, False),
        (AnswerType.BOX, [0.0, 0.0, 10.0, 10.0], [1.0, 0.0, 10.0, 10.0], True),
        (AnswerType.BOX, [0.0, 0.0, 10.0, 10.0], [20.0, 0.0, 30.0, 10.0], False),
        (AnswerType.POINT, [10.0, 10.0], [12.0, 10.0], True),
        (AnswerType.POINT, [10.0, 10.0], [40.0, 10.0], False),
        (AnswerType.LIST, [1.0], [1.0, 2.0], False),
        (AnswerType.TEXT, "!!", "!!", True),
        (AnswerType.TEXT, "a", None, False),
    ],
)
def test_when_two_answers_are_the_same(kind: AnswerType, one: object, other: object, same: bool) -> None:
    assert same_answer(kind, one, other, diagonal_px=100.0) is same  # type: ignore[arg-type]


numbers = st.floats(min_value=-1e6, max_value=1e6)


@given(numbers, numbers)
def test_agreement_is_symmetric_and_reflexive(a: float, b: float) -> None:
    assert same_answer(AnswerType.NUMBER, a, a, 1.0)
    assert same_answer(AnswerType.NUMBER, a, b, 1.0) == same_answer(AnswerType.NUMBER, b, a, 1.0)


@given(st.permutations([("both", "A"), ("original", "B"), ("rectified", "B")]))
def test_the_order_in_which_views_answer_does_not_matter(said: list[tuple[str, object]]) -> None:
    reference, _ = check([("both", "A"), ("original", "B"), ("rectified", "B")])
    solution, _ = check(said)
    assert (solution.value, solution.support) == (reference.value, reference.support)


@pytest.mark.parametrize(
    ("said", "sure", "form", "value"),
    [
        ([("rectified", "B"), ("original", "A")], [-0.05, -0.7], CHOICE, "B"),
        ([("rectified", "B"), ("original", "A")], [-0.7, -0.1], CHOICE, "A"),
        # Four fifths sure of the repaired picture is not sure, however little sure of the original.
        ([("rectified", "B"), ("original", "A")], [-0.2, -1.5], CHOICE, "A"),
        ([("rectified", "A"), ("original", "A")], [-0.7, -0.1], CHOICE, "A"),
        ([("rectified", None), ("original", "A")], [-0.1, -2.0], CHOICE, "A"),
        ([("rectified", "B"), ("original", None)], [-2.0, None], CHOICE, "B"),
        ([("rectified", None), ("original", None)], [-0.1, -0.1], CHOICE, None),
        ([("rectified", "B"), ("original", None)], [-2_000.0, None], CHOICE, "B"),
        ([("rectified", True), ("original", False)], [-0.05, -0.01], YES_NO, True),
        ([("rectified", True), ("original", False)], [-0.15, -0.9], YES_NO, False),
        ([("rectified", 3.0), ("original", 2.0)], [-0.9, -0.4], COUNT, 2.0),
        # Two repaired views that agree are no surer than their mean.
        ([("both", "B"), ("rectified", "B"), ("original", "A")], [-0.5, -0.6, -0.4], CHOICE, "A"),
        ([("both", "B"), ("rectified", "B"), ("original", "A")], [-0.01, -0.15, -0.4], CHOICE, "B"),
        ([("both", "B"), ("rectified", "A"), ("original", "A")], [-0.01, -0.3, -0.4], CHOICE, "A"),
        # Samples of the original share one bar where they agree, and none lowers it where they do not.
        ([("original", "A"), ("original", "B"), ("rectified", "C")], [-0.7, -0.7, -0.5], CHOICE, "A"),
        ([("original", "A"), ("original", None), ("rectified", "C")], [-0.7, -0.7, -0.3], CHOICE, "A"),
        ([("original", "A"), ("original", "A"), ("rectified", "C")], [-0.7, -0.7, -0.05], CHOICE, "C"),
        # Of measurements and sentences the wording's probability says nothing.
        ([("rectified", 3.0), ("original", 2.0)], [-3.0, -0.4], METRES, 3.0),
        ([("rectified", None), ("original", 2.0)], [-3.0, -0.4], METRES, 2.0),
        ([("rectified", "a cat"), ("original", "some dog")], [-9.0, -0.4], TEXT, "a cat"),
    ],
)
def test_the_repaired_pictures_answer_is_given_where_the_model_is_sure(
    said: list[tuple[str, object]], sure: list[float | None], form: AnswerFormat, value: object
) -> None:
    solution, _ = check(said, form, sure=sure)
    assert solution.value == value
    assert solution.outcome == ("abstained" if value is None else "answered")
    assert 0 <= solution.support <= 1


@pytest.mark.parametrize(
    ("repaired", "original", "value"),
    [(0.89, 0.5, "B"), (0.91, 0.5, "A"), (0.94, 0.9, "A"), (0.94, 0.999, "B"), (0.96, 0.999, "A")],
)
def test_the_repaired_picture_must_leave_the_model_sure(repaired: float, original: float, value: str) -> None:
    solution, _ = check([("rectified", "A"), ("original", "B")], sure=[math.log(repaired), math.log(original)])
    assert solution.value == value


def test_samples_of_the_repaired_picture_add_up_where_they_agree() -> None:
    said: list[tuple[str, object]] = [("rectified", "A"), ("rectified", "A"), ("rectified", "C"), ("original", "B")]
    torn, _ = check(said, sure=[-0.01, -0.01, -0.01, -0.5])
    assert torn.value == "B"
    sure, _ = check([*said[:2], ("rectified", "A"), said[3]], sure=[-0.01, -0.01, -0.01, -0.5])
    assert sure.value == "A"


def test_a_model_that_does_not_tell_how_sure_it_is_is_weighed_by_trust() -> None:
    agreeing, notes = check([("rectified", "A"), ("original", "A")], sure=[None, -0.1])
    assert (agreeing.value, notes[0]) == ("A", "the model does not tell how sure it is: trust in the views decides")
    differing, _ = check([("rectified", "A"), ("original", "B")], sure=[None, None])
    assert differing.outcome == "abstained"


def test_the_surer_the_model_of_the_repaired_picture_the_greater_its_support() -> None:
    said: list[tuple[str, object]] = [("rectified", "A"), ("original", "B")]
    little, much = (check(said, sure=[repaired, -3.0])[0].support for repaired in (-0.09, -0.001))
    assert 0.5 < little < much < 1


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["both", "original", "rectified"]),
            st.sampled_from(["A", "B", "C", None]),
            st.floats(-1e6, 0.0),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_by_sureness_an_answer_that_was_read_is_always_given(said: list[tuple[str, str | None, float]]) -> None:
    solution, _ = check([one[:2] for one in said], sure=[one[2] for one in said])
    read = {value for _, value, _ in said if value is not None}
    assert (solution.value in read) if read else (solution.value is None)
    assert 0 <= solution.support <= 1 + 1e-9
