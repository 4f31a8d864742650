"""Inspect AI: our scoring as a scorer, with a metric for every way in which a reply failed to be an answer."""

# mypy: allow-untyped-decorators
from __future__ import annotations

from typing import Final

from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, grouped, mean, metric, scorer, stderr
from inspect_ai.solver import TaskState

from ...tools.models import Reply, ReplyStatus
from ..metrics import PARSE_FAILURES
from ..replies import parse_reply
from .samples import judge_carried

__all__ = ["chance", "parse_failures", "refusals", "seeworthy_answer", "truncations"]

_STATUSES: Final = {
    "max_tokens": ReplyStatus.TRUNCATED,
    "model_length": ReplyStatus.TRUNCATED,
    "content_filter": ReplyStatus.FILTERED,
}


def _share_of(statuses: tuple[str, ...]) -> Metric:
    """The share of the samples with one of the statuses, of all that can be scored."""

    # Inspect AI tells by the annotation that it is to hand over samples and not bare scores.
    def compute(scores: list[SampleScore]) -> float:
        found = [(one.score.metadata or {}).get("status") in statuses for one in scores]
        return sum(found) / len(found) if found else float("nan")

    return compute


@metric
def refusals() -> Metric:
    """Share of the replies that declined to answer; lower is better."""
    return _share_of(("refusal",))


@metric
def truncations() -> Metric:
    """Share of the replies that were cut off before an answer; lower is better."""
    return _share_of(("truncated",))


@metric
def parse_failures() -> Metric:
    """Share of the replies with no, an ambiguous or an impossible answer; lower is better."""
    return _share_of(PARSE_FAILURES)


@metric
def chance() -> Metric:
    """Mean score of guessing among the options; where accuracy begins to mean anything."""

    def compute(scores: list[SampleScore]) -> float:
        levels = [float((one.sample_metadata or {})["chance"]) for one in scores]
        return sum(levels) / len(levels) if levels else float("nan")

    return compute


@scorer(
    metrics=[
        mean(),
        # Questions about one scene are not independent.
        stderr(cluster="scene"),
        chance(),
        parse_failures(),
        refusals(),
        truncations(),
        grouped(mean(), "condition", all=False),
    ]
)
def seeworthy_answer() -> Scorer:
    """Reads and scores replies exactly as `seeworthy bench` does.

    A score is from 0 to 1; a reply that is no answer scores 0, with its status as the reason. What cannot be scored
    (a withheld truth, a sentence) is left out of all metrics.
    """

    async def score(state: TaskState, target: Target) -> Score:
        reply = _reply_of(state.output)
        item, judged = judge_carried(state.metadata, reply)
        value = parse_reply(item.answer_format, reply).value if item.mask is None and judged.status == "ok" else None
        facts = {"status": judged.status, "kind": item.kind, "condition": item.condition}
        answer = None if value is None else str(value)
        if judged.score is None:
            return Score.unscored(reason="cannot be scored", answer=answer, metadata=facts)
        reason = None if judged.status == "ok" else judged.status
        return Score(
            value=judged.score, answer=answer, explanation=f"status {judged.status}", reason=reason, metadata=facts
        )

    return score


def _reply_of(output: ModelOutput) -> Reply:
    if output.empty:
        return Reply(status=ReplyStatus.OK)
    choice = output.choices[0]
    content = choice.message.content
    reasoning = (
        "" if isinstance(content, str) else "\n".join(part.reasoning for part in content if part.type == "reasoning")
    )
    return Reply(
        text=choice.message.text,
        reasoning=reasoning or None,
        status=_STATUSES.get(choice.stop_reason, ReplyStatus.OK),
        finish_reason=choice.stop_reason,
        model_reported=output.model or None,
    )
