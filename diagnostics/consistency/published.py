"""Consistency as published with CRISP, faults included; the sound one is `consistency`.

Kept so that results stay comparable. Known faults: a derivation that is undefined, or a missing answer, counts as
inconsistent and stays in the mean; numbers are compared by relative accuracy with the model's own answer as the
reference, so that the order matters; nothing is taken off for chance; and answers are read by another, more lenient
parser than for the question score.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ..metrics import mean_relative_accuracy
from ..replies.published.crisp import extract_answer_lenient, extract_float

__all__ = ["PublishedConsistency", "PublishedItem", "published_consistency", "published_match"]

FAILED = "FAILED"
"""How a published derivation that is undefined starts."""


@dataclass(frozen=True, slots=True)
class PublishedItem:
    """One question with its answers as texts.

    Args:
        form: "MCQ" for a letter, "NA" for a number.
        ability, difficulty: as published.
        reply: what the model said.
        derived: the letter or number that follows from its graph, or a text that starts with "FAILED".
    """

    form: Literal["MCQ", "NA"]
    ability: str
    difficulty: str
    reply: str
    derived: str


@dataclass(frozen=True)
class PublishedConsistency:
    """The published values; all in [0, 1], higher is better.

    Attributes:
        overall: the unweighted mean of ``by_group``; None without items.
        by_group: (form, ability) -> mean.
        by_difficulty: plain means over the items.
        valid_rate: share of derivations that did not fail.
    """

    overall: float | None
    by_group: Mapping[tuple[str, str], float]
    by_difficulty: Mapping[str, float]
    valid_rate: float | None


def published_match(form: Literal["MCQ", "NA"], derived: str, reply: str) -> float:
    """How well a derived answer matches a reply: letters exactly, numbers by MRA with the reply as the reference.

    >>> published_match("MCQ", "B", "I think it is B"), published_match("MCQ", "FAILED: Missing Data", "B")
    (1.0, 0.0)
    >>> published_match("NA", "2", "3"), published_match("NA", "3", "2")
    (0.4, 0.1)
    """
    answer = extract_answer_lenient(reply)
    if derived.startswith(FAILED) or not answer:
        return 0.0
    if form == "MCQ":
        return float(extract_answer_lenient(derived).upper() == answer.upper())
    told, own = extract_float(extract_answer_lenient(derived)), extract_float(answer)
    return mean_relative_accuracy(told, own, published="crisp_consistency")


def published_consistency(items: Iterable[PublishedItem]) -> PublishedConsistency:
    """The published consistency of a model."""
    groups: dict[tuple[str, str], list[float]] = defaultdict(list)
    levels: dict[str, list[float]] = defaultdict(list)
    valid: list[float] = []
    for item in items:
        score = published_match(item.form, item.derived, item.reply)
        groups[item.form, item.ability].append(score)
        levels[item.difficulty].append(score)
        valid.append(float(not item.derived.startswith(FAILED)))
    by_group = {name: _mean(scores) for name, scores in groups.items()}
    return PublishedConsistency(
        overall=_mean(list(by_group.values())) if by_group else None,
        by_group=by_group,
        by_difficulty={name: _mean(scores) for name, scores in levels.items()},
        valid_rate=_mean(valid) if valid else None,
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
