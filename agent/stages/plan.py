"""Plan: which stress to undo, in which order, with which tools. Doing nothing is a plan, and the common one."""

from __future__ import annotations

from ...bench_data.questions import AnswerType
from ...bench_data.stress import Stress, robostress_tag
from ...tools.detect.fusion import fuse
from ...tools.detect.ordering import flattened_by
from ...tools.findings import Detection, StressFinding
from ...tools.registry import RECTIFIERS, Alignment, Cost, RectifierSpec, Stage
from ..context import SolverContext, event, seconds_left
from ..conversation import Conversation
from ..records import PictureWork, PlanStep
from ..state import SolverState, Update

__all__ = ["plan"]

# Repairs run against the order in which the picture was formed: what came last is undone first.
_UNDO_ORDER = (Stage.CODEC, Stage.SENSOR, Stage.EXPOSURE, Stage.LENS, Stage.ATMOSPHERE, Stage.SCENE)
_COST_ORDER = tuple(Cost)


def plan(state: SolverState, context: SolverContext) -> Update:
    """Fuses what the detectors said and lists the steps for every picture.

    On the second attempt only tools that were not tried yet are planned, and only for pictures on which nothing was
    accepted.
    """
    conversation = Conversation.model_validate(state["conversation"])
    attempt = int(state.get("attempt", -1)) + 1
    earlier = [PictureWork.model_validate(item) for item in state.get("work", [])]
    work: list[PictureWork] = []
    events: list[object] = []
    for index, sha256 in enumerate(conversation.pictures):
        if attempt > 0 and earlier[index].rectified:
            work.append(earlier[index])
            continue
        item = earlier[index] if attempt > 0 else _fresh(index, sha256, context)
        item = _planned(item, state, context, conversation.answer_format.answer_type)
        work.append(item)
        what = item.idle_because or "; ".join(f"{s.stress.label} → {' or '.join(s.tools)}" for s in item.steps)
        events.append(event(context, "plan", f"picture {index + 1}: {what}"))
    return {"attempt": attempt, "work": [item.plain() for item in work], "events": events}


def _fresh(index: int, sha256: str, context: SolverContext) -> PictureWork:
    picture = context.pictures.get(sha256)
    return PictureWork(index=index, original=sha256, current=sha256, size=[picture.width, picture.height])


def _planned(item: PictureWork, state: SolverState, context: SolverContext, answer: AnswerType) -> PictureWork:
    profile = context.profile
    if not profile.rectify or profile.max_steps == 0:
        return _idle(item, f"profile {profile.name} does not rectify")
    if seconds_left(state, context) <= 0:
        return _idle(item, "the time budget is used up")
    detections = [
        Detection.model_validate(value)
        for key, value in state.get("detections", {}).items()
        if key.startswith(f"{item.index}/")
    ]
    seeing = [detection for detection in detections if detection.failed is None]
    if not seeing:
        return _idle(item, "no detector could look at the picture")
    findings = fuse(seeing).findings
    if not findings:
        return _idle(item, "no stress found")
    worth = [
        f for f in findings if f.severity >= profile.act_from_severity and f.confidence >= profile.act_from_confidence
    ]
    if not worth:
        top = findings[0]
        return _idle(
            item,
            f"{top.stress.label} at severity {top.severity:.1f} ({top.confidence:.0%}) is below the level "
            f"({profile.act_from_severity:g}, {profile.act_from_confidence:.0%}) at which repair pays",
        )
    tried = {(t.stress, t.tool) for t in item.tries}
    fitting = [(f, [t for t in _tools_for(f, context, answer) if (f.stress, t.name) not in tried]) for f in worth]
    treated = [(finding, tools) for finding, tools in fitting if tools]
    if not tried and flattened_by(finding for finding, _ in treated):
        # The repair of haze or darkness gives contrast back; more of it is a second plan, should that one fail.
        treated = [(finding, tools) for finding, tools in treated if finding.stress is not Stress.LOW_CONTRAST]
    steps = [
        (_UNDO_ORDER.index(tools[0].stage), _step(finding, tools, profile.max_alternatives))
        for finding, tools in treated
    ]
    if not steps:
        names = ", ".join(f.stress.label for f in worth)
        return _idle(item, f"no {'other ' if tried else ''}tool that this profile allows treats {names}")
    steps = steps[: profile.max_steps]
    steps.sort(key=lambda pair: pair[0])
    return item.model_copy(update={"steps": [step for _, step in steps], "cursor": 0, "idle_because": ""})


def _idle(item: PictureWork, because: str) -> PictureWork:
    # Steps that were tried stay: their severities say how bad the picture is.
    return item.model_copy(update={"cursor": len(item.steps), "idle_because": because})


def _step(finding: StressFinding, tools: list[RectifierSpec], max_alternatives: int) -> PlanStep:
    return PlanStep(
        stress=finding.stress,
        severity=finding.severity,
        confidence=finding.confidence,
        parameters=finding.parameters,
        region=finding.region,
        tools=[tool.name for tool in tools[:max_alternatives]],
        reason=finding.reason,
    )


def _tools_for(finding: StressFinding, context: SolverContext, answer: AnswerType) -> list[RectifierSpec]:
    """Tools that treat the finding and that the profile allows: specialists first, then the cheaper ones."""
    wanted = {finding.stress, robostress_tag(finding.stress)}
    fitting = [
        spec for _, spec in RECTIFIERS.specs() if spec.treats & wanted and _allowed(spec, finding, context, answer)
    ]
    fitting.sort(key=lambda s: (finding.stress not in s.treats, len(s.treats), _COST_ORDER.index(s.cost), s.name))
    order = context.experience.order(finding.stress, [spec.name for spec in fitting])
    by_name = {spec.name: spec for spec in fitting}
    return [by_name[name] for name in order]


def _allowed(spec: RectifierSpec, finding: StressFinding, context: SolverContext, answer: AnswerType) -> bool:
    if context.profile.faithful_only and (not spec.faithful or spec.alignment is Alignment.UNCERTAIN):
        return False
    if spec.alignment is not Alignment.MAPPED:
        return True
    # A tool that shows a part of the picture needs to be told which part; and free text may speak of coordinates that
    # nobody could map back.
    return finding.region is not None and answer is not AnswerType.TEXT
