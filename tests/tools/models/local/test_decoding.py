"""Per-row sampling draws from the right distribution, and rows end by their own limits only."""

from __future__ import annotations

import math
import threading

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
from scipy import stats

from seeworthy.tools.models.local.decoding import RowLimits, RowSampler, RowStopper

LOGITS = torch.tensor([1.0, 0.0, -1.0, 2.5, -math.inf, 0.3])


def draw(seed: int, count: int, logits: torch.Tensor = LOGITS) -> list[int]:
    sampler = RowSampler([seed])
    return [int(sampler(torch.zeros(1, 1, dtype=torch.long), logits[None])[0].argmax()) for _ in range(count)]


def test_draws_follow_the_softmax() -> None:
    """Against the chi-squared distribution, not against the same trick."""
    count = 6000
    counts = torch.bincount(torch.tensor(draw(0, count)), minlength=len(LOGITS))
    possible = torch.isfinite(LOGITS)
    assert counts[~possible].sum() == 0
    expected = torch.softmax(LOGITS, 0)[possible].double() * count
    expected *= count / expected.sum()
    assert stats.chisquare(counts[possible].double().numpy(), expected.numpy()).pvalue > 1e-3


def test_a_row_draws_the_same_alone_and_in_company() -> None:
    logits = torch.randn(5, 40, generator=torch.Generator().manual_seed(1))
    ids = torch.zeros(5, 1, dtype=torch.long)
    together = RowSampler([10, 11, 12, 13, 14])
    alone = [RowSampler([10 + row]) for row in range(5)]
    for _ in range(3):
        batch = together(ids, logits)
        for row in range(5):
            assert torch.equal(batch[row], alone[row](ids[:1], logits[row : row + 1])[0])


def test_seeds_decide() -> None:
    assert draw(3, 50) == draw(3, 50)
    assert draw(3, 50) != draw(4, 50)
    # The largest seed that torch takes, and one beyond 32 bits.
    assert len(draw(2**63 - 1, 5)) == len(draw(2**40, 5)) == 5


def test_half_precision_scores_are_raised_to_full() -> None:
    assert RowSampler([0])(torch.zeros(1, 1, dtype=torch.long), LOGITS[None].bfloat16()).dtype == torch.float32


def test_noise_is_finite_for_a_large_vocabulary() -> None:
    noisy = RowSampler([0])(torch.zeros(1, 1, dtype=torch.long), torch.zeros(1, 400_000))
    assert torch.isfinite(noisy).all()


def test_a_wrong_number_of_seeds_is_an_error() -> None:
    with pytest.raises(ValueError, match="zip"):
        RowSampler([0])(torch.zeros(2, 1, dtype=torch.long), torch.zeros(2, 3))


LETTERS = dict(enumerate("abcdefghijklmnopqrstuvwxyz#"))


def decode(ids: list[int]) -> str:
    return "".join(LETTERS[token] for token in ids)


def feed(stopper: RowStopper, texts: list[str], prompt_tokens: int = 3) -> list[list[bool]]:
    """What the stopper says after each new column of the rows' texts."""
    by_letter = {letter: token for token, letter in LETTERS.items()}
    columns = max(len(text) for text in texts)
    rows = [[0] * prompt_tokens + [by_letter[letter] for letter in text.ljust(columns, "#")] for text in texts]
    ids = torch.tensor(rows)
    return [stopper(ids[:, : prompt_tokens + step], None).tolist() for step in range(1, columns + 1)]


def test_each_row_ends_at_its_own_length() -> None:
    stopper = RowStopper([RowLimits(2), RowLimits(4)], 3, decode)
    assert feed(stopper, ["abcd", "abcd"]) == [[False, False], [True, False], [True, False], [True, True]]
    assert [stopper.length(row, 99) for row in range(2)] == [2, 4]


@pytest.mark.parametrize(
    ("text", "stop", "length"),
    [
        ("abcdef", ("cd",), 4),
        ("abcdef", ("zz", "b"), 2),
        ("abcdef", ("abcdef",), 6),
        ("abcdef", ("f", "a"), 1),
        ("aaaaab", ("ab",), 6),
        ("xyxyxz", ("xyz", "xz"), 6),
    ],
)
def test_stop_texts_may_span_tokens(text: str, stop: tuple[str, ...], length: int) -> None:
    stopper = RowStopper([RowLimits(100, stop)], 3, decode)
    feed(stopper, [text])
    assert stopper.length(0, 99) == length


def test_a_stop_text_in_the_prompt_does_not_end_the_reply() -> None:
    stopper = RowStopper([RowLimits(100, ("aaa",))], 3, decode)
    assert feed(stopper, ["bcd"]) == [[False], [False], [False]]
    assert stopper.length(0, 99) == 99


def test_an_abandoned_row_ends_at_once_and_the_others_go_on() -> None:
    abandoned = threading.Event()
    stopper = RowStopper([RowLimits(9, (), abandoned), RowLimits(9)], 0, decode)
    ids = torch.zeros(2, 1, dtype=torch.long)
    assert stopper(ids, None).tolist() == [False, False]
    abandoned.set()
    assert stopper(torch.zeros(2, 2, dtype=torch.long), None).tolist() == [True, False]
