"""The model as a detector: one question to a vision-language model, and a reading of its reply that never guesses."""

from __future__ import annotations

import hashlib
import importlib.resources
from functools import cache

from ...bench_data.images import Picture
from ..findings import Detection
from ..models import GenerationSettings, Reply, ReplyStatus, Request, VisionLanguageModel, user_message
from .model_reply import UnreadableReplyError, read_findings
from .ordering import ordered_findings

__all__ = ["MODEL_DETECTOR", "detect_by_model", "detection_prompt"]

MODEL_DETECTOR = "model"
"""Name of the detector; ``Detection.detector`` adds the model's: "model:openai/qwen3-vl"."""

_MAX_TOKENS = 1024

_NO_ANSWER = {
    ReplyStatus.REFUSAL: "the model declined to look",
    ReplyStatus.FILTERED: "the server's content filter held the reply back",
    ReplyStatus.TRUNCATED: f"the reply was cut off at {_MAX_TOKENS} tokens; a model that reasons at length needs more",
    ReplyStatus.ERROR: "the call failed",
}


async def detect_by_model(
    picture: Picture, model: VisionLanguageModel, *, question: str | None = None, seed: int | None = None
) -> Detection:
    """Asks a model which stresses it sees, in one call.

    Args:
        question: what the picture will be used for; tells the model which things matter.
        seed: passed on to the model.

    Returns:
        The findings. When there is no usable reply, no findings and the reason in ``failed``; entries that had to be
        dropped are named in ``notes``. Severities and confidences outside their range are dropped, never clipped.

    Raises:
        ModelError: the call cannot be made at all. What a model *says* never raises.
    """
    request = Request(
        messages=(user_message(_prompt_for(question), (picture,)),),
        settings=GenerationSettings(temperature=0.0, max_tokens=_MAX_TOKENS),
        seed=seed,
    )
    reply = await model.reply(request)
    source = f"{MODEL_DETECTOR}:{model.name}"
    base = Detection(detector=source, version=_version(), picture_sha256=picture.sha256, model_calls=1)
    if reply.status is not ReplyStatus.OK:
        return base.model_copy(update={"failed": _why_no_answer(reply)})
    try:
        read = read_findings(reply.text, source=source)
    except UnreadableReplyError as error:
        return base.model_copy(update={"failed": str(error)})
    return base.model_copy(update={"findings": ordered_findings(read.findings), "notes": read.notes})


@cache
def detection_prompt() -> str:
    """The instruction, as it is sent."""
    file = importlib.resources.files("seeworthy.tools.detect").joinpath("prompt.txt")
    return file.read_text(encoding="utf-8").strip()


def _prompt_for(question: str | None) -> str:
    if question is None or not question.strip():
        return detection_prompt()
    return (
        f"{detection_prompt()}\n\nThe question that will be asked about the picture is quoted below. Do not answer it; "
        f"use it only to tell which things matter.\n<question>\n{question.strip()}\n</question>"
    )


@cache
def _version() -> str:
    """Changes with every change of the prompt, so that stored detections of another prompt are never reused."""
    return "1+prompt." + hashlib.sha256(detection_prompt().encode()).hexdigest()[:8]


def _why_no_answer(reply: Reply) -> str:
    reason = _NO_ANSWER[reply.status]
    if reply.fault is not None:
        return f"{reason} ({reply.fault.kind.value}): {reply.fault.message}"
    return reason
