"""Reasoning blocks: split once, positions kept, tags of one's own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seeworthy.diagnostics.replies import DEFAULT_TAGS, split_reasoning


@pytest.mark.parametrize(
    ("text", "visible", "reasoning", "unclosed"),
    [
        ("C", "C", None, False),
        ("<think>A? no.</think>\nC", "\nC", "A? no.", False),
        ("A? no.</think>\nC", "\nC", "A? no.", False),
        ("<think>A", "", "A", True),
        ("<think>B</think>", "", "B", False),
        ("B <think>why</think>", "B ", "why", False),
        ("A <think>no</think> C", " C", "no", False),
        ("<think>a</think> B <think>b</think>\n", " B ", "a\nb", False),
        ("<think>a<think>b</think>c</think>C", "C", "a<think>b\nc", False),
        ("B. <think>hm", "B. ", "hm", True),
        ("use `<think>` here", "use `<think>` here", None, False),
        ("C\n```\n<think>\n```\n", "C\n```\n<think>\n```\n", None, False),
        ("<think>`x` <b>```py</think>C", "C", "`x` <b>```py", False),
        ("<THINK>a</Think>C", "C", "a", False),
        ("[THINK]a[/THINK]C", "C", "a", False),
        ("◁think▷a◁/think▷C", "C", "a", False),
        ("", "", None, False),
    ],
)
def test_split(text: str, visible: str, reasoning: str | None, unclosed: bool) -> None:
    split = split_reasoning(text)
    assert (split.visible, split.reasoning, split.unclosed) == (visible, reasoning, unclosed)


def test_tags_of_ones_own_replace_the_default_ones() -> None:
    split = split_reasoning("{{A}}<think>B</think>", tags=[("{{", "}}")])
    assert (split.visible, split.reasoning) == ("<think>B</think>", "A")


@given(
    st.lists(st.sampled_from(["<think>", "</think>", "`", "```\n", "A", "answer ", "\n", " "]), max_size=12).map(
        "".join
    )
)
def test_the_visible_part_stands_where_it_says(text: str) -> None:
    split = split_reasoning(text)
    assert text[split.offset : split.offset + len(split.visible)] == split.visible
    if split.reasoning is None:
        assert split.visible == text


@given(st.sampled_from(DEFAULT_TAGS), st.text(alphabet="abc \n?", max_size=20), st.text(alphabet="xyz \n", max_size=20))
def test_every_default_pair_splits(tags: tuple[str, str], thought: str, said: str) -> None:
    split = split_reasoning(f"{tags[0]}{thought}{tags[1]}{said}")
    assert split.visible.strip() == said.strip()
    assert split.reasoning == thought


def test_many_quoted_tags_are_read_once() -> None:
    text = "C is quoted: " + "`<think>` " * 20_000
    assert split_reasoning(text).visible == text
