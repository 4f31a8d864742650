"""Verify: judges every try of the step, keeps the best, rolls back the rest."""

from __future__ import annotations

from ...tools.measure.judge import EditVerdict, judge_edit
from ...tools.registry import RECTIFIERS
from ..context import SolverContext, event
from ..deadline import run_with_deadline
from ..records import MapRecord, PictureWork, ToolTry
from ..state import SolverState, Update

__all__ = ["verify"]


async def verify(state: SolverState, context: SolverContext) -> Update:
    """Accepts at most one try of the pending step of every picture and moves on to the next step.

    A try must improve on the version it started from, and the result must still show what the original shows. When no
    try passes, the picture stays what it was before the step.
    """
    events: list[object] = []
    work: list[PictureWork] = []
    for item in (PictureWork.model_validate(value) for value in state["work"]):
        if item.pending is None:
            work.append(item)
            continue
        judged: list[ToolTry] = []
        for done in item.tries:
            judged.append(done if done.accepted is not None else await _judged(done, item, context))
        done_now = [t for t in judged if _of_step(t, item, state)]
        best = max((t for t in done_now if t.accepted), key=lambda t: t.scores["gain"], default=None)
        judged = [_demoted(t, best) if _of_step(t, item, state) else t for t in judged]
        for t in judged:
            if _of_step(t, item, state):
                verdict = "accepted" if t.accepted else "rejected"
                events.append(event(context, "verify", f"picture {item.index + 1}, {t.tool}: {verdict}, {t.reason}"))
        update: dict[str, object] = {"tries": judged, "cursor": item.cursor + 1}
        if best is not None:
            update |= {"current": best.after, "pixel_map": _chained(item, best)}
        work.append(item.model_copy(update=update))
    return {"work": [item.plain() for item in work], "events": events}


def _of_step(done: ToolTry, item: PictureWork, state: SolverState) -> bool:
    return done.step == item.cursor and done.attempt == int(state["attempt"])


async def _judged(done: ToolTry, item: PictureWork, context: SolverContext) -> ToolTry:
    """The try with its verdict. A verifier that fails has not vouched for the edit, so the edit is rejected."""
    try:
        verdict = await run_with_deadline(
            lambda: _judge(done, item, context), context.budget.tool_seconds, name="verifier"
        )
    except Exception as error:  # noqa: BLE001 - the verifier's fault must not cost the answer; it is recorded
        return done.model_copy(update={"accepted": False, "reason": f"could not be verified: {error}"})
    return done.model_copy(update={"accepted": verdict.accepted, "reason": verdict.reason, "scores": _scores(verdict)})


def _judge(done: ToolTry, item: PictureWork, context: SolverContext) -> EditVerdict:
    spec = RECTIFIERS.get(done.tool)
    after = context.pictures.get(done.after or "").image_srgb
    return judge_edit(
        context.pictures.get(done.before).image_srgb,
        after,
        expected_alignment=spec.alignment,
        pixel_map=done.pixel_map.pixel_map() if done.pixel_map else None,
        treats=done.stress,
    )


def _scores(verdict: EditVerdict) -> dict[str, float]:
    return {name: round(float(value), 4) for name, value in verdict.scores.items()}


def _demoted(done: ToolTry, best: ToolTry | None) -> ToolTry:
    """An acceptable try that another one beat."""
    if best is None or done == best or not done.accepted:
        return done
    return done.model_copy(update={"accepted": False, "reason": f"good, but {best.tool} did better"})


def _chained(item: PictureWork, best: ToolTry) -> MapRecord | None:
    if best.pixel_map is None:
        return item.pixel_map
    if item.pixel_map is None:
        return best.pixel_map
    return MapRecord.of(item.pixel_map.pixel_map().then(best.pixel_map.pixel_map()))
