"""Our scores of an imported run against the other tool's: how many verdicts changed, and why."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from pydantic import BaseModel, ConfigDict

from ...bench_data.questions import AnswerType
from ...tools.models import Reply, ReplyStatus
from ..errors import DiagnosticsError
from ..metrics import ERROR_STATUS
from ..replies import parse_reply
from ..runs import RunFolder
from ..runs.items import RunItem
from ..runs.judged import MISSING_STATUS, STATUSES, JudgedRun, judged_run
from ..runs.scoring import is_right_or_wrong
from .old_scores import OldScore, read_old_scores
from .registry import RUN_FORMATS

__all__ = ["Change", "ChangeReason", "Comparison", "Example", "compare_scores"]

_SAME: Final = 1e-3
"""Scores this close are the same: tools round when they write."""
_EXAMPLES: Final = 3
_SHOWN_CHARACTERS: Final = 200


class ChangeReason(StrEnum):
    """Why a score changed, in words for people."""

    FAILED_CALL = "a failed call was scored; here it is an error, outside of the mean"
    REFUSAL = "a refusal was taken for an answer"
    NO_ANSWER = "a reply without an answer was given credit"
    AMBIGUOUS = "a reply that gives two answers was given credit"
    TRUNCATED = "a reply that was cut off before its answer was given credit"
    INVALID = "an answer outside of what the question allows was given credit"
    MISSED = "a right answer was not found there"
    OTHER = "another answer was found there"
    GRADED = "right or wrong there, graded by its error here"
    MEASURE = "the same answer is measured differently"


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Example(_Value):
    """A score that changed.

    Attributes:
        item, arm: of the run.
        place: where its row stands.
        reply: the beginning of it, or why there is none.
        truth: the right answer.
        old, new: scores; None for a call that failed.
        old_reading, new_reading: what was taken for the answer; None where it is not known, or there is none.
    """

    item: str
    arm: str
    place: str
    reply: str
    truth: str
    old: float
    new: float | None
    old_reading: str | None
    new_reading: str | None


class Change(_Value):
    """All scores that changed for one reason.

    Attributes:
        up, down: how many are higher, or lower, here than there; failed calls are neither.
    """

    reason: ChangeReason
    count: int
    up: int
    down: int
    examples: tuple[Example, ...]


class Comparison(_Value):
    """Two tools' scores of the same replies of one model.

    Attributes:
        arm: the model.
        score: the other tool's name for its score; "" when it gave none.
        compared: replies with both scores; ``old_mean`` and ``new_mean`` are over these.
        failed_calls: that have a score there.
        unscored_there: replies without a score in the old files.
        unscored_here: replies that nothing here can score: no truth, or a reference that is a whole sentence.
        changed: of these two together.
        changes: by reason, the most frequent first.
    """

    arm: str
    score: str
    compared: int
    failed_calls: int
    old_mean: float | None
    new_mean: float | None
    unscored_there: int
    unscored_here: int
    changed: int
    changes: tuple[Change, ...]

    def lines(self) -> list[str]:
        """For people."""
        scored = self.compared + self.failed_calls
        if not scored:
            return [f"{self.arm}: the files hold no score of their own to compare with"]
        means = ""
        if self.old_mean is not None and self.new_mean is not None:
            means = f"; mean {self.old_mean:.3f} there, {self.new_mean:.3f} here"
        lines = [f"{self.arm}, {self.score}: {self.changed:,} of {scored:,} scores changed{means}"]
        for change in self.changes:
            lines.append(f"  {change.count:,}: {change.reason.value} ({change.up:,} up, {change.down:,} down)")
            for one in change.examples:
                new = "error" if one.new is None else f"{one.new:.2f}"
                lines.append(
                    f"    {one.item} ({one.place}): {one.old:.2f} -> {new}; the truth is {one.truth}; {one.reply!r}"
                )
        if self.unscored_here:
            lines.append(f"  {self.unscored_here:,} replies cannot be scored here (no truth, or a sentence for one)")
        if self.unscored_there:
            lines.append(f"  {self.unscored_there:,} replies have no score there")
        return lines


def compare_scores(folder: RunFolder, *, score: str | None = None) -> tuple[Comparison, ...]:
    """Compares the scores of an imported run with those that its files brought along; nothing is asked or read anew.

    Args:
        folder: of a run that `import_run` made.
        score: the other tool's name of the score to compare with; None takes its main one.

    Returns:
        One comparison a model.

    Raises:
        DiagnosticsError: the folder is no imported run, is damaged, or its files had no such score.
    """
    plan = folder.plan()
    if plan.imported is None:
        raise DiagnosticsError(f"{folder.root} was not imported, so there is nothing to compare with")
    old: dict[str, dict[str, OldScore]] = defaultdict(dict)
    for one in read_old_scores(folder.root):
        old[one.arm][one.item] = one
    names = {name for scores in old.values() for one in scores.values() for name in one.scores}
    if score is not None and score not in names:
        raise DiagnosticsError(f"no row has a score {score!r}; the files have: {', '.join(sorted(names)) or 'none'}")
    chosen = score or _main_score(plan.imported.tool, names)
    run = judged_run(folder)
    return tuple(_compared(run, place, arm.name, old[arm.name], chosen) for place, arm in enumerate(plan.settings.arms))


def _main_score(tool: str, names: set[str]) -> str:
    """The score that a tool is known by; otherwise the only one there is."""
    known = RUN_FORMATS.get(tool).main_score
    found = [name for name in known if name in names] or sorted(names)
    if len(found) > 1 and not set(found) <= set(known):
        raise DiagnosticsError(f"the files have several scores ({', '.join(found)}); name one with --score")
    return found[0] if found else ""


@dataclass(frozen=True, slots=True)
class _Pair:
    """A reply scored twice."""

    old: OldScore
    item: RunItem
    reply: Reply
    status: str
    there: float
    here: float | None


def _compared(run: JudgedRun, arm: int, name: str, old: Mapping[str, OldScore], score: str) -> Comparison:
    pairs: list[_Pair] = []
    changed: list[_Pair] = []
    unscored_there = unscored_here = 0
    for call in np.flatnonzero(run.arm == arm).tolist():
        item, status = run.items[run.item[call]], STATUSES[run.status[call]]
        row = old.get(item.id)
        if status == MISSING_STATUS or row is None:
            continue
        there = row.scores.get(score)
        here = float(run.score[call]) if np.isfinite(run.score[call]) else None
        if there is None:
            unscored_there += 1
        elif here is None and status != ERROR_STATUS:
            unscored_here += 1
        else:
            record = run.record(call) if here is None or abs(here - there) > _SAME else None
            pair = _Pair(row, item, record.reply if record else _NO_REPLY, status, there, here)
            pairs.append(pair)
            if record is not None:
                changed.append(pair)
    both = [(pair.there, pair.here) for pair in pairs if pair.here is not None]
    return Comparison(
        arm=name,
        score=score,
        compared=len(both),
        failed_calls=len(pairs) - len(both),
        old_mean=sum(there for there, _ in both) / len(both) if both else None,
        new_mean=sum(here for _, here in both) / len(both) if both else None,
        unscored_there=unscored_there,
        unscored_here=unscored_here,
        changed=len(changed),
        changes=_changes(changed),
    )


_NO_REPLY: Final = Reply(status=ReplyStatus.OK)


def _changes(pairs: Sequence[_Pair]) -> tuple[Change, ...]:
    by_reason: dict[ChangeReason, list[_Pair]] = defaultdict(list)
    for pair in pairs:
        by_reason[_reason(pair)].append(pair)
    counts = Counter({reason: len(members) for reason, members in by_reason.items()})
    return tuple(
        Change(
            reason=reason,
            count=counts[reason],
            up=sum(pair.here is not None and pair.here > pair.there for pair in by_reason[reason]),
            down=sum(pair.here is not None and pair.here < pair.there for pair in by_reason[reason]),
            examples=tuple(_example(pair) for pair in by_reason[reason][:_EXAMPLES]),
        )
        for reason in sorted(counts, key=lambda reason: (-counts[reason], reason.name))
    )


_UNREAD: Final = {
    "refusal": ChangeReason.REFUSAL,
    "no_answer": ChangeReason.NO_ANSWER,
    "ambiguous": ChangeReason.AMBIGUOUS,
    "truncated": ChangeReason.TRUNCATED,
    "invalid": ChangeReason.INVALID,
}


def _reason(pair: _Pair) -> ChangeReason:
    if pair.here is None:
        return ChangeReason.FAILED_CALL
    if pair.status in _UNREAD and pair.here == 0.0:
        return _UNREAD[pair.status]
    if is_right_or_wrong(pair.item.answer_format):
        return ChangeReason.MISSED if pair.here > pair.there else ChangeReason.OTHER
    there_is_verdict = pair.there in (0.0, 1.0)
    if there_is_verdict and 0.0 < pair.here < 1.0:
        return ChangeReason.GRADED
    if pair.here == 0.0 or pair.there == 0.0:
        return ChangeReason.MISSED if pair.here > pair.there else ChangeReason.OTHER
    return ChangeReason.MEASURE


def _example(pair: _Pair) -> Example:
    fault = pair.reply.fault
    return Example(
        item=pair.item.id,
        arm=pair.old.arm,
        place=f"{pair.old.file} line {pair.old.line}",
        reply=_short(pair.reply.text or (fault.message if fault else "")),
        truth=_short(_words(pair.item.truth)),
        old=pair.there,
        new=pair.here,
        old_reading=pair.old.reading,
        new_reading=_reading(pair),
    )


def _reading(pair: _Pair) -> str | None:
    if pair.here is None or pair.item.answer_format.answer_type in (AnswerType.BOX, AnswerType.POINT):
        return None
    value = parse_reply(pair.item.answer_format, pair.reply, intervals="midpoint").value
    return None if value is None else _short(_words(value))


def _words(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "on the mask" if value is None else str(value)


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 1] + "…"
