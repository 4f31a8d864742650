"""Per-row sampling and stopping, so that a reply does not depend on what else is in the batch."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import torch
from transformers import LogitsProcessor, StoppingCriteria

__all__ = ["RowLimits", "RowLogprobs", "RowSampler", "RowStopper"]

# A token is at least a byte of text, a character at most four, and a stop text may begin inside an earlier token.
_TOKENS_PER_CHARACTER = 4
_SPARE_TOKENS = 8


class RowSampler(LogitsProcessor):
    """Turns greedy decoding into sampling with one random stream a row (the Gumbel-max trick).

    The largest of ``logit + Gumbel noise`` is distributed as ``softmax(logits)``. One generator a row makes a sample a
    function of the request's own seed, and drawing on the CPU makes it the same on every device.

    Args:
        seeds: one a row.
    """

    def __init__(self, seeds: Sequence[int]) -> None:
        self._generators = [torch.Generator().manual_seed(seed) for seed in seeds]

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        """Noisy scores, (rows, vocabulary); -inf stays -inf."""
        exponential = torch.empty(scores.shape, dtype=torch.float32)
        for row, generator in zip(exponential, self._generators, strict=True):
            row.exponential_(generator=generator)
        # An exact zero would make the noise infinite, and infinity minus infinity is not a number.
        gumbel = -exponential.clamp_min(torch.finfo(torch.float32).tiny).log()
        return scores.float() + gumbel.to(scores.device)  # type: ignore[return-value]


class RowLogprobs(LogitsProcessor):
    """Watches how likely each new token was, before any sampling; it changes nothing.

    What is kept between two steps is one row of scores a reply, however long the replies get.
    """

    def __init__(self) -> None:
        self._next: torch.Tensor | None = None
        self._told: list[torch.Tensor] = []

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        """``scores``, (rows, vocabulary), as they are."""
        self._settle(input_ids)
        self._next = scores.float().log_softmax(dim=-1)
        return scores

    def finish(self, sequences: torch.Tensor) -> torch.Tensor:
        """(rows, new tokens) natural logarithms of the probabilities of the tokens in the end of ``sequences``."""
        self._settle(sequences)
        self._next = None
        return torch.stack(self._told, dim=1)

    def _settle(self, sequences: torch.Tensor) -> None:
        if self._next is not None:
            self._told.append(self._next.gather(1, sequences[:, -1:])[:, 0].cpu())


@dataclass(frozen=True)
class RowLimits:
    """When a row ends, apart from the model's own end mark.

    Args:
        max_tokens: new tokens at most.
        stop: texts that end the reply.
        abandoned: set when nobody waits for the reply any more.
    """

    max_tokens: int
    stop: tuple[str, ...] = ()
    abandoned: threading.Event = field(default_factory=threading.Event)


class RowStopper(StoppingCriteria):
    """Ends each row by its own limits and remembers how long it was then.

    Args:
        limits: one a row.
        prompt_tokens: padded length of the prompt, the same for all rows.
        decode: token ids to text.
    """

    def __init__(self, limits: Sequence[RowLimits], prompt_tokens: int, decode: Callable[[list[int]], str]) -> None:
        self._limits = limits
        self._prompt_tokens = prompt_tokens
        self._decode = decode
        self._lengths: dict[int, int] = {}

    def length(self, row: int, otherwise: int) -> int:
        """New tokens of ``row`` when one of its limits ended it."""
        return self._lengths.get(row, otherwise)

    def __call__(
        self, input_ids: torch.LongTensor, scores: tuple[torch.Tensor, ...] | None, **_: object
    ) -> torch.BoolTensor:
        """(rows,) bool: which rows are done."""
        new_tokens = input_ids.shape[1] - self._prompt_tokens
        for row, limits in enumerate(self._limits):
            if row not in self._lengths and self._is_done(input_ids[row], new_tokens, limits):
                self._lengths[row] = new_tokens
        done = [row in self._lengths for row in range(len(self._limits))]
        return torch.tensor(done, device=input_ids.device)  # type: ignore[return-value]

    def _is_done(self, row_ids: torch.Tensor, new_tokens: int, limits: RowLimits) -> bool:
        if new_tokens >= limits.max_tokens or limits.abandoned.is_set():
            return True
        if not limits.stop:
            return False
        window = min(new_tokens, _TOKENS_PER_CHARACTER * max(map(len, limits.stop)) + _SPARE_TOKENS)
        tail = self._decode(row_ids[-window:].tolist())
        return any(stop in tail for stop in limits.stop)
