"""Letters under every dress, in any set of options, and never a guess."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.replies import Flag, ParseStatus, Rule, parse_choice

TEXTS = (
    "red mug",
    "blue plate",
    "old lamp",
    "grey sofa",
    "tall shelf",
    "round table",
    "white door",
    "small rug",
    "open book",
    "clock",
)
DECLARATIONS = (
    "{}",
    "({})",
    "**{}**",
    "Answer: {}",
    "The answer is {}.",
    "The correct answer is ({}).",
    "I think the answer is {} because of the light.",
    "So the final answer is: {}",
    "<answer>{}</answer>",
    "\\boxed{{{}}}",
    '{{"answer": "{}"}}',
    "答案是{}",
    "I would choose option {}.",
    "Looking at it closely, I pick {}.",
    "It is a hard question.\n\nAnswer: {}",
    "<think>maybe something else</think>{}",
)
WRAPPINGS = ("{}", " {} ", "\n{}\n", "**{}**", "> {}", "`{}`", "\u200b{}", "{}<|im_end|>")


def options(letters: str) -> dict[str, str]:
    return dict(zip(letters, TEXTS, strict=False))


@given(
    st.integers(2, 10).map(lambda count: "ABCDEFGHIJ"[:count]),
    st.data(),
    st.sampled_from(DECLARATIONS),
    st.sampled_from(WRAPPINGS),
)
def test_a_declared_letter_is_read_in_every_form(letters: str, data: st.DataObject, form: str, wrapping: str) -> None:
    letter = data.draw(st.sampled_from(letters))
    reply = wrapping.format(form.format(letter))
    result = parse_choice(reply, options(letters))
    assert result.value == letter
    assert result.span is not None
    assert reply[slice(*result.span)] == letter


@given(
    st.sampled_from("ABCD"),
    st.sampled_from("ABCD"),
    st.sampled_from(DECLARATIONS[3:7]),
    st.sampled_from(DECLARATIONS[3:7]),
)
def test_two_declared_letters_without_revision_are_never_resolved(
    one: str, other: str, first: str, second: str
) -> None:
    result = parse_choice(f"{first.format(one)}\n{second.format(other)}", options("ABCD"))
    if one == other:
        assert result.value == one
    elif "final" in second:
        assert result.value in (other, None)  # a final answer replaces the first one, unless that was final too
    else:
        assert result.status is ParseStatus.AMBIGUOUS
        assert {candidate.value for candidate in result.candidates} == {one, other}


@given(
    st.sampled_from("ABCD"),
    st.sampled_from("ABCD"),
    st.sampled_from(["Wait, ", "Actually, ", "Correction: ", "On second thought, "]),
)
def test_a_revision_lets_the_last_one_stand(one: str, other: str, turn: str) -> None:
    reply = f"The answer is {one}. {turn}the answer is {other}."
    assert parse_choice(reply, options("ABCD")).value == other


@given(st.permutations(list(TEXTS[:4])), st.integers(0, 3))
def test_the_text_of_an_option_names_it_wherever_it_stands(texts: list[str], index: int) -> None:
    choices = dict(zip("ABCD", texts, strict=True))
    for reply in (
        texts[index],
        f"The {texts[index]}.",
        f"It is the {texts[index]}, I believe.",
        f"The answer is the {texts[index]}.",
    ):
        assert parse_choice(reply, choices).value == "ABCD"[index]


@given(st.sampled_from("ABCD"))
def test_a_denial_is_no_answer(letter: str) -> None:
    for count in (2, 4):
        result = parse_choice(f"It is not {letter}.", options("ABCD"[: max(count, "ABCD".index(letter) + 1)]))
        assert result.status is ParseStatus.NO_ANSWER
        assert [(one.value, one.rule) for one in result.candidates] == [(letter, Rule.DENIED)]


@given(st.text(st.sampled_from("?!. \n-*#"), max_size=20))
def test_marks_alone_answer_nothing(reply: str) -> None:
    assert parse_choice(reply, options("ABCD")).status is ParseStatus.NO_ANSWER


@given(st.sampled_from("EFGHJKLMNOP"), st.sampled_from(["{}", "The answer is {}.", "Answer: {}", "\\boxed{{{}}}"]))
def test_a_letter_that_is_no_option_is_invalid(letter: str, form: str) -> None:
    assert parse_choice(form.format(letter), options("ABCD")).status is ParseStatus.INVALID


def test_the_order_of_the_options_is_that_of_the_mapping() -> None:
    assert parse_choice("the second option", {"C": "x", "A": "y"}).value == "A"


@pytest.mark.parametrize("bad", [{}, {"a": "x"}, {"AB": "x"}, {"1": "x"}, {"Ä": "x"}])
def test_options_need_capital_letters(bad: dict[str, str]) -> None:
    with pytest.raises(DiagnosticsError, match="single capitals"):
        parse_choice("A", bad)


@pytest.mark.parametrize(
    "texts", [("", ""), ("same", "same"), ("a", "i"), ("?", "!"), ("(((", "\\d+"), ("x" * 5000, "y"), (" ", "\n")]
)
def test_odd_option_texts_do_no_harm(texts: tuple[str, str]) -> None:
    choices = dict(zip("AB", texts, strict=True))
    assert parse_choice("The answer is B.", choices).value == "B"
    assert parse_choice("nothing here", choices).status is ParseStatus.NO_ANSWER


def test_equal_texts_cannot_be_told_apart() -> None:
    assert parse_choice("the lamp", {"A": "lamp", "B": "lamp"}).status is ParseStatus.NO_ANSWER


def test_both_sides_of_a_label_conflict_are_kept() -> None:
    result = parse_choice("B. red mug", options("ABCD"))
    assert result.status is ParseStatus.AMBIGUOUS
    assert {one.value for one in result.candidates} == {"A", "B"}
    assert Flag.LABEL_TEXT_CONFLICT in result.flags
