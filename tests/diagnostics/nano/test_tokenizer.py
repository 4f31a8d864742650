"""The word-level tokenizer with phrases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.nano.answers import NUMBER_WORDS, graph_words
from seeworthy.diagnostics.nano.tokenizer import build_tokenizer, graph_lines_of, phrases_of, token_id
from seeworthy.diagnostics.scene_graph import SceneEdge, SceneGraph, SceneObject

_QUESTIONS = [
    "Is object {} to the left of object {}?\n\nReply with yes or no.",
    "Compare the {} with the potted plant: which of them is farther to the back?\n\nA. the {}\nB. the potted plant",
]
_NAMES = ["the green stool", "the potted plant", "the sofa"]


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return [
        *(_QUESTIONS[0].format(a, b) for a in range(1, 8) for b in range(1, 8)),
        *(_QUESTIONS[1].format(name[4:], name[4:]) for name in _NAMES for _ in range(15)),
    ]


@pytest.fixture(scope="module")
def tokenizer(texts: list[str]) -> PreTrainedTokenizerFast:
    return build_tokenizer(phrases_of(texts, _NAMES), [], [*texts, "At what o'clock is the clock?"])


def test_phrases_are_what_stands_between_names_and_numbers(texts: list[str]) -> None:
    assert phrases_of(texts, _NAMES) == [
        "Reply with yes or no.",
        "to the left of",
        "which of them is farther to the back?",
    ]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Is object 3 to the left of object 12?", ["Is", "object", "3", "to the left of", "object", "12", "?"]),
        ("the green stool", ["the", "green", "stool"]),
        ("two potted plants", ["<unk>", "potted plants"]),
        ("2.3, 0.45", ["2.3", ",", "0.45"]),
        ("12 o'clock", ["12", "o'clock"]),
        ("the clock", ["the", "clock"]),
        ("Reply with yes or no.", ["Reply with yes or no."]),
        ("", []),
        ("日本", ["<unk>", "<unk>"]),
    ],
)
def test_texts_fall_into_words_and_phrases(tokenizer: PreTrainedTokenizerFast, text: str, tokens: list[str]) -> None:
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    assert [tokenizer.decode([one]) for one in ids] == tokens


def test_every_number_is_one_token(tokenizer: PreTrainedTokenizerFast) -> None:
    for word in NUMBER_WORDS:
        assert tokenizer(word, add_special_tokens=False)["input_ids"] == [token_id(tokenizer, word)]


def test_it_is_the_same_after_saving(tokenizer: PreTrainedTokenizerFast, texts: list[str], tmp_path: Path) -> None:
    tokenizer.save_pretrained(tmp_path)
    again = AutoTokenizer.from_pretrained(tmp_path)
    assert [again(text)["input_ids"] for text in texts] == [tokenizer(text)["input_ids"] for text in texts]


def test_lines_of_graph_prompts_are_cut_at_their_numbers() -> None:
    prompts = [
        f"Marked: {ids}.\nThe same line for all.\nOne edge from object {ids[0]} to each." for ids in ("1, 2", "3")
    ]
    lines = graph_lines_of(prompts)
    assert "The same line for all." in lines
    assert "One edge from object" in lines
    assert not any(character.isdigit() for line in lines for character in line)


def test_an_unknown_token_is_named(tokenizer: PreTrainedTokenizerFast) -> None:
    with pytest.raises(DiagnosticsError, match="no token 'zebra'"):
        token_id(tokenizer, "zebra")


@given(st.data())
def test_a_graph_has_ten_tokens_an_object_and_six_an_edge_and_reads_back(
    tokenizer: PreTrainedTokenizerFast, data: st.DataObject
) -> None:
    ids = data.draw(st.lists(st.integers(1, 12), min_size=2, max_size=12, unique=True))
    length = st.floats(0.02, 9)
    sided = st.tuples(*(st.sampled_from([None, *pair]) for pair in (("left", "right"), ("above", "below"))))
    graph = SceneGraph(
        objects=tuple(
            SceneObject(id=one, distance_to_camera_m=data.draw(length), length_m=2.0, width_m=0.5, height_m=1.0)
            for one in ids
        ),
        edges=tuple(
            SceneEdge(
                source=ids[0],
                target=other,
                distance_m=data.draw(length),
                relations=tuple(word for word in data.draw(sided) if word),
            )
            for other in ids[1:]
        ),
        centre=ids[0],
    )
    words = graph_words(graph)
    tokens = tokenizer(words, add_special_tokens=False)["input_ids"]
    assert tokenizer.unk_token_id not in tokens
    assert len(tokens) == 10 * len(ids) + 6 * (len(ids) - 1) + 1
    assert json.loads(tokenizer.decode(tokens)) == json.loads(words)
