"""Key audit: every stored answer is worked out again, from the scene and from its own derivation."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ..errors import BenchDataError
from .answer_format import AnswerType
from .derivation import answer_from_derivation
from .evaluate import evaluate
from .facts import SceneFacts
from .options import number_key
from .question import Question, Truth
from .scene_truth import SceneTruth

__all__ = ["KeyFault", "KeyReport", "audit_keys"]

_RELATIVE, _ABSOLUTE = 1e-6, 1e-6
"""Tolerance of measured values: keys may be stored to the micrometre."""
_MARGIN_TOLERANCE = 1e-6
_SHOWN = 20


@dataclass(frozen=True, slots=True)
class KeyFault:
    """What is wrong with a question."""

    question: str
    kind: str
    what: str


@dataclass(frozen=True)
class KeyReport:
    """The result of a key audit.

    Args:
        questions: checked in all.
        faults: in the questions' order; a question may have several.
        derived: questions whose derivation gave an answer, by kind.
        not_derived: the others; their facts are for people only.
    """

    questions: int
    faults: tuple[KeyFault, ...]
    derived: Mapping[str, int] = field(default_factory=dict)
    not_derived: Mapping[str, int] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether all keys are right."""
        return not self.faults

    def as_text(self) -> str:
        """The faults, and a summary in the last line."""
        lines = [f"{fault.question} ({fault.kind}): {fault.what}" for fault in self.faults[:_SHOWN]]
        if len(self.faults) > _SHOWN:
            lines.append(f"... and {len(self.faults) - _SHOWN} more")
        lines.append(
            f"{self.questions} keys checked against their scenes, {sum(self.derived.values())} of them against their "
            f"derivations too: {len(self.faults)} faults"
        )
        return "\n".join(lines)


def audit_keys(questions: Iterable[Question], truths: Iterable[SceneTruth]) -> KeyReport:
    """Checks the answers of questions of any suites.

    Each is evaluated anew by the plain reference, compared with what its own derivation gives, and looked over: one and
    only one option holds the answer, no option is there twice, no name is missing from the text, no id is given twice.

    Args:
        questions: with their stored answers.
        truths: of all scenes that they speak of.
    """
    scenes = {truth.scene: truth for truth in truths}
    facts: dict[tuple[str, tuple[str, ...]], SceneFacts] = {}
    faults: list[KeyFault] = []
    derived: Counter[str] = Counter()
    not_derived: Counter[str] = Counter()
    ids: set[str] = set()
    count = 0
    for one in questions:
        count += 1
        if one.id in ids:
            faults.append(KeyFault(one.id, one.kind, "another question has this id"))
        ids.add(one.id)
        found = [*_against_scene(one, scenes, facts), *_form(one)]
        answer = answer_from_derivation(one)
        if answer is None:
            not_derived[one.kind] += 1
        else:
            derived[one.kind] += 1
            if not _agrees(one, answer):
                found.append(f"the derivation gives {answer!r}, the key is {one.truth!r}")
        faults += [KeyFault(one.id, one.kind, what) for what in found]
    return KeyReport(count, tuple(faults), dict(sorted(derived.items())), dict(sorted(not_derived.items())))


def _against_scene(
    one: Question,
    scenes: Mapping[str, SceneTruth],
    cache: dict[tuple[str, tuple[str, ...]], SceneFacts],
) -> Iterator[str]:
    truth = scenes.get(one.scene)
    if truth is None:
        yield f"there is no truth of scene {one.scene!r}"
        return
    try:
        facts = cache.get((one.scene, one.views))
        if facts is None:
            facts = cache[one.scene, one.views] = truth.facts([truth.view_index(name) for name in one.views])
        found = evaluate(one.query, facts)
    except BenchDataError as error:
        yield f"has no answer: {error}"
        return
    if not _agrees(one, found.value):
        yield f"the scene gives {found.value!r}, the key is {one.truth!r}"
    if one.margin is not None and found.margin is not None:
        if abs(one.margin - found.margin) > _MARGIN_TOLERANCE * max(1.0, abs(found.margin)):
            yield f"the scene gives the margin {found.margin:.6g}, stored is {one.margin:.6g}"
    elif one.margin is not None or found.margin is not None:
        yield f"the scene gives the margin {found.margin}, stored is {one.margin}"


def _form(one: Question) -> Iterator[str]:
    if one.answer_type is AnswerType.CHOICE:
        keys = [option.key for option in one.options]
        if keys.count(str(one.truth)) != 1:
            yield f"the key {one.truth!r} is not exactly one of the options {keys}"
        for what, values in (("key", keys), ("text", [option.text for option in one.options])):
            if len(set(values)) != len(values):
                yield f"two options have the same {what}: {values}"
    for number, name in one.names.items():
        if name not in one.text and not any(name in option.text for option in one.options):
            yield f"object {number} is named {name!r}, which the text does not say"


def _agrees(one: Question, found: Truth) -> bool:
    """Whether an answer is the stored one: numbers within rounding, of a choice the key."""
    truth = one.truth
    if one.answer_type is AnswerType.CHOICE and not isinstance(found, str | tuple) and isinstance(truth, str):
        return truth == _as_key(found, truth)
    if isinstance(truth, bool) or isinstance(found, bool) or isinstance(truth, str):
        return truth == found
    expected = truth if isinstance(truth, tuple) else (truth,)
    got = found if isinstance(found, tuple) else (found,)
    return (
        isinstance(truth, tuple) == isinstance(found, tuple)
        and len(expected) == len(got)
        and all(
            not isinstance(b, str) and math.isclose(a, b, rel_tol=_RELATIVE, abs_tol=_ABSOLUTE)
            for a, b in zip(expected, got, strict=True)
        )
    )


def _as_key(value: bool | int | float, like: str) -> str:
    """The key that a plain value has among options: "yes", "3", or a number with as many decimals as ``like``."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return number_key(value, len(like.partition(".")[2]))
