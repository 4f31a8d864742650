"""Key audit: every stored answer is worked out again, from the scene and from its own derivation.

Four routes, none of which uses what made the key: the plain reference evaluates the query in the scene; the answer is
read from the stored derivation; the numbers of the derivation are measured anew in the scene; and where an object was
seen is held against where its box in the scene projects to.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ..errors import BenchDataError
from .answer_format import AnswerType
from .derivation import answer_from_derivation
from .evaluate import evaluate, located
from .facts import SceneFacts
from .options import number_key
from .query import Locate
from .question import Question, Truth
from .remeasured import measured_anew
from .scene_truth import SceneTruth
from .units import Unit

__all__ = ["KeyFault", "KeyReport", "audit_keys"]

_RELATIVE, _ABSOLUTE = 1e-6, 1e-6
"""Tolerance of measured values: keys may be stored to the micrometre."""
_MARGIN_TOLERANCE = 1e-6
_PUBLISHED_DECIMALS = 2
"""Published rules may round their keys to hundredths."""
_LEAST_SHARE_IN_PROJECTION = 0.5
"""What shows of an object may stick out of its box, as leaves do, but not most of it."""
_PROJECTION_SLACK_PX = 3.0
_SHOWN = 20

Box = tuple[float, float, float, float]


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
        measured: questions whose derivation was measured anew in the scene, number by number, by kind.
        projected: questions whose places were held against the projection of the object's box, by kind.
    """

    questions: int
    faults: tuple[KeyFault, ...]
    derived: Mapping[str, int] = field(default_factory=dict)
    not_derived: Mapping[str, int] = field(default_factory=dict)
    measured: Mapping[str, int] = field(default_factory=dict)
    projected: Mapping[str, int] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether all keys are right."""
        return not self.faults

    def as_text(self) -> str:
        """The faults, and how many keys were checked by which route in the last line."""
        lines = [f"{fault.question} ({fault.kind}): {fault.what}" for fault in self.faults[:_SHOWN]]
        if len(self.faults) > _SHOWN:
            lines.append(f"... and {len(self.faults) - _SHOWN} more")
        lines.append(
            f"{self.questions} keys checked against their scenes, {sum(self.derived.values())} of them against their "
            f"derivations too, {sum(self.measured.values())} derivations measured anew, "
            f"{sum(self.projected.values())} places held against projected boxes: {len(self.faults)} faults"
        )
        return "\n".join(lines)


def audit_keys(questions: Iterable[Question], truths: Iterable[SceneTruth]) -> KeyReport:
    """Checks the answers of questions of any suites.

    Each is evaluated anew by the plain reference, compared with what its own derivation gives, whose numbers are
    measured anew, and looked over: one and only one option holds the answer, no option is there twice, no name is
    missing from the text, no id is given twice.

    Args:
        questions: with their stored answers.
        truths: of all scenes that they speak of.
    """
    audit = _Audit({truth.scene: truth for truth in truths})
    for one in questions:
        audit.check(one)
    return audit.report()


class _Audit:
    """Goes through questions one by one."""

    def __init__(self, scenes: Mapping[str, SceneTruth]) -> None:
        self._scenes = scenes
        self._facts: dict[tuple[str, tuple[str, ...]], SceneFacts] = {}
        self._faults: list[KeyFault] = []
        self._routes: dict[str, Counter[str]] = {name: Counter() for name in _ROUTES}
        self._ids: set[str] = set()
        self._count = 0

    def check(self, one: Question) -> None:
        self._count += 1
        found = [*_form(one)]
        if one.id in self._ids:
            found.append("another question has this id")
        self._ids.add(one.id)
        answer = answer_from_derivation(one)
        self._routes["not_derived" if answer is None else "derived"][one.kind] += 1
        if answer is not None and not _agrees(one, answer):
            found.append(f"the derivation gives {answer!r}, the key is {one.truth!r}")
        try:
            facts = self._facts_of(one)
            found += _against_scene(one, facts)
            if answer is not None:
                self._routes["measured"][one.kind] += 1
                found += _against_measurement(one, facts)
            found += self._place(one, facts)
        except BenchDataError as error:
            found.append(f"has no answer: {error}")
        self._faults += [KeyFault(one.id, one.kind, what) for what in found]

    def report(self) -> KeyReport:
        routes = {name: dict(sorted(counts.items())) for name, counts in self._routes.items()}
        return KeyReport(self._count, tuple(self._faults), **routes)

    def _facts_of(self, one: Question) -> SceneFacts:
        key = one.scene, one.views
        facts = self._facts.get(key)
        if facts is None:
            truth = self._scenes.get(one.scene)
            if truth is None:
                raise BenchDataError(f"there is no truth of scene {one.scene!r}")
            facts = self._facts[key] = truth.facts([truth.view_index(name) for name in one.views])
        return facts

    def _place(self, one: Question, facts: SceneFacts) -> Iterator[str]:
        query, place = one.query, one.truth
        if not isinstance(query, Locate) or not isinstance(place, tuple) or len(place) not in (2, 4):
            return
        number = located(query, facts)
        projected = _projected_box_px(number, query.view, facts)
        if projected is not None:
            self._routes["projected"][one.kind] += 1
            yield from _against_projection(place, number, projected)


_ROUTES = ("derived", "not_derived", "measured", "projected")


def _against_scene(one: Question, facts: SceneFacts) -> Iterator[str]:
    found = evaluate(one.query, facts)
    if not _agrees(one, found.value):
        yield f"the scene gives {found.value!r}, the key is {one.truth!r}"
    if one.margin is not None and found.margin is not None:
        if abs(one.margin - found.margin) > _MARGIN_TOLERANCE * max(1.0, abs(found.margin)):
            yield f"the scene gives the margin {found.margin:.6g}, stored is {one.margin:.6g}"
    elif one.margin is not None or found.margin is not None:
        yield f"the scene gives the margin {found.margin}, stored is {one.margin}"


def _against_measurement(one: Question, facts: SceneFacts) -> Iterator[str]:
    """Whether the numbers of a derivation that fits its query are those of the scene."""
    for fact, measured in zip(one.derivation, measured_anew(one.query, facts), strict=True):
        difference = fact.value - measured
        if fact.unit is Unit.DEGREE:
            difference = math.remainder(difference, 360)
        if abs(difference) > max(_ABSOLUTE, _RELATIVE * abs(measured)):
            yield f"the derivation says {fact.value:.6g} ({fact.what}), the scene {measured:.6g}"


def _projected_box_px(number: int, view: int, facts: SceneFacts) -> Box | None:
    """(x0, y0, x1, y1) around an object's corners in a picture, and a little more; None where one is not imaged."""
    corners = facts.camera(view).project(facts.box(number).corners_m)
    if not corners.imaged.all():
        return None
    (x0, y0), (x1, y1) = corners.points_px.min(axis=0).tolist(), corners.points_px.max(axis=0).tolist()
    slack = _PROJECTION_SLACK_PX
    return x0 - slack, y0 - slack, x1 + slack, y1 + slack


def _against_projection(found: tuple[float, ...], number: int, projected: Box) -> Iterator[str]:
    """Whether an object was seen where its box is: independent of the rendering that the places come from."""
    x0, y0, x1, y1 = found if len(found) == 4 else (*found, *found)
    left, top, right, bottom = projected
    width, height = min(x1, right) - max(x0, left), min(y1, bottom) - max(y0, top)
    if len(found) == 2:
        agree = width >= 0 and height >= 0
    else:
        agree = max(0.0, width) * max(0.0, height) >= _LEAST_SHARE_IN_PROJECTION * (x1 - x0) * (y1 - y0)
    if not agree:
        where, there = ([round(value) for value in place] for place in (found, projected))
        yield f"object {number} is said to be seen at {where}, its box projects to {there}"


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
            not isinstance(b, str) and (_close(a, b) or (one.published and _rounded(a, b)))
            for a, b in zip(expected, got, strict=True)
        )
    )


def _close(key: float, found: float) -> bool:
    return math.isclose(key, found, rel_tol=_RELATIVE, abs_tol=_ABSOLUTE)


def _rounded(key: float, found: float) -> bool:
    """Whether a key is a number rounded as published rules round, either way at a tie."""
    half = 0.5 * 10**-_PUBLISHED_DECIMALS
    return key == round(key, _PUBLISHED_DECIMALS) and abs(key - found) <= half + _ABSOLUTE


def _as_key(value: bool | int | float, like: str) -> str:
    """The key that a plain value has among options: "yes", "3", or a number with as many decimals as ``like``."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return number_key(value, len(like.partition(".")[2]))
