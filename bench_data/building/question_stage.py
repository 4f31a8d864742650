"""Asks the questions of all scenes, once for all conditions."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from ..degrade.record_file import read_json_file
from ..errors import BenchDataError
from ..questions import QUESTION_SUITES, Question, QuestionSuite, Refusals, SceneTruth, SuiteSettings, question_to_json
from ..questions.truth_file import read_truth
from .layout import SUMMARY, mark_file, question_file, truth_file
from .output import Output
from .settings import BuildSettings, SceneSpec

__all__ = ["QuestionSummary", "Refused", "SuiteSummary", "read_mark_numbers", "read_summary", "write_questions"]

_FORMAT: Final = "seeworthy question summary 1"


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Refused(_Entry):
    """Candidates that were not asked about."""

    kind: str
    reason: str
    count: int


class SuiteSummary(_Entry):
    """What became of one suite."""

    questions: int
    by_kind: dict[str, int]
    refused: tuple[Refused, ...]
    marked: bool


class QuestionSummary(_Entry):
    """What became of all suites."""

    format: Literal["seeworthy question summary 1"] = _FORMAT
    suites: dict[str, SuiteSummary]


def write_questions(
    settings: BuildSettings, specs: Sequence[SceneSpec], output: Output, on_scene: Callable[[int], None]
) -> QuestionSummary:
    """Writes the questions of every suite, the numbers of marks, and a summary.

    Args:
        settings, specs: of the data set.
        output: where the truths lie and the questions go.
        on_scene: called after each scene with the number of its questions.
    """
    suites = [QUESTION_SUITES.get(name) for name in settings.suites]
    shares = _label_shares(specs, output.root)
    chosen = [_suite_settings(suite, settings, shares) for suite in suites]
    counts: dict[str, Counter[str]] = {suite.name: Counter() for suite in suites}
    refusals = {suite.name: Refusals() for suite in suites}
    marked: set[str] = set()
    with ExitStack() as stack:
        files = [stack.enter_context(output.open(question_file(suite.name))) for suite in suites]
        for spec in specs:
            truth = read_truth(output.root / truth_file(spec.id))
            asked = 0
            for suite, own, file in zip(suites, chosen, files, strict=True):
                numbers = _MarkNumbers(suite.name, truth)
                for question in suite.generate(truth, own, settings.seed, refusals[suite.name]):
                    file.write((question_to_json(question) + "\n").encode())
                    counts[suite.name][question.kind] += 1
                    numbers.add(question)
                    asked += 1
                if numbers.by_view:
                    marked.add(suite.name)
                    output.write(mark_file(suite.name, spec.id), numbers.as_json())
            on_scene(asked)
    summary = QuestionSummary(
        suites={
            name: SuiteSummary(
                questions=counts[name].total(),
                by_kind=dict(sorted(counts[name].items())),
                refused=tuple(
                    Refused(kind=kind, reason=reason, count=count)
                    for (kind, reason), count in sorted(refusals[name].counts.items())
                ),
                marked=name in marked,
            )
            for name in settings.suites
        }
    )
    output.write(SUMMARY, (summary.model_dump_json(indent=1) + "\n").encode())
    return summary


def read_summary(root: Path) -> QuestionSummary:
    """The summary of a data set's questions.

    Raises:
        BenchDataError: no such file, or one of another form.
    """
    return read_json_file(root / SUMMARY, QuestionSummary, "summary of questions")


def read_mark_numbers(root: Path, suites: Sequence[str], scene: str) -> dict[str, dict[str, dict[int, int]]]:
    """Suite -> view -> object -> the number that is drawn on it; only suites that mark something in this scene.

    Raises:
        BenchDataError: a file of another form.
    """
    found = {}
    for suite in suites:
        path = root / mark_file(suite, scene)
        if path.is_file():
            try:
                by_view = json.loads(path.read_text(encoding="utf-8"))
                found[suite] = {
                    view: {int(one): int(number) for one, number in numbers.items()}
                    for view, numbers in by_view.items()
                }
            except (OSError, ValueError, AttributeError, TypeError) as error:
                raise BenchDataError(f"cannot read {path}: {error}; build the data set again") from error
    return found


class _MarkNumbers:
    """Collects which numbers the questions of a suite want on which pictures of a scene."""

    def __init__(self, suite: str, truth: SceneTruth) -> None:
        self._suite = suite
        self._truth = truth
        self._seen = {view.name: view.seen for view in truth.views}
        self.by_view: dict[str, dict[int, int]] = defaultdict(dict)

    def add(self, question: Question) -> None:
        """Adds the marks of a question.

        Raises:
            BenchDataError: the suite wants two numbers on one object, or one number on two.
        """
        for view in question.views if question.marks else ():
            numbers = self.by_view[view]
            for one, number in question.marks.items():
                if one in self._seen[view] and numbers.setdefault(one, number) != number:
                    raise BenchDataError(
                        f"suite {self._suite} marks object {one} of {self._truth.scene}/{view} with {numbers[one]} and "
                        f"with {number}; its questions on a picture must share their marks"
                    )

    def as_json(self) -> bytes:
        """The numbers by picture."""
        by_view = {
            view: {str(one): number for one, number in sorted(numbers.items())}
            for view, numbers in sorted(self.by_view.items())
        }
        return (json.dumps(by_view, indent=1) + "\n").encode()


def _label_shares(specs: Sequence[SceneSpec], root: Path) -> dict[str, float]:
    """Category -> share of the scenes that hold it; empty for a single scene, which says nothing about others."""
    if len(specs) < 2:
        return {}
    holding: Counter[str] = Counter()
    for spec in specs:
        truth = read_truth(root / truth_file(spec.id))
        holding.update({one.label for one in truth.objects.values()})
    return {label: count / len(specs) for label, count in sorted(holding.items())}


def _suite_settings(suite: QuestionSuite, settings: BuildSettings, shares: dict[str, float]) -> SuiteSettings:
    values: dict[str, object] = {"published": settings.published, "most_per_kind": settings.most_per_kind}
    if shares and "label_shares" in suite.settings.model_fields:
        values["label_shares"] = shares
    if "questions_factor" in suite.settings.model_fields:
        values["questions_factor"] = settings.questions_factor
    return suite.settings.model_validate(values)
