"""Coverage, agreement, outcomes and the ceiling on cases worked out by hand, and laws that always hold."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seeworthy.bench_data.questions import AnswerType
from seeworthy.diagnostics.consistency import Compared, Outcome, consistency, outcome_of
from seeworthy.diagnostics.derive.derived import Derived, Status
from seeworthy.diagnostics.errors import DiagnosticsError
from tests.diagnostics.asked import choice, number, of_type, yes_no
from tests.diagnostics.consistency.compare import compared, determined

ABC = ("a", "b", "c")
AMBIGUOUS = Derived(status=Status.AMBIGUOUS, possible=("a", "b"), reason="both fit")
OPEN = Derived(status=Status.AMBIGUOUS, interval=(1.0, 2.0), reason="a range")
UNDEFINED = Derived(status=Status.UNDEFINED, reason="no such object")


@pytest.mark.parametrize(
    ("item", "outcome"),
    [
        (compared(choice("a", ABC), "a", "a"), Outcome.BOTH_RIGHT),
        (compared(choice("a", ABC), "a", "b"), Outcome.ONLY_DIRECT_RIGHT),
        (compared(choice("a", ABC), "b", "a"), Outcome.ONLY_DERIVED_RIGHT),
        (compared(choice("a", ABC), "b", "b"), Outcome.SAME_WRONG),
        (compared(choice("a", ABC), "b", "c"), Outcome.DIFFERENT_WRONG),
        (compared(choice("a", ABC), None, "c"), None),
        (compared(choice("a", ABC), "b", None), None),
        (compared(choice("a", ABC), "b", AMBIGUOUS), None),
        (compared(number(4.0), 4.4, 3.7), Outcome.BOTH_RIGHT),
        (compared(number(4.0), 1.0, 1.05), Outcome.SAME_WRONG),
        (compared(number(4.0), 1.0, 2.0), Outcome.DIFFERENT_WRONG),
        # within 10 % of the truth on both sides is right, not a shared hallucination, as the published code has it
        (compared(number(10.0), 9.0, 9.0), Outcome.BOTH_RIGHT),
    ],
)
def test_outcomes(item: Compared, outcome: Outcome | None) -> None:
    assert outcome_of(item) is outcome


def test_a_worked_example() -> None:
    items = [
        compared(choice("a", ABC, name="1"), "a", "a", picture="x", ceiling=determined("a")),
        compared(choice("a", ABC, name="2"), "b", "b", picture="x", ceiling=determined("a")),
        compared(choice("a", ABC, name="3"), "b", "c", picture="y", ceiling=AMBIGUOUS),
        compared(choice("a", ABC, name="4"), "a", "c", picture="y", ceiling=determined("b")),
        compared(choice("a", ABC, name="5"), "b", AMBIGUOUS, picture="z"),
        compared(choice("a", ABC, name="6"), "c", AMBIGUOUS, picture="z"),
        compared(number(1.5, name="7"), 1.4, OPEN, picture="z"),
        compared(choice("a", ABC, name="8"), None, "a", picture="z"),
        compared(choice("a", ABC, name="9"), "a", UNDEFINED, picture="z"),
        compared(choice("a", ABC, name="10"), "a", None, picture="z"),
        compared(of_type(AnswerType.POINT, (1.0, 1.0)), (1.0, 1.0), None),
    ]
    report = consistency(items, seed=0, resamples=200)
    assert (report.questions, report.not_comparable, report.answered, report.compared) == (10, 1, 9, 4)
    assert (report.determined, report.ambiguous, report.undefined, report.no_graph) == (5, 3, 1, 1)
    assert report.coverage.estimate == 0.4
    assert report.agreement is not None and report.agreement.estimate == 0.5
    # marginals a 2, b 2 and a 1, b 1, c 2: (2 + 2 + 0) / 16
    assert report.chance == pytest.approx(0.25)
    assert report.kappa is not None and report.kappa.estimate == pytest.approx((0.5 - 0.25) / 0.75)
    assert report.compatible == pytest.approx(2 / 3)  # b and 1.4 m are allowed, c is not
    assert [report.outcomes[outcome] for outcome in Outcome] == [1, 1, 0, 1, 1]
    assert (report.shared_errors.both_wrong, report.shared_errors.same) == (2, 1)
    assert report.shared_errors.expected == 1.0
    assert report.shared_errors.excess is not None and report.shared_errors.excess.estimate == 0
    assert report.ceiling is not None
    assert (report.ceiling.questions, report.ceiling.determined, report.ceiling.right) == (
        4,
        0.75,
        pytest.approx(2 / 3),
    )
    assert report.ceiling.overall == pytest.approx(0.5)


def test_yes_or_no_says_nothing_about_shared_errors() -> None:
    report = consistency([compared(yes_no(True), False, False)] * 5, seed=0, resamples=100)
    assert report.outcomes[Outcome.SAME_WRONG] == 5
    assert report.shared_errors.questions == 0 and report.shared_errors.excess is None


def test_nothing_compared_is_said_and_not_invented() -> None:
    report = consistency([compared(yes_no(True), None, None)], seed=0, resamples=100)
    assert report.agreement is None and report.kappa is None and report.chance is None
    assert report.coverage.estimate == 0
    with pytest.raises(DiagnosticsError, match="at least one"):
        consistency([], seed=0)


def test_two_right_routes_agree_beyond_chance_only_if_the_truth_varies() -> None:
    always = [compared(yes_no(True, name=str(n)), True, True) for n in range(10)]
    report = consistency(always, seed=0, resamples=100)
    assert report.agreement is not None and report.agreement.estimate == 1
    assert report.kappa is None  # "yes" every time: a stuck pair would do the same


answers = st.sampled_from(ABC)
rows = st.tuples(answers, st.none() | answers, st.none() | answers, st.sampled_from("xyz"))


@settings(max_examples=40, deadline=None)
@given(st.lists(rows, min_size=1, max_size=25))
def test_laws(drawn: list[tuple[str, str | None, str | None, str]]) -> None:
    items = [compared(choice(t, ABC, name=str(n)), a, b, picture=p) for n, (t, a, b, p) in enumerate(drawn)]
    swapped = [compared(choice(t, ABC, name=str(n)), b, a, picture=p) for n, (t, a, b, p) in enumerate(drawn)]
    one, other = consistency(items, seed=0, resamples=100), consistency(swapped, seed=0, resamples=100)
    assert sum(one.outcomes.values()) == one.compared == other.compared
    assert one.outcomes[Outcome.ONLY_DIRECT_RIGHT] == other.outcomes[Outcome.ONLY_DERIVED_RIGHT]
    assert (one.kappa is None) == (other.kappa is None)
    if one.kappa is not None and other.kappa is not None:
        assert one.kappa.estimate == pytest.approx(other.kappa.estimate)
        assert one.kappa.estimate <= 1 + 1e-12
    assert one == consistency(items, seed=0, resamples=100)
    assert sum(group.questions for group in one.groups) == one.questions
