"""Detect: what is wrong with the pictures. Image statistics always look; the model is asked if the profile says so.

Where the caller knows what is wrong with a picture, nobody looks: what is known is what was found.
"""

from __future__ import annotations

from functools import partial

from ...tools.detect.model_prompt import detect_by_model
from ...tools.detect.ordering import ordered_findings
from ...tools.detect.registry import DETECTORS, DetectorSpec, apply_detector
from ...tools.findings import Detection, StressFinding
from ..context import SolverContext, call_key, event, money_left, seconds_left
from ..conversation import Conversation
from ..deadline import run_with_deadline
from ..errors import SolverError
from ..metered import MeteredModel
from ..state import SolverState, Update
from ..under_way import once_at_a_time

__all__ = ["ask_model_for_stress", "detect_offline"]

_TOLD = "told"


async def detect_offline(state: SolverState, context: SolverContext) -> Update:
    """Runs every registered detector on every picture. One that fails or hangs is reported, no more."""
    conversation = Conversation.model_validate(state["conversation"])
    detections: dict[str, object] = {}
    events: list[object] = []
    for index, sha256 in enumerate(conversation.pictures):
        known = conversation.known_stress(index)
        if known is not None:
            told = _told(sha256, known)
            detections[f"{index}/{_TOLD}"] = told.model_dump(mode="json")
            events.append(event(context, "detect", f"picture {index + 1}, as told: {in_words(told)}"))
            continue
        for name, spec in DETECTORS.specs():
            detection = await _looked(spec, sha256, context)
            detections[f"{index}/{name}"] = detection.model_dump(mode="json")
            events.append(event(context, "detect", f"picture {index + 1}, {name}: {in_words(detection)}"))
    return {"detections": detections, "events": events}


async def _looked(spec: DetectorSpec, sha256: str, context: SolverContext) -> Detection:
    """What a detector finds, or found when another question was asked about the same picture."""
    key = call_key("detect", detector=spec.name, version=spec.version, picture=sha256)
    stored = context.calls.get(key)
    if stored is not None:
        try:
            return Detection.model_validate(stored)
        except ValueError as error:
            raise SolverError(
                f"the kept detection {key} is damaged ({type(error).__name__}); delete it to look again"
            ) from error
    name = (context.calls, key, context.budget.tool_seconds)
    return await once_at_a_time(name, lambda: _looked_now(spec, sha256, key, context))


async def _looked_now(spec: DetectorSpec, sha256: str, key: str, context: SolverContext) -> Detection:
    picture = context.pictures.get(sha256)
    try:
        detection = await run_with_deadline(
            partial(apply_detector, spec, picture), context.budget.tool_seconds, name=f"detector {spec.name}"
        )
    except Exception as error:  # noqa: BLE001 - a detector's fault must not cost the answer; it is recorded
        reason = f"{type(error).__name__}: {error}"
        return Detection(detector=spec.name, version=spec.version, picture_sha256=sha256, failed=reason)
    if detection.failed is None:
        context.calls.put(key, detection.model_dump(mode="json"))
    return detection


async def ask_model_for_stress(state: SolverState, context: SolverContext) -> Update:
    """Asks the model what is wrong, one call a picture, as long as the budget keeps a call for the answer."""
    conversation = Conversation.model_validate(state["conversation"])
    detections: dict[str, object] = {}
    events: list[object] = []
    model = MeteredModel(context)
    deadline = context.clock() + seconds_left(state, context)
    for index, sha256 in enumerate(conversation.pictures):
        if conversation.known_stress(index) is not None:
            continue
        enough = len(model.calls) + 1 >= context.budget.max_calls or context.clock() >= deadline
        if enough or not money_left(state, context, model.spent()):
            events.append(event(context, "detect", f"picture {index + 1}: the budget leaves no call for the model"))
            break
        detection = await detect_by_model(
            context.pictures.get(sha256), model, question=conversation.question, seed=conversation.seed
        )
        detections[f"{index}/model"] = detection.model_dump(mode="json")
        events.append(event(context, "detect", f"picture {index + 1}, model: {in_words(detection)}"))
    return {"detections": detections, "events": events, "spent": model.spent()}


def _told(sha256: str, known: list[StressFinding]) -> Detection:
    return Detection(detector=_TOLD, version="1", picture_sha256=sha256, findings=ordered_findings(known))


def in_words(detection: Detection) -> str:
    """One line for people."""
    if detection.failed:
        return f"could not look ({detection.failed})"
    if not detection.findings:
        return "nothing found"
    return ", ".join(f"{f.stress.label} {f.severity:.1f} ({f.confidence:.0%})" for f in detection.findings)
