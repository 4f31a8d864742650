"""Words that name things, and what the picture says of these things."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from transformers import PreTrainedTokenizerFast

from seeworthy.bench_data.scenes.procedural import ROOM_CATEGORIES
from seeworthy.diagnostics.nano.mentions import Mentions, mention_loss, mention_scores, things_of
from seeworthy.diagnostics.nano.symbols import COLOURS, GRID, GROUPS, SYMBOLS
from seeworthy.diagnostics.nano.tokenizer import build_tokenizer

_SOFA, _STOOL = ROOM_CATEGORIES.index("sofa"), ROOM_CATEGORIES.index("stool")


@pytest.fixture(scope="module")
def tokenizer() -> PreTrainedTokenizerFast:
    return build_tokenizer([], [], ["Is the object left of and metres or within in"])


def codes(tokenizer: PreTrainedTokenizerFast, text: str) -> list[int]:
    ids = np.array(tokenizer(text, add_special_tokens=False)["input_ids"], dtype=np.int64)
    return [code for code in Mentions(tokenizer).codes(ids).tolist() if code]


def code_of(category: int, colour: str | None = None) -> int:
    return 13 + category * (len(COLOURS) + 1) + (0 if colour is None else COLOURS.index(colour) + 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Is object 3 left of object 12?", [3, 12]),
        ("3 metres", []),
        ("within 3 metres of object 3", [3]),
        ('{"objects": [{"id": 4, "distance_to_camera": 3.1}, {"id": 7, "distance_to_camera": 2', [4, 7]),
        ('}], "edges": [{"from": 4, "to": 7, "distance": 4, "relations": ["left"]}, {"from": 5, "to": 2', [4, 7, 5, 2]),
        ("the sofa or the sofas", [code_of(_SOFA), code_of(_SOFA)]),
        ("the green stool and the stool", [code_of(_STOOL, "green"), code_of(_STOOL)]),
        ("object 13", []),
        ("", []),
    ],
)
def test_words_that_name_things(tokenizer: PreTrainedTokenizerFast, text: str, expected: list[int]) -> None:
    assert codes(tokenizer, text) == expected


def picture() -> torch.Tensor:
    """A green stool on the left with a 3 on one patch, a red one on the right, and no sofa."""
    symbols = torch.zeros(1, GRID * GRID, SYMBOLS)
    for patches, colour, place in ((range(4), "green", 2), (range(8, 10), "red", 20)):
        for patch in patches:
            symbols[0, patch, GROUPS["owner"].start + _STOOL] = 1
            symbols[0, patch, GROUPS["colour"].start + COLOURS.index(colour)] = 1
            symbols[0, patch, GROUPS["right"].start + place] = 1
    symbols[0, 1, GROUPS["mark"].start + 3] = 1
    return symbols


def told(category: int, place: int, *, there: bool = True) -> torch.Tensor:
    """What a head says that is sure of a thing."""
    logits = torch.full((SYMBOLS + 1,), -20.0)
    logits[GROUPS["owner"].start + category] = 20
    logits[GROUPS["right"].start + place] = 20
    logits[-1] = 20 if there else -20
    return logits


def place_loss(code: int, place: int) -> float:
    things = things_of(torch.tensor([code]), torch.tensor([0]), picture())
    return float(mention_loss(told(_STOOL, place)[None], things))


def test_a_number_stands_for_the_thing_that_carries_it() -> None:
    assert place_loss(3, 2) < place_loss(3, 20)


@pytest.mark.parametrize(("colour", "right", "wrong"), [("green", 2, 20), ("red", 20, 2)])
def test_a_colour_tells_things_of_a_kind_apart(colour: str, right: int, wrong: int) -> None:
    code = code_of(_STOOL, colour)
    assert place_loss(code, right) < place_loss(code, wrong)


def test_what_is_not_there_is_told_to_be_missing_and_no_more() -> None:
    things = things_of(torch.tensor([code_of(_SOFA)]), torch.tensor([0]), picture())
    missing = [mention_loss(told(_SOFA, place, there=False)[None], things) for place in (2, 20)]
    assert float(missing[0]) == pytest.approx(float(missing[1]))
    assert float(mention_loss(told(_SOFA, 2)[None], things)) > float(missing[0]) + 5


def test_scores_count_words() -> None:
    both = torch.stack([told(_STOOL, 2), told(_STOOL, 2)])
    mentioned = torch.tensor([code_of(_STOOL, "green"), code_of(_STOOL, "red")])
    scores = mention_scores(both, things_of(mentioned, torch.tensor([0, 0]), picture()))
    assert scores["mention right"] == 0.5
    assert scores["mention owner"] == scores["mention found"] == 1.0
