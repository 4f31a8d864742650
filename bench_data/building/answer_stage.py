"""What each condition changes about the answers: places that moved, and questions that no one could answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from ..errors import BenchDataError
from ..questions import Question, evaluate, question_from_json
from ..questions.query import Locate
from ..questions.truth_file import read_truth
from .conditions import CLEAN, Condition
from .layout import answer_file, question_file, record_file, truth_file
from .needs import Needs, Shown, why_unanswerable
from .output import Output
from .picture_record import PictureRecord, read_picture_record
from .settings import BuildSettings, SceneSpec

__all__ = ["ConditionAnswer", "read_questions", "write_answers"]


class ConditionAnswer(BaseModel):
    """One question under one condition. Questions of which nothing changes have none.

    Args:
        question: its id.
        truth: the place asked for in this condition's pixels, where it moved; None where it did not or is gone.
        moved: the truth of this condition is ``truth``, not that of the question.
        answerable: someone might still answer it.
        why: not, if not.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    question: str
    truth: tuple[float, ...] | None
    moved: bool
    answerable: bool
    why: str = ""


def write_answers(
    settings: BuildSettings, specs: Sequence[SceneSpec], output: Output, on_scene: Callable[[], None]
) -> None:
    """Writes a file for each suite and each condition but the clean one.

    Args:
        settings, specs: of the data set.
        output: where questions and records lie, and the answers go.
        on_scene: called after each scene.
    """
    conditions = [one for one in settings.conditions if one.label != CLEAN]
    if not (conditions and settings.suites):
        return
    readers = {suite: _ByScene(output.root / question_file(suite)) for suite in settings.suites}
    with ExitStack() as stack:
        files = {
            (condition.label, suite): stack.enter_context(output.open(answer_file(condition.label, suite)))
            for condition in conditions
            for suite in settings.suites
        }
        for spec in specs:
            scene = _Scene(output.root, spec, conditions)
            for suite, reader in readers.items():
                for question in reader.of(spec.id):
                    needs = Needs.of(question)
                    for condition in conditions:
                        answer = scene.answer(question, needs, condition.label)
                        if answer is not None:
                            files[condition.label, suite].write((answer.model_dump_json() + "\n").encode())
            on_scene()


def read_questions(path: Path) -> Iterator[Question]:
    """The questions of a file with one a line, one at a time.

    Raises:
        BenchDataError: it cannot be read, or a line is no question; the message gives its number.
    """
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    try:
                        yield question_from_json(line)
                    except BenchDataError as error:
                        raise BenchDataError(f"{path}, line {number}: {error}") from error
    except OSError as error:
        raise BenchDataError(f"cannot read {path}: {error.strerror or error}") from error


class _ByScene:
    """The questions of a file whose scenes stand one after the other."""

    def __init__(self, path: Path) -> None:
        self._questions = read_questions(path)
        self._next: Question | None = next(self._questions, None)

    def of(self, scene: str) -> Iterator[Question]:
        """Those of the next scene; none when the file goes on with another one."""
        while self._next is not None and self._next.scene == scene:
            yield self._next
            self._next = next(self._questions, None)


class _Scene:
    """The pictures of a scene under all conditions."""

    def __init__(self, root: Path, spec: SceneSpec, conditions: Sequence[Condition]) -> None:
        self._truth = read_truth(root / truth_file(spec.id))
        self._records: dict[tuple[str, str], PictureRecord] = {
            (condition.label, view.name): read_picture_record(root / record_file(condition.label, spec.id, view.name))
            for condition in conditions
            for view in self._truth.views
        }
        self._shown: dict[tuple[str, tuple[str, ...]], Shown] = {}

    def answer(self, question: Question, needs: Needs, condition: str) -> ConditionAnswer | None:
        """What the condition changes; None when nothing."""
        why = why_unanswerable(question, needs, self._shown_by(condition, question.views), self._truth.objects)
        pictures = [self._records[condition, view] for view in question.views]
        query = question.query
        moved = isinstance(query, Locate) and pictures[query.view].moves_pixels
        place = self._place(question, pictures) if moved else None
        if moved and place is None and not why:
            why = "what is asked for left the picture"
        if not moved and not why:
            return None
        return ConditionAnswer(question=question.id, truth=place, moved=moved, answerable=not why, why=why)

    def _shown_by(self, condition: str, views: tuple[str, ...]) -> Shown:
        key = (condition, views)
        if key not in self._shown:
            self._shown[key] = Shown.of([self._records[condition, view] for view in views])
        return self._shown[key]

    def _place(self, question: Question, pictures: Sequence[PictureRecord]) -> tuple[float, ...] | None:
        """The box or point that is asked for, in the pixels of these pictures; None when it left them."""
        nominal = self._truth.facts([self._truth.view_index(view) for view in question.views])
        moved = replace(
            nominal,
            image_boxes=tuple({one.id: one.box_px for one in each.objects if one.box_px} for each in pictures),
            image_points=tuple({one.id: one.point_px for one in each.objects if one.point_px} for each in pictures),
        )
        try:
            found = evaluate(question.query, moved).value
        except BenchDataError:
            return None  # which is how it says that the object is not in the picture
        return found if isinstance(found, tuple) else None
