"""Asking a model what it really does with its settings."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from ..errors import ModelError
from .protocol import GenerationSettings, Reply, ReplyStatus, Request, VisionLanguageModel, user_message

__all__ = ["SamplingProbe", "probe_sampling"]

# An answer with thousands of equally good forms: a model that samples at all does not repeat itself here.
_QUESTION = "Write five random words and nothing else."
_MAX_TOKENS = 24
_USABLE = (ReplyStatus.OK, ReplyStatus.TRUNCATED)


@dataclass(frozen=True)
class SamplingProbe:
    """Whether a model answers differently when it is asked to sample.

    Attributes:
        samples: usable replies, of those that were asked for.
        distinct: different texts among them.
        note: one sentence for people.
    """

    samples: int
    distinct: int
    note: str

    @property
    def samples_vary(self) -> bool | None:
        """None when fewer than two replies came back."""
        return None if self.samples < 2 else self.distinct > 1


async def probe_sampling(
    model: VisionLanguageModel, *, samples: int = 4, temperature: float = 1.0, first_seed: int = 0
) -> SamplingProbe:
    """Asks the same short thing several times, each with its own seed, at a temperature above 0.

    Several servers take ``temperature`` and ``seed`` and ignore both, unless the checkpoint's generation configuration
    turns sampling on. Then k equal answers mean "no sampling" and not "sure", and voting over samples is worthless.

    Args:
        samples: calls to make, two or more.
        temperature: above 0.
        first_seed: the seeds are this and the following numbers.

    Raises:
        ModelError: ``samples`` or ``temperature`` is too small.
    """
    if samples < 2 or temperature <= 0:
        raise ModelError(
            f"a sampling probe needs 2 or more samples and a temperature above 0, got {samples} and {temperature}"
        )
    settings = GenerationSettings(temperature=temperature, max_tokens=_MAX_TOKENS)
    requests = [
        Request(messages=(user_message(_QUESTION),), settings=settings, seed=first_seed + index)
        for index in range(samples)
    ]
    replies = await asyncio.gather(*(model.reply(request) for request in requests))
    usable = [reply for reply in replies if reply.status in _USABLE]
    distinct = len({reply.text for reply in usable})
    return SamplingProbe(len(usable), distinct, _note(model.name, replies, len(usable), distinct, temperature))


def _note(name: str, replies: list[Reply], usable: int, distinct: int, temperature: float) -> str:
    if usable < 2:
        fault = next((reply.fault.message for reply in replies if reply.fault is not None), "no text")
        return f"{name}: {usable} of {len(replies)} probes were answered, too few to tell whether it samples ({fault})"
    if distinct == 1:
        return (
            f"{name}: {usable} samples at temperature {temperature:g} are identical; it seems to ignore temperature, "
            "so agreement between samples says nothing about confidence"
        )
    return f"{name}: {distinct} different texts in {usable} samples at temperature {temperature:g}"
