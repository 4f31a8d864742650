"""Do the questions give their answers away to those who see no picture?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal

from ...degrade.seeds import derived_rng
from ..answer_format import AnswerType
from ..options import shuffled
from ..question import Question
from ..units import Unit
from .items import Item, as_item
from .judging import ALL_KINDS, Tally, merged, tallied
from .learned import KNOWING, LEARNED, Train
from .report import ConstantGuess, LeakReport, judged
from .rules import RULES, Scores

__all__ = ["audit_leaks", "pooled"]

_SEES: dict[str, Literal["options", "text"]] = {"always yes": "text", "always no": "text"}
_RELATIVE_ERRORS = tuple(round(0.5 - 0.05 * step, 2) for step in range(10))


def audit_leaks(questions: Iterable[Question], *, tolerance: float = 0.03, seed: int = 0) -> LeakReport:
    """Lets guessers without pictures answer the questions.

    Some look at the options and know a trick (longest, middle number, sector without neighbour, one that holds others);
    some have read the answers of half of the scenes and are tried on the other half, and the other way round. Questions
    for numbers have no chance level; the best constant answer is reported for each kind.

    A guesser leaks when it is beyond chance by more than the tolerance and more than luck would give any of them, see
    `p_values`; over all kinds, from 20,000 questions on, when it is beyond the tolerance at all. Fewer than 30
    questions or 7 scenes are too few to tell, which the report says. Below chance is no leak in itself: each trick is
    tried the other way round too, and who has learnt would have learnt to turn round.

    Args:
        questions: of any suites; learning needs two scenes at least.
        tolerance: distance above chance that is accepted.
        seed: of how the scenes are halved, and of what luck would give.
    """
    asked = list(questions)
    items = [item for item in map(as_item, asked) if item is not None]
    tallies: list[Tally] = []
    for name, rule in RULES.items():
        tallies += tallied(name, _SEES.get(name, "options"), _answered(rule, items))
    halves = _halves(sorted({question.scene for question in asked}), seed)
    if halves is not None:
        for name, train in LEARNED.items():
            tallies += tallied(name, "text", _crossed(train, items, halves))
        for name, train in KNOWING.items():
            tallies += tallied(name, "knowledge", _crossed(train, items, halves))
    return judged(len(asked), tallies, _constants(asked, halves), tolerance=tolerance, seed=seed)


def pooled(reports: Iterable[LeakReport], *, tolerance: float = 0.03, seed: int = 0) -> LeakReport:
    """Several suites as one whole: what each guesser reaches over all questions, without the kinds.

    Args:
        reports: of the suites; scenes of the same id are the same.
        tolerance, seed: as for `audit_leaks`.
    """
    found = list(reports)
    by_guesser: defaultdict[str, list[Tally]] = defaultdict(list)
    for report in found:
        for one in report.tallies:
            if one.kind == ALL_KINDS:
                by_guesser[one.guesser].append(one)
    whole = [merged(tallies) for tallies in by_guesser.values()]
    return judged(sum(one.questions for one in found), whole, (), tolerance=tolerance, seed=seed)


def _halves(scenes: list[str], seed: int) -> dict[str, int] | None:
    if len(scenes) < 2:
        return None
    return {scene: place % 2 for place, scene in enumerate(shuffled(derived_rng("leaks", seed), scenes))}


def _crossed(train: Train, items: Sequence[Item], halves: dict[str, int]) -> list[tuple[Item, float]]:
    """Each half answered by the guesser that has read the other one."""
    results: list[tuple[Item, float]] = []
    for half in (0, 1):
        read = [item for item in items if halves[item.scene] != half]
        tried = [item for item in items if halves[item.scene] == half]
        if read and tried:
            results += _answered(train(read), tried)
    return results


def _answered(scores: Scores, items: Sequence[Item]) -> list[tuple[Item, float]]:
    results = []
    for item in items:
        liked = scores(item)
        if liked is not None:
            best = max(liked)
            ties = sum(one == best for one in liked)
            results.append((item, (liked[item.right] == best) / ties))
    return results


def _constants(questions: Sequence[Question], halves: dict[str, int] | None) -> list[ConstantGuess]:
    """The constant that scores best on the one half, tried on the other; on all of them where there is one scene."""
    by_kind: defaultdict[tuple[str, bool], list[tuple[int, float]]] = defaultdict(list)
    for one in questions:
        if one.answer_type is AnswerType.NUMBER and isinstance(one.truth, int | float):
            half = halves[one.scene] if halves else 0
            by_kind[f"{one.suite}/{one.kind}", one.unit is Unit.COUNT].append((half, float(one.truth)))
    found = []
    for (kind, counted), values in sorted(by_kind.items()):
        total = 0.0
        answer = 0.0
        for half in (0, 1):
            tried = [value for side, value in values if side == half]
            read = [value for side, value in values if side != half] or tried
            if tried:
                answer = _best_constant(read, counted)
                total += sum(_closeness(answer, value, counted) for value in tried)
        found.append(ConstantGuess(kind, len(values), answer, total / len(values)))
    return found


def _best_constant(values: list[float], counted: bool) -> float:
    if counted:
        return max(sorted(Counter(values).items()), key=lambda pair: pair[1])[0]
    ordered = sorted(values)
    # Thirty-odd of the values themselves are tried; the score hardly changes between neighbours.
    tried = ordered[:: max(1, len(ordered) // 32)]
    return max(tried, key=lambda guess: sum(_closeness(guess, value, False) for value in ordered))


def _closeness(guess: float, truth: float, counted: bool) -> float:
    """Mean relative accuracy (the share of ten error bounds from 0.5 to 0.05 that are kept), or a hit."""
    if counted:
        return float(guess == truth)
    error = abs(guess - truth) / abs(truth) if truth else abs(guess)
    return sum(error <= bound + 1e-9 for bound in _RELATIVE_ERRORS) / len(_RELATIVE_ERRORS)
