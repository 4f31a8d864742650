"""Options that name things, marked right or wrong."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from transformers import PreTrainedTokenizerFast

from seeworthy.diagnostics.nano.choices import NONE, RIGHT, WRONG, choice_loss, choice_scores
from seeworthy.diagnostics.nano.lessons import Lesson
from seeworthy.diagnostics.nano.packing import Speller, Spoken
from seeworthy.diagnostics.nano.tokenizer import build_tokenizer

_WORDS = "Which is nearer object the and or not as far sofa green stool table A B C yes no Is left of Reply What number"


@pytest.fixture(scope="module")
def speller() -> Speller:
    tokenizer: PreTrainedTokenizerFast = build_tokenizer([], [], [_WORDS])
    return Speller(tokenizer)


def marked(spoken: Spoken) -> list[int]:
    return [one for one in spoken.chosen.tolist() if one != NONE]


@pytest.mark.parametrize(
    ("prompt", "answer", "expected"),
    [
        ("Which is nearer: object 3 or object 5?\n\nA. object 5\nB. object 3", "object 3", [WRONG, RIGHT]),
        (
            "Which is nearer: the sofa or the stool?\n\nA. the sofa\nB. the stool\n\nReply",
            "the sofa",
            [RIGHT, WRONG],
        ),
        ("Which?\n\nA. the green stool\nB. the stool", "the green stool", [RIGHT, WRONG]),
        ("Is object 3 left of object 5?\n\nA. yes\nB. no", "yes", []),
        ("Is object 3 left of object 5?", "no", []),
        ("Which number is on the sofa?", "3", []),
        ("Which?\n\nA. object 3, object 5\nB. object 5, object 3", "object 5, object 3", []),
        ("Which?\n\nA. object 3\nB. about the same\nC. object 5", "about the same", []),
    ],
)
def test_names_in_options_are_right_or_wrong(speller: Speller, prompt: str, answer: str, expected: list[int]) -> None:
    assert marked(speller.spoken(Lesson("kind", prompt, answer))) == expected


def test_marks_stand_at_the_words_that_name_things(speller: Speller) -> None:
    spoken = speller.spoken(Lesson("kind", "object 5?\n\nA. object 5\nB. object 3", "object 3"))
    [wrong] = np.flatnonzero(spoken.chosen == WRONG)
    [right] = np.flatnonzero(spoken.chosen == RIGHT)
    assert spoken.mentions[[wrong, right]].tolist() == [5, 3]
    assert right < spoken.answer


def test_loss_and_score_prefer_the_right_option() -> None:
    chosen = torch.tensor([RIGHT, WRONG, WRONG])
    good, bad = torch.tensor([[9.0], [-9.0], [-9.0]]), torch.tensor([[-9.0], [9.0], [-9.0]])
    assert float(choice_loss(good, chosen)) < 0.01 < float(choice_loss(bad, chosen))
    assert choice_scores(good, chosen) == {"choice": 1.0}
    assert choice_scores(bad, chosen)["choice"] == pytest.approx(1 / 3)


def test_without_options_there_is_nothing_to_lose() -> None:
    told = torch.zeros(0, 1, requires_grad=True)
    loss = choice_loss(told, torch.zeros(0, dtype=torch.long))
    loss.backward()  # type: ignore[no-untyped-call]
    assert float(loss.detach()) == 0.0
