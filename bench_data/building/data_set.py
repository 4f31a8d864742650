"""DataSet: a finished data set, as those who ask models its questions need it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from pydantic import ValidationError

from ..errors import BenchDataError
from ..questions import Question, SceneTruth
from ..questions.truth_file import read_truth
from .answer_stage import ConditionAnswer, read_questions
from .conditions import CLEAN
from .layout import answer_file, question_file, record_file, truth_file
from .manifest import Manifest, read_manifest
from .picture_record import PictureRecord, read_picture_record
from .question_stage import QuestionSummary, read_summary
from .settings import BuildSettings

__all__ = ["AskedQuestion", "DataSet"]


@dataclass(frozen=True)
class AskedQuestion:
    """A question as it is asked under one condition.

    Args:
        question: with the truth of this condition's pixels.
        condition: its label.
        pictures: files to show, in order; with marks where the question speaks of marks.
        has_truth: false where the place that is asked for left the picture; the truth is that of the clean one then.
        answerable: someone might answer it; where not, a model does right to say so.
        why: not, if not.
    """

    question: Question
    condition: str
    pictures: tuple[Path, ...]
    has_truth: bool
    answerable: bool
    why: str


class DataSet:
    """A data set on disk.

    Args:
        root: its folder.
        settings: of one that is still being built; None for a finished one, whose manifest has them.

    Raises:
        BenchDataError: the folder holds no finished data set.
    """

    def __init__(self, root: str | Path, settings: BuildSettings | None = None) -> None:
        self.root = Path(root)
        self.settings = self.manifest.settings if settings is None else settings

    @cached_property
    def manifest(self) -> Manifest:
        """What it was made with, and the hash of every file."""
        return read_manifest(self.root)

    @property
    def scenes(self) -> tuple[str, ...]:
        """Ids of all scenes, in order."""
        return tuple(one.id for one in self.settings.scene_specs())

    @property
    def conditions(self) -> tuple[str, ...]:
        """Labels of all conditions, in order."""
        return tuple(one.label for one in self.settings.conditions)

    @property
    def suites(self) -> tuple[str, ...]:
        """Names of all suites, in order."""
        return self.settings.suites

    def truth(self, scene: str) -> SceneTruth:
        """The truth of a scene."""
        return read_truth(self.root / truth_file(scene))

    def truths(self) -> Iterator[SceneTruth]:
        """The truths of all scenes, one at a time."""
        return (self.truth(scene) for scene in self.scenes)

    def questions(self, suite: str) -> Iterator[Question]:
        """The questions of a suite as made, one at a time; the same for all conditions."""
        return read_questions(self.root / question_file(suite))

    def summary(self) -> QuestionSummary:
        """How many questions of each kind there are, and which candidates were refused."""
        return read_summary(self.root)

    def record(self, condition: str, scene: str, view: str) -> PictureRecord:
        """What is known of a picture."""
        return read_picture_record(self.root / record_file(condition, scene, view))

    def answers(self, condition: str, suite: str) -> dict[str, ConditionAnswer]:
        """Question id -> what a condition changes about it; questions of which nothing changes are left out.

        Raises:
            BenchDataError: no such condition or suite, or a damaged file.
        """
        if condition == CLEAN:
            return {}
        path = self.root / answer_file(condition, suite)
        try:
            lines = path.read_bytes().splitlines()
            found = [ConditionAnswer.model_validate_json(line) for line in lines]
        except OSError as error:
            raise BenchDataError(f"cannot read {path}: {error.strerror or error}") from error
        except ValidationError as error:
            raise BenchDataError(f"{path} is no file of answers: {error.errors()[0]['msg']}") from error
        return {one.question: one for one in found}

    def asked(self, suite: str, condition: str) -> Iterator[AskedQuestion]:
        """The questions of a suite under a condition, one at a time."""
        changed = self.answers(condition, suite)
        files: dict[tuple[str, str, bool], Path] = {}
        for question in self.questions(suite):
            answer = changed.get(question.id)
            if answer is not None and answer.moved and answer.truth is not None:
                question = replace(question, truth=answer.truth)
            pictures = []
            for view in question.views:
                key = (question.scene, view, bool(question.marks))
                if key not in files:
                    files[key] = self._picture(suite, condition, *key)
                pictures.append(files[key])
            yield AskedQuestion(
                question=question,
                condition=condition,
                pictures=tuple(pictures),
                has_truth=answer is None or not answer.moved or answer.truth is not None,
                answerable=answer is None or answer.answerable,
                why="" if answer is None else answer.why,
            )

    def _picture(self, suite: str, condition: str, scene: str, view: str, marked: bool) -> Path:
        record = self.record(condition, scene, view)
        return self.root / (record.marked.get(suite, record.picture) if marked else record.picture)
