"""The worst examples, chosen by a rule that can be stated."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....bench_data.questions import AnswerType
from ....tools.models.surrogates import without_lone_surrogates
from ...runs import STATUSES, RunItem
from ..summary import Example, ExampleReply, ShownPicture
from .observations import Observations
from .paired import ComparedSubjects

__all__ = ["example_rule", "worst_examples"]

_CHARACTERS: Final = 2000

Why = Literal["condition", "arm", "wrong"]


class _Candidate(NamedTuple):
    """An entry (subject, item, repeat) that lost against another one; the subject is -1 where there is no other."""

    loss: float
    rank: bytes
    before: tuple[int, int, int]
    after: tuple[int, int, int]


class _Pool(NamedTuple):
    """Candidates of one kind, under each condition in the order of their choice."""

    why: Why
    by_condition: dict[int, list[_Candidate]]


def example_rule(limit: int, seed: int) -> str:
    """How the examples were chosen, in words."""
    return (
        f"At most {limit} examples. Each subject that sees pictures, and each pair of a model and the model that wraps "
        "it, gives examples in turn; each takes one from each condition in turn: the largest loss of score, from clean "
        f"pictures or from the wrapped model; among equal losses by a draw with the seed {seed}. No question comes "
        "twice. Where nothing was lost anywhere, or nothing can be compared, the lowest scores are shown instead."
    )


def worst_examples(observed: Observations, compared: Sequence[ComparedSubjects], *, limit: int) -> tuple[Example, ...]:
    """The examples that `example_rule` describes.

    Raises:
        DiagnosticsError: a store changed while it was read.
    """
    pools = [
        _pool(observed, "arm", (one.before, observed.score[one.before]), one.after, limit)
        for one in compared
        if one.wraps and not observed.is_blind[one.after]
    ]
    seeing = np.flatnonzero(~observed.is_blind).tolist()
    pools += [
        _pool(observed, "condition", (subject, observed.clean_scores(subject)), subject, limit) for subject in seeing
    ]
    chosen = _chosen(observed, pools, limit)
    if not chosen:
        perfect = np.ones(observed.score.shape[1:])
        pools = [_pool(observed, "wrong", (-1, perfect), subject, limit) for subject in seeing]
        chosen = _chosen(observed, pools, limit)
    return tuple(_example(observed, why, candidate) for why, candidate in chosen)


def _pool(observed: Observations, why: Why, before: tuple[int, NDArray[np.float64]], after: int, limit: int) -> _Pool:
    """The candidates that can be chosen at all: of each condition those with the largest losses."""
    subject, scores = before
    with np.errstate(invalid="ignore"):
        losses = scores[:, 0] - observed.score[after][:, 0]
    losing = np.flatnonzero(losses > 0)
    found: dict[int, list[_Candidate]] = defaultdict(list)
    for place in range(len(observed.conditions)):
        here = losing[observed.condition[losing] == place]
        # Others are never reached, for each chosen example uses up one question.
        enough = np.sort(losses[here])[-limit:][:1]
        for item in here[losses[here] >= enough].tolist() if len(here) else ():
            names = (why, *observed.subjects[after].model_dump().values(), observed.items[item].id)
            twin = int(observed.clean[item]) if why == "condition" else item
            found[place].append(
                _Candidate(float(losses[item]), _rank(observed.seed, *names), (subject, twin, 0), (after, item, 0))
            )
        found[place].sort(key=lambda candidate: (-candidate.loss, candidate.rank))
    return _Pool(why, found)


def _chosen(observed: Observations, pools: Sequence[_Pool], limit: int) -> list[tuple[Why, _Candidate]]:
    used: set[str] = set()
    chosen: list[tuple[Why, _Candidate]] = []
    turns = [(pool.why, _in_turn(observed, pool, used)) for pool in pools]
    while turns and len(chosen) < limit:
        for turn in list(turns):
            why, candidates = turn
            fresh = next(candidates, None)
            if fresh is None:
                turns.remove(turn)
            elif len(chosen) < limit:
                used.add(observed.items[fresh.after[1]].question_id)
                chosen.append((why, fresh))
    return chosen


def _in_turn(observed: Observations, pool: _Pool, used: AbstractSet[str]) -> Iterator[_Candidate]:
    """One from each condition in turn, those left out whose question is used by then."""
    queues = [list(reversed(candidates)) for _, candidates in sorted(pool.by_condition.items())]
    while any(queues):
        for queue in queues:
            while queue:
                candidate = queue.pop()
                if observed.items[candidate.after[1]].question_id not in used:
                    yield candidate
                    break


def _example(observed: Observations, why: Why, candidate: _Candidate) -> Example:
    item = observed.items[candidate.after[1]]
    return Example(
        why=why,
        loss=candidate.loss,
        question_id=without_lone_surrogates(item.question_id),
        kind=without_lone_surrogates(item.kind_name),
        scene=without_lone_surrogates(item.scene),
        question=without_lone_surrogates(item.text),
        options={letter: without_lone_surrogates(text) for letter, text in (item.answer_format.options or {}).items()},
        truth=without_lone_surrogates(_truth(item)),
        before=None if why == "wrong" else _reply(observed, *candidate.before),
        after=_reply(observed, *candidate.after),
    )


def _reply(observed: Observations, subject: int, place: int, repeat: int) -> ExampleReply:
    item = observed.items[place]
    run = observed.runs[observed.run_of[subject]]
    record = run.record(int(observed.call[subject, place, repeat]))
    text = "" if record is None else without_lone_surrogates(record.reply.text)
    score = float(observed.score[subject, place, repeat])
    return ExampleReply(
        subject=observed.subjects[subject],
        condition=item.condition,
        pictures=tuple(
            ShownPicture(path=without_lone_surrogates(one.path), sha256=one.sha256, size=one.size)
            for one in item.pictures
        ),
        status=STATUSES[int(observed.status[subject, place, repeat])],
        score=score if np.isfinite(score) else None,
        text=text if len(text) <= _CHARACTERS else text[: _CHARACTERS - 1] + "…",
    )


def _truth(item: RunItem) -> str:
    truth, form = item.truth, item.answer_format
    if truth is None:
        return "a point on the mask" if item.mask is not None else ""
    if isinstance(truth, bool):
        return "yes" if truth else "no"
    if form.options and isinstance(truth, str) and truth in form.options:
        return f"{truth}. {form.options[truth]}"
    unit = "" if form.unit is None or form.unit.value == "count" else f" {form.unit.value}"
    if isinstance(truth, tuple):
        return ", ".join(f"{one:.4g}" for one in truth) + unit
    if form.answer_type is AnswerType.CLOCK:
        return f"{truth} o'clock"
    return f"{truth:.4g}{unit}" if isinstance(truth, float) else f"{truth}{unit}"


def _rank(seed: int, *names: str) -> bytes:
    text = "\x1f".join((str(seed), *names))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
