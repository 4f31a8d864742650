"""Which claims stand: repetition, revision, final words, denial, withdrawal, doubt, and a cut."""

import pytest

from seeworthy.diagnostics.replies import Flag, ParseStatus, Rule
from seeworthy.diagnostics.replies.claims import MAX_STANDING, Claim, conclude, settle
from seeworthy.diagnostics.replies.clean import clean


def claims(text: str, *marks: str) -> list[Claim[str]]:
    """Marks such as "A", "A!" (final), "A?" (weak) and "A-" (denied), one for each capital of the text, in order."""
    found, at = [], 0
    for mark in marks:
        at = text.index(mark[0], at)
        found.append(
            Claim(
                mark[0],
                at,
                at + 1,
                Rule.DECLARED,
                final=mark.endswith("!"),
                weak=mark.endswith("?"),
                denied=mark.endswith("-"),
            )
        )
        at += 1
    return found


@pytest.mark.parametrize(
    ("text", "marks", "standing"),
    [
        ("A", ["A"], "A"),
        ("A and A", ["A", "A"], "A"),
        ("A then B", ["A", "B"], "AB"),
        ("A. wait, B", ["A", "B"], "B"),
        ("A. B!", ["A", "B!"], "B"),
        ("A! B!", ["A!", "B!"], "AB"),
        ("A! then B", ["A!", "B"], "AB"),
        ("A! actually B", ["A!", "B"], "B"),
        ("A. not A. B", ["A", "A-", "B"], "B"),
        ("not A", ["A-"], ""),
        ("A. B. actually C", ["A", "B", "C"], "C"),
        ("A? B", ["A?", "B"], "B"),
        ("A? B?", ["A?", "B?"], "AB"),
        ("A? alone", ["A?"], "A"),
        ("A. that is wrong.", ["A"], ""),
        ("A. no, that's not right. B", ["A", "B"], "B"),
        ("A. that is right.", ["A"], "A"),
        ("A. wait, B. wait, A", ["A", "B", "A"], "A"),
    ],
)
def test_settle(text: str, marks: list[str], standing: str) -> None:
    assert "".join(claim.value for claim in settle(claims(text, *marks), text.lower())) == standing


def test_the_order_of_the_list_does_not_matter() -> None:
    text = "A. wait, B"
    assert [one.value for one in settle(reversed(claims(text, "A", "B")), text.lower())] == ["B"]


def test_more_conflicts_than_are_kept_never_become_certain() -> None:
    many = [Claim(str(number), number, number + 1, Rule.DECLARED) for number in range(MAX_STANDING + 5)]
    denials = [Claim(str(number), 100 + number, 101 + number, Rule.DENIED, denied=True) for number in range(1, 40)]
    assert len(settle([*many, *denials], "x" * 200)) > 1


def test_equal_by_a_measure_of_ones_own() -> None:
    one, other = Claim(1.0, 0, 1, Rule.DECLARED), Claim(1.0000001, 5, 6, Rule.DECLARED)
    assert len(settle([one, other], "x" * 9)) == 2
    assert len(settle([one, other], "x" * 9, lambda a, b: abs(a - b) < 1e-3)) == 1


@pytest.mark.parametrize(
    ("text", "cut", "status"),
    [
        ("A", False, ParseStatus.OK),
        ("A because", False, ParseStatus.OK),
        ("A", True, ParseStatus.TRUNCATED),
        ("A  \n", True, ParseStatus.TRUNCATED),
        ("A because", True, ParseStatus.OK),
        ("A because. wait, let me", True, ParseStatus.TRUNCATED),
    ],
)
def test_an_answer_in_a_cut_reply_needs_something_after_it(text: str, cut: bool, status: ParseStatus) -> None:
    result = conclude(claims(text, "A"), clean(text), cut=cut)
    assert result is not None
    assert result.status is status
    assert (Flag.ANSWER_BEFORE_CUT in result.flags) == (cut and status is ParseStatus.OK)
    if status is ParseStatus.TRUNCATED:
        assert [one.value for one in result.candidates] == ["A"]


def test_nothing_stands() -> None:
    assert conclude([], clean("x")) is None


def test_an_ambiguity_keeps_both_sides_with_their_places() -> None:
    result = conclude(claims("A, B", "A", "B"), clean("A, B"))
    assert result is not None
    assert result.status is ParseStatus.AMBIGUOUS
    assert [(one.value, one.span) for one in result.candidates] == [("A", (0, 1)), ("B", (3, 4))]
