"""Verify: judges every try of the step, keeps the best, rolls back the rest."""

from __future__ import annotations

from functools import partial

from ...tools.measure.judge import EditVerdict, judge_edit
from ...tools.registry import RECTIFIERS
from ..context import SolverContext, call_key, event, software_version
from ..deadline import run_with_deadline
from ..errors import SolverError
from ..records import MapRecord, PictureWork, ToolTry
from ..state import SolverState, Update
from ..under_way import once_at_a_time

__all__ = ["verify"]


async def verify(state: SolverState, context: SolverContext) -> Update:
    """Accepts at most one try of the pending step of every picture and moves on to the next step.

    A try must improve on the version it started from, and the result must still show what the original shows. When no
    try passes, the picture stays what it was before the step.
    """
    events: list[object] = []
    work: list[PictureWork] = []
    for item in (PictureWork.model_validate(value) for value in state["work"]):
        if item.pending is not None:
            verified, judged = await _verified(item, int(state["attempt"]), context)
            for t in judged:
                verdict = "accepted" if t.accepted else "rejected"
                events.append(event(context, "verify", f"picture {item.index + 1}, {t.tool}: {verdict}, {t.reason}"))
            work.append(verified)
        else:
            work.append(item)
    return {"work": [item.plain() for item in work], "events": events}


async def _verified(item: PictureWork, attempt: int, context: SolverContext) -> tuple[PictureWork, list[ToolTry]]:
    """The picture after its pending step, and the judged tries of that step."""
    earlier = [t for t in item.tries if (t.step, t.attempt) != (item.cursor, attempt)]
    tries = [t for t in item.tries if (t.step, t.attempt) == (item.cursor, attempt)]
    judged = [t if t.accepted is not None else await _judged(t, item, context) for t in tries]
    best = max((t for t in judged if t.accepted), key=lambda t: t.scores["gain"], default=None)
    judged = [_demoted(t, best) for t in judged]
    update: dict[str, object] = {"tries": earlier + judged, "cursor": item.cursor + 1}
    if best is not None:
        update |= {"current": best.after, "pixel_map": _chained(item, best)}
    return item.model_copy(update=update), judged


async def _judged(done: ToolTry, item: PictureWork, context: SolverContext) -> ToolTry:
    """The try with its verdict, which is kept for other questions about the same picture.

    A verifier that fails has not vouched for the edit, so the edit is rejected.
    """
    key = _verdict_key(done, item, context)
    stored = context.calls.get(key)
    if stored is None:
        name = (context.calls, key, context.budget.tool_seconds)
        stored = await once_at_a_time(name, lambda: _judged_now(done, item, key, context))
    try:
        return ToolTry.model_validate({**done.plain(), **stored})
    except ValueError as error:
        raise SolverError(
            f"the kept verdict {key} is damaged ({type(error).__name__}); delete it to judge again"
        ) from error


async def _judged_now(done: ToolTry, item: PictureWork, key: str, context: SolverContext) -> dict[str, object]:
    try:
        verdict = await run_with_deadline(
            partial(_judge, done, item, context), context.budget.tool_seconds, name="verifier"
        )
    except Exception as error:  # noqa: BLE001 - the verifier's fault must not cost the answer; it is recorded
        return {"accepted": False, "reason": f"could not be verified: {error}"}
    kept = _kept(verdict)
    context.calls.put(key, kept)
    return kept


def _kept(verdict: EditVerdict) -> dict[str, object]:
    """What a verdict changes about a try."""
    kept: dict[str, object] = {
        "accepted": verdict.accepted,
        "reason": verdict.reason,
        "scores": {name: round(float(value), 4) for name, value in verdict.scores.items()},
    }
    if verdict.pixel_map is not None and not verdict.pixel_map.is_identity:
        kept["pixel_map"] = MapRecord.of(verdict.pixel_map).model_dump(mode="json")
    return kept


def _verdict_key(done: ToolTry, item: PictureWork, context: SolverContext) -> str:
    """Of everything that `_judge` looks at."""
    chain = _chained(item, done) if item.rectified else None
    return call_key(
        "judge",
        tool=done.tool,
        version=done.version,
        software=software_version(),
        settings=context.profile.judge.model_dump(mode="json"),
        treats=done.stress.value,
        before=done.before,
        after=done.after,
        pixel_map=None if done.pixel_map is None else done.pixel_map.model_dump(mode="json"),
        original=item.original if item.rectified else None,
        chain=None if chain is None else chain.model_dump(mode="json"),
        treated=sorted({t.stress.value for t in item.tries if t.accepted}),
    )


def _judge(done: ToolTry, item: PictureWork, context: SolverContext) -> EditVerdict:
    """Judged against the version it started from and, when that was a repair already, against the original too: small
    changes that each pass must not add up to a large one.
    """
    alignment = RECTIFIERS.get(done.tool).alignment
    settings = context.profile.judge
    after = context.pictures.get(done.after or "").image_srgb
    verdict = judge_edit(
        context.pictures.get(done.before).image_srgb,
        after,
        expected_alignment=alignment,
        treats=done.stress,
        pixel_map=done.pixel_map.pixel_map() if done.pixel_map else None,
        settings=settings,
    )
    if not verdict.accepted or not item.rectified:
        return verdict
    chain = _chained(item, done)
    whole = judge_edit(
        context.pictures.get(item.original).image_srgb,
        after,
        expected_alignment=alignment,
        treats={done.stress, *(t.stress for t in item.tries if t.accepted)},
        pixel_map=chain.pixel_map() if chain else None,
        settings=settings,
    )
    if whole.accepted:
        return verdict
    reason = f"against the original: {whole.reason}"
    return verdict.model_copy(update={"accepted": False, "reason": reason, "pixel_map": None})


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
