"""What one has to see to answer a question, and whether degraded pictures still show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass

from ..questions import Question
from ..questions.query import (
    CameraFrame,
    CameraRef,
    Count,
    Exists,
    LabelCount,
    LevelFrame,
    Locate,
    ObjectRef,
    OwnFrame,
    Turn,
)
from ..scenes import Instance
from .picture_record import ObjectRecord, PictureRecord

__all__ = ["Needs", "why_unanswerable"]


@dataclass
class Needs:
    """What one has to see to answer a question.

    Args:
        objects: numbers of all objects that the query speaks of.
        labels: categories that are counted or looked for.
        uses_cameras: it asks about where a camera was or looked.
    """

    objects: set[int] = field(default_factory=set)
    labels: set[str] = field(default_factory=set)
    uses_cameras: bool = False

    @classmethod
    def of(cls, question: Question) -> Needs:
        """The needs of a question, from its query and not from its words."""
        needs = cls()
        needs._collect(question.query)
        return needs

    def _collect(self, part: object) -> None:
        match part:
            case ObjectRef(id=int(number)) | OwnFrame(object=int(number)) | Locate(object=int(number)):
                self.objects.add(number)
            case Count(candidates=candidates):
                self.objects.update(candidates)
            case LabelCount(label=label) | Exists(label=label):
                self.labels.add(label)
            case CameraRef() | CameraFrame() | LevelFrame() | Turn():
                self.uses_cameras = True
        if is_dataclass(part):
            for one in fields(part):
                self._collect(getattr(part, one.name))
        elif isinstance(part, Mapping):
            for value in part.values():
                self._collect(value)
        elif isinstance(part, tuple):
            for value in part:
                self._collect(value)


def why_unanswerable(
    question: Question, needs: Needs, pictures: Sequence[PictureRecord], objects: Mapping[int, Instance]
) -> str:
    """Why no one could answer a question from these pictures; "" when someone might.

    Only what the degradation took away counts: what a person cannot see in the clean pictures either is no reason. Nor
    does a question have its old answer when another lens brings one more of what it counts or looks for into view.

    Args:
        question: as asked.
        needs: of the question.
        pictures: those that it shows, in order, under one condition.
        objects: number -> object, of the scene.
    """
    lost = _lost(pictures)
    gone = sorted(needs.objects & lost)
    if gone:
        return f"{question.names.get(gone[0], _called(gone[0], objects))} can no longer be seen"
    return (
        _why_by_label(question, needs, pictures, lost, objects)
        or _why_one_more(question, needs, pictures, objects)
        or _why_by_marks(question, needs, pictures)
        or _why_nothing_is_seen(needs, pictures)
    )


def _called(number: int, objects: Mapping[int, Instance]) -> str:
    return objects[number].label if number in objects else "an object"


def _visible(pictures: Sequence[PictureRecord], *, clean: bool) -> list[set[int]]:
    def seen(one: ObjectRecord) -> bool:
        return one.was_visible if clean else one.is_visible

    return [{one.id for one in picture.objects if seen(one)} for picture in pictures]


def _lost(pictures: Sequence[PictureRecord]) -> set[int]:
    """Objects that some clean picture showed, and none of the degraded ones does."""
    before, after = _visible(pictures, clean=True), _visible(pictures, clean=False)
    return set().union(*before) - set().union(*after)


def _why_by_label(
    question: Question,
    needs: Needs,
    pictures: Sequence[PictureRecord],
    lost: set[int],
    objects: Mapping[int, Instance],
) -> str:
    shown = set().union(*_visible(pictures, clean=True))
    for label in sorted(needs.labels):
        those = {one for one in shown if _called(one, objects) == label}
        gone = those & lost
        only_one_needed = isinstance(question.query, Exists)
        if gone and (gone == those or not only_one_needed):
            return f"{len(gone)} of {len(those)} objects of the category {label} can no longer be seen"
    return ""


def _why_one_more(
    question: Question, needs: Needs, pictures: Sequence[PictureRecord], objects: Mapping[int, Instance]
) -> str:
    """Counted or looked for by category, or told from others in the picture; a full description fits one alone."""
    labels = set(needs.labels)
    if isinstance(question.query, Locate):
        told = {number: name for number, name in question.names.items() if number in objects}
        labels |= {objects[number].label for number, name in told.items() if name != objects[number].description}
    if isinstance(question.query, Exists) and question.truth is True:
        return ""
    before = {one.id for picture in pictures for one in picture.objects if one.clean_pixels}
    for one in sorted(set().union(*_visible(pictures, clean=False)) - before):
        if _called(one, objects) in labels:
            return f"another {_called(one, objects)} came into the picture"
    return ""


def _why_by_marks(question: Question, needs: Needs, pictures: Sequence[PictureRecord]) -> str:
    if not question.marks:
        return ""
    for picture in pictures:
        if question.suite in picture.unmarked:
            return f"the picture carries no marks: {picture.unmarked[question.suite]}"
    drawn = {mark.object for picture in pictures for mark in picture.marks.get(question.suite, ())}
    for one in sorted(needs.objects):
        if one in question.marks and one not in drawn:
            return f"mark {question.marks[one]} could not be drawn: its object left the picture"
    return ""


def _why_nothing_is_seen(needs: Needs, pictures: Sequence[PictureRecord]) -> str:
    """Pictures that show no object any more; and of questions about cameras, those that share none any more."""
    before, after = _visible(pictures, clean=True), _visible(pictures, clean=False)
    blank = [bool(old) and not new for old, new in zip(before, after, strict=True)]
    if all(blank) or (needs.uses_cameras and any(blank)):
        return f"no object can be seen any more in {pictures[blank.index(True)].view}"
    if needs.uses_cameras and set.intersection(*before) and not set.intersection(*after):
        return "no object is left that can be seen in all of the pictures"
    return ""
