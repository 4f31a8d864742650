"""What replies cost, and what an answer costs that was wrong and came out right."""

from __future__ import annotations

from .base import Subject, Value

__all__ = ["CostRow", "RecoveryRow"]


class CostRow(Value):
    """What a subject's replies cost, failed and repeated calls included.

    A reply that serves two subjects, because both ask word for word the same, is counted for the first.

    Attributes:
        questions: asked, each under each condition and repeat.
        calls: replies that the server gave; a wrapped model makes several a question.
        input_tokens, output_tokens: as far as the server counted them.
        usd: of the calls whose price is known; None when none is.
        unpriced: calls whose price is not known.
        seconds: from question to reply, summed over the questions; waiting and repeating included.
        seconds_median: of one question; None without a reply.
    """

    subject: Subject
    questions: int
    calls: int
    input_tokens: int
    output_tokens: int
    usd: float | None
    unpriced: int
    seconds: float | None
    seconds_median: float | None


class RecoveryRow(Value):
    """What it takes to get answers right with one model (``after``) that another (``before``) gets wrong.

    Over the pairs whose answers are right or wrong and nothing between.

    Attributes:
        condition: or `ALL_DEGRADED`, or `ALL`.
        wraps: ``after`` is ``before`` within a solver, such as ``robust(before)``.
        pairs: of answers.
        recovered: wrong before, right after.
        lost: right before, wrong after.
        calls_before, calls_after, tokens_before, tokens_after: over the pairs.
        usd_before, usd_after: None where the price of a call is not known.
        extra_calls_per_recovered: ``(calls_after - calls_before) / recovered``; None when nothing is recovered.
        extra_calls_per_net: by ``recovered - lost``; None unless more is recovered than lost.
        extra_tokens_per_recovered, extra_usd_per_recovered, extra_usd_per_net: likewise.
    """

    before: Subject
    after: Subject
    condition: str
    wraps: bool
    pairs: int
    recovered: int
    lost: int
    calls_before: int
    calls_after: int
    tokens_before: int
    tokens_after: int
    usd_before: float | None
    usd_after: float | None
    extra_calls_per_recovered: float | None
    extra_calls_per_net: float | None
    extra_tokens_per_recovered: float | None
    extra_usd_per_recovered: float | None
    extra_usd_per_net: float | None
