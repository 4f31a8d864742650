"""Other tools' results as a run of ours: what their files do not say is not made up, what they say is not lost."""

from __future__ import annotations

import json
import os
import shutil
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from ...bench_data.questions import AnswerType
from ...bench_data.suites import SuiteItem
from ...tools.models import CoordinateSpace, Reply, ReplyStatus
from ...tools.models.coordinate_spaces import guess_coordinate_space
from ..errors import DiagnosticsError
from ..path_labels import path_labels
from ..runs import CallRecord, RunFolder, RunSettings, Source, Spent, plan_items
from ..runs.items import Unasked, with_pictures
from ..runs.plan import ImportedFrom, PlannedArm, PlannedPrompt
from ..runs.planning import PlannedRun
from ..runs.record import record_line
from ..runs.selection import stratified
from ..runs.sources import read_sources
from .files.opening import fingerprint
from .limits import ImportLimits
from .matching import Matched, match_rows
from .old_scores import OldScore, write_old_scores
from .registry import RUN_FORMATS, RunFormat
from .rows import BadPlace, OldRow, Place
from .summary import ImportSummary, left_out, without_reply

__all__ = ["ImportSettings", "import_run"]

PROMPT: Final = "imported"
SUMMARY: Final = "import.json"
_MOST_REPEATS: Final = 1000
_NAME_CHARACTERS: Final = 200


@dataclass(frozen=True, kw_only=True)
class ImportSettings:
    """How files are read.

    Args:
        format: of the files, see `RUN_FORMATS`.
        source: the suite or data set that the tool was given.
        model: who replied; None takes it from the files.
        space: what boxes and points of the replies are measured in; None takes what the tool's prompts ask for, or
            what is documented of the model's family.
        conditions: kept; None for all.
        limits: on the files.
    """

    format: str
    source: Source
    model: str | None = None
    space: CoordinateSpace | None = None
    conditions: tuple[str, ...] | None = None
    limits: ImportLimits = field(default_factory=ImportLimits)


def import_run(files: Sequence[Path], out: Path, settings: ImportSettings) -> ImportSummary:
    """Makes a run folder of other tools' results.

    Args:
        files: at least one; several may hold parts of one run, or several models.
        out: the run's folder; it must not exist yet, and appears whole or not at all.

    Returns:
        What became of all rows and items; also in the folder, as import.json.

    Raises:
        BenchDataError: the suite cannot be read.
        DiagnosticsError: a file cannot be read, no row fits the data, or the folder exists or cannot be written.
        RegistryError: no such format.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise DiagnosticsError(f"{out} exists; choose another -o, an import is never mixed with another run")
    spec = RUN_FORMATS.get(settings.format)
    rows, unreadable = _rows(files, spec, settings)
    unasked = Unasked()
    items = read_sources([settings.source], conditions=None, unasked=unasked)
    kept = _of_conditions(items, settings.conditions)
    matched, bad = match_rows(rows, items)
    here = {item.id for item in kept}
    bad += [BadPlace(one.row.place, "its condition is left out") for one in matched if one.item.id not in here]
    answers, doubled = _answers([one for one in matched if one.item.id in here])
    bad += [*unreadable, *doubled]
    if not answers:
        reasons = "; ".join(str(one) for one in left_out(bad)[:3]) or "the files hold no rows"
        raise DiagnosticsError(f"no row fits the data: {reasons}")
    summary = ImportSummary(
        rows=len(rows) + len(unreadable),
        replies=len(answers),
        failed=sum(one.reply.status is ReplyStatus.ERROR for one in answers),
        rows_left_out=left_out(bad),
        items=len(kept),
        items_without_reply=without_reply(_unanswered(kept, answers)),
        warnings=_warnings(answers, unasked),
    )
    _write(out, _planned(files, kept, answers, spec, settings), answers, summary)
    return summary


@dataclass(frozen=True, slots=True)
class _Answer:
    """One reply of one model to one item."""

    item: SuiteItem
    model: str
    repeat: int
    reply: Reply
    row: OldRow


def _rows(files: Sequence[Path], spec: RunFormat, settings: ImportSettings) -> tuple[list[OldRow], list[BadPlace]]:
    rows: list[OldRow] = []
    bad: list[BadPlace] = []
    limits = settings.limits
    suite = Path(settings.source.path).stem
    for path, label in zip(files, path_labels(files, what="file"), strict=True):
        fallback = spec.model_name(path, suite)
        for found in spec.read(path, limits):
            row = replace(found, place=Place(label, found.place.line))
            if len(rows) + len(bad) >= limits.rows:
                raise DiagnosticsError(f"{path}: more than {limits.rows:,} rows; import fewer files at once")
            if isinstance(row, BadPlace):
                bad.append(row)
            elif len(row.replies) > _MOST_REPEATS:
                bad.append(BadPlace(row.place, f"it holds more than {_MOST_REPEATS:,} replies"))
            elif any(len(reply.text) + len(reply.reasoning or "") > limits.reply_characters for reply in row.replies):
                bad.append(BadPlace(row.place, f"a reply has more than {limits.reply_characters:,} characters"))
            else:
                rows.append(replace(row, model=_name_of(settings.model or row.model or fallback)))
    return rows, bad


def _name_of(model: str) -> str:
    """A name that any file can hold and any terminal can show."""
    return " ".join(model.encode("utf-8", "replace").decode("utf-8").split())[:_NAME_CHARACTERS] or "unnamed"


def _of_conditions(items: Sequence[SuiteItem], conditions: tuple[str, ...] | None) -> list[SuiteItem]:
    there = sorted({item.condition for item in items})
    missing = [name for name in conditions or () if name not in there]
    if missing:
        raise DiagnosticsError(f"no item has the condition {missing[0]!r}; the data has: {', '.join(there)}")
    return [item for item in items if conditions is None or item.condition in conditions]


def _answers(matched: Sequence[Matched]) -> tuple[list[_Answer], list[BadPlace]]:
    """Each model's replies to each item. Rows that say the same count once; rows that differ are all left out, for
    nothing tells which of them the tool counted."""
    groups: dict[tuple[str, str], list[Matched]] = defaultdict(list)
    for one in matched:
        groups[one.row.model or "", one.item.id].append(one)
    answers: list[_Answer] = []
    clashing: list[BadPlace] = []
    for (model, identity), members in groups.items():
        first = min(members, key=lambda one: one.row.place)
        if any(one.row.replies != first.row.replies for one in members):
            places = ", ".join(str(one.row.place) for one in members[:3])
            clashing += [
                BadPlace(one.row.place, "several rows reply differently to one item", f"{identity} in {places}")
                for one in members
            ]
            continue
        clashing += [
            BadPlace(one.row.place, "it repeats another row", str(first.row.place))
            for one in members
            if one is not first
        ]
        answers += [
            _Answer(first.item, model, repeat, reply, first.row) for repeat, reply in enumerate(first.row.replies)
        ]
    return answers, clashing


def _planned(
    files: Sequence[Path],
    items: Sequence[SuiteItem],
    answers: Sequence[_Answer],
    spec: RunFormat,
    settings: ImportSettings,
) -> PlannedRun:
    places = any(item.answer_type in (AnswerType.BOX, AnswerType.POINT) for item in items)
    arms = tuple(
        PlannedArm(
            name=model,
            identity={"name": model, "replies_from": spec.name},
            space=settings.space or spec.space or _space(model, needed=places),
        )
        for model in sorted({one.model for one in answers})
    )
    run_settings = RunSettings(
        sources=(settings.source,),
        conditions=settings.conditions,
        arms=arms,
        prompts=(PlannedPrompt(name=PROMPT, version="unknown"),),
        repeats=1 + max(one.repeat for one in answers),
        generation=None,
    )
    planned = plan_items(run_settings, with_pictures(stratified(items, seed=run_settings.seed)))
    labelled = zip(files, path_labels(files, what="file"), strict=True)
    prints = [fingerprint(path, settings.limits).model_copy(update={"name": label}) for path, label in labelled]
    imported = ImportedFrom(tool=spec.name, files=tuple(prints), unknown=spec.unknown)
    plan = planned.plan.model_copy(update={"imported": imported})
    return PlannedRun(plan, planned.items, planned.calls)


def _space(model: str, *, needed: bool) -> CoordinateSpace:
    guess = guess_coordinate_space(model)
    if needed and not guess.known:
        raise DiagnosticsError(
            f"the data asks for boxes or points, and nothing says what {model!r} measures them in; give --space"
        )
    return guess.space


def _unanswered(items: Sequence[SuiteItem], answers: Sequence[_Answer]) -> list[str]:
    """Items to which at least one model did not reply."""
    models = {one.model for one in answers}
    answered = {(one.item.id, one.model) for one in answers}
    return sorted(item.id for item in items if any((item.id, model) not in answered for model in models))


def _warnings(answers: Sequence[_Answer], unasked: Unasked) -> tuple[str, ...]:
    notes = defaultdict(list)
    for one in answers:
        for note in one.reply.notes:
            notes[note].append(one.row.place)
    several = [one.row.place for one in answers if one.repeat == 1]
    if several:
        notes["of several replies, and the tool's score of them all is not compared"] = several
    found = [f"{len(places):,} rows: {note} ({min(places)})" for note, places in sorted(notes.items())]
    return (*found, unasked.describe()) if unasked.reasons else tuple(found)


def _write(out: Path, planned: PlannedRun, answers: Sequence[_Answer], summary: ImportSummary) -> None:
    """The folder, made beside its place and moved there when it is whole."""
    part = out.with_name(f".{out.name}.{os.getpid()}.part")
    by_call = {(one.model, one.item.id, one.repeat): one for one in answers}
    calls = [(call, by_call.get((call.arm, call.item.id, call.repeat))) for call in planned.calls]
    found = [(call, answer) for call, answer in calls if answer is not None]
    try:
        folder = RunFolder(part)
        with folder.begun(planned):
            with folder.records.open("wb") as stream:
                for call, answer in found:
                    record = CallRecord(
                        key=call.key,
                        item=call.item.id,
                        condition=call.item.condition,
                        arm=call.arm,
                        prompt=call.prompt,
                        repeat=call.repeat,
                        seed=call.seed,
                        sent=() if answer.row.prompt is None else (("text", answer.row.prompt),),
                        reply=answer.reply,
                        spent=_spent(answer.reply),
                        at="",
                    )
                    stream.write(record_line(record))
                stream.flush()
                os.fsync(stream.fileno())
            write_old_scores(
                part,
                (
                    OldScore.of(call.key, call.item.id, call.arm, answer.row)
                    for call, answer in found
                    if len(answer.row.replies) == 1
                ),
            )
            # ASCII, so that any text survives, a lone surrogate included.
            text = json.dumps(summary.model_dump(mode="json"), indent=1, ensure_ascii=True)
            (part / SUMMARY).write_text(text + "\n", encoding="ascii")
        if out.exists():
            out.rmdir()
        part.rename(out)
    except OSError as error:
        raise DiagnosticsError(f"cannot write {out}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _spent(reply: Reply) -> Spent:
    """A reply was paid for, at a price and with tokens that nobody kept; of a failed call not even that is known."""
    return Spent() if reply.status is ReplyStatus.ERROR else Spent(calls=1, unpriced=1)
