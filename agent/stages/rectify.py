"""Rectify: runs the tools of the next step of every picture. A tool that fails or hangs costs its try, nothing else."""

from __future__ import annotations

from ...bench_data.images import Picture
from ...tools.registry import RECTIFIERS, RectifierSpec, RectifyHint, apply_rectifier
from ..context import SolverContext, call_key, event, seconds_left
from ..deadline import run_with_deadline
from ..errors import SolverError
from ..records import MapRecord, PictureWork, PlanStep, ToolTry
from ..state import SolverState, Update, storable
from ..under_way import once_at_a_time

__all__ = ["rectify"]


async def rectify(state: SolverState, context: SolverContext) -> Update:
    """Tries every tool of the pending step on the picture's current version; the verifier chooses later."""
    events: list[object] = []
    work: list[PictureWork] = []
    deadline = context.clock() + seconds_left(state, context)
    for item in (PictureWork.model_validate(value) for value in state["work"]):
        step = item.pending
        if step is None:
            work.append(item)
            continue
        tries = list(item.tries)
        for name in step.tools:
            if context.clock() >= deadline:
                events.append(event(context, "rectify", f"{name} not tried: the time budget is used up"))
                break
            done = await _try(RECTIFIERS.get(name), item, step, int(state["attempt"]), context)
            tries.append(done)
            outcome = done.note if done.after is None else f"done in {done.seconds:.2f} s"
            events.append(
                event(context, "rectify", f"picture {item.index + 1}, {step.stress.label}, {name}: {outcome}")
            )
        work.append(item.model_copy(update={"tries": tries}))
    return {"work": [item.plain() for item in work], "events": events}


async def _try(spec: RectifierSpec, item: PictureWork, step: PlanStep, attempt: int, context: SolverContext) -> ToolTry:
    key = call_key(
        "rectify",
        tool=spec.name,
        version=spec.version,
        picture=item.current,
        severity=step.severity,
        parameters=step.parameters,
        region=step.region.model_dump() if step.region else None,
    )
    place = {"step": item.cursor, "attempt": attempt, "stress": step.stress, "before": item.current}
    stored = context.calls.get(key)
    if stored is not None:
        try:
            return ToolTry.model_validate({**stored, **place})
        except ValueError as error:
            raise SolverError(
                f"the kept tool run {key} is damaged ({type(error).__name__}); delete it to run the tool again"
            ) from error
    name = (context.calls, key, context.budget.tool_seconds)
    done = await once_at_a_time(name, lambda: _tried_now(spec, item, step, attempt, key, context))
    # It may have been tried for another question, in another place of its plan.
    return done.model_copy(update=place)


async def _tried_now(
    spec: RectifierSpec, item: PictureWork, step: PlanStep, attempt: int, key: str, context: SolverContext
) -> ToolTry:
    source = context.pictures.get(item.current)
    hint = RectifyHint(severity=step.severity, parameters=step.parameters, region=step.region)
    started = context.clock()
    base = ToolTry(
        step=item.cursor,
        attempt=attempt,
        stress=step.stress,
        before=item.current,
        tool=spec.name,
        version=spec.version,
    )
    try:
        result = await run_with_deadline(
            lambda: apply_rectifier(spec, source.image_srgb, hint), context.budget.tool_seconds, name=spec.name
        )
    except Exception as error:  # noqa: BLE001 - a tool's fault must not cost the answer; it is recorded
        words = storable(str(error) or type(error).__name__)
        return base.model_copy(
            update={"note": f"failed: {words}", "accepted": False, "reason": f"the tool failed: {words}"}
        )
    after = Picture.from_srgb(result.image_srgb, source=f"{source.source} after {spec.name}")
    done = base.model_copy(
        update={
            "after": context.pictures.put(after),
            "parameters": {name: float(value) for name, value in result.parameters.items()},
            "pixel_map": MapRecord.of(result.pixel_map) if result.pixel_map else None,
            "seconds": round(context.clock() - started, 4),
            "note": storable(result.note),
        }
    )
    context.calls.put(key, done.plain())
    return done
