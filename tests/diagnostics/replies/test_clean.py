"""Plain text keeps its positions: every span of it can be found again in the text that was given."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seeworthy.diagnostics.replies.clean import MAX_CHARS, clean

VISIBLE = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Ｂ", "B"),
        ("Ⓑ🅱𝐁", "BBB"),
        ("⒝", "b"),
        ("**B**", "  B  "),
        ("“B”", '"B"'),
        ("６′２″", "6'2\""),
        ("٣", "3"),
        ("a\u00a0b\tc", "a b c"),
        (r"\text{B}", "      B "),
        (r"45^\circ", "45     °"),
        (r"45^{\circ}", "45       °"),
        (r"\frac{1}{2}", "      1/ 2 "),
        (r"2 \times 3", "2      × 3"),
        ("<b>B</b>", "   B    "),
        ("B<|im_end|>", "B          "),
        ("−1", "-1"),
        ("【B】，。", "[B],."),
    ],
)
def test_plain_form(text: str, plain: str) -> None:
    assert clean(text).text == plain


@given(VISIBLE)
def test_length_changes_only_by_invisible_characters(text: str) -> None:
    cleaned = clean(text)
    invisible = sum(unicodedata.category(char) == "Cf" for char in text)
    assert len(text) - invisible <= len(cleaned.text) <= len(text)
    assert len(cleaned.lower) == len(cleaned.text)


@given(
    st.lists(st.sampled_from(["a", "B", "9", "\u200b", "\ufeff", "é", "＊"]), max_size=30).map("".join),
    st.integers(0, 7),
)
def test_every_character_is_found_again(text: str, offset: int) -> None:
    cleaned = clean(text, offset)
    kept = [char for char in text if char not in "\u200b\ufeff"]
    assert len(cleaned.text) == len(kept)
    for position, char in enumerate(kept):
        start, end = cleaned.span(position, position + 1)
        assert text[start - offset : end - offset] == char


def test_a_long_text_keeps_both_ends() -> None:
    text = "A" * 10 + "x" * (2 * MAX_CHARS) + "Z" * 10
    cleaned = clean(text)
    assert len(cleaned.text) == MAX_CHARS
    assert cleaned.skipped_middle
    assert cleaned.text.startswith("A" * 10)
    assert cleaned.text.endswith("Z" * 10)
    start, end = cleaned.span(MAX_CHARS - 10, MAX_CHARS)
    assert text[start:end] == "Z" * 10
