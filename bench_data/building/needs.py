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
from .picture_record import PictureRecord

__all__ = ["Needs", "Shown", "why_unanswerable"]


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


@dataclass(frozen=True)
class Shown:
    """What some pictures show together under one condition, against the same pictures without it.

    Args:
        before: objects that a person could see in some of the clean pictures.
        lost: of those, the ones that cannot be seen in any of the degraded ones.
        newcomers: objects that can be seen now, and had no pixel in any of the clean pictures.
        blank: views that showed objects and show none now.
        all_blank: this is so of every picture.
        nothing_in_common: the clean pictures shared an object, these do not.
        marked: suite -> objects that carry a mark.
        unmarked: suite -> why a picture carries none.
    """

    before: frozenset[int]
    lost: frozenset[int]
    newcomers: frozenset[int]
    blank: tuple[str, ...]
    all_blank: bool
    nothing_in_common: bool
    marked: Mapping[str, frozenset[int]]
    unmarked: Mapping[str, str]

    @classmethod
    def of(cls, pictures: Sequence[PictureRecord]) -> Shown:
        """From the records of the pictures that a question shows."""
        before = [frozenset(one.id for one in each.objects if one.was_visible) for each in pictures]
        after = [frozenset(one.id for one in each.objects if one.is_visible) for each in pictures]
        there = {one.id for each in pictures for one in each.objects if one.clean_pixels}
        suites = {suite for each in pictures for suite in each.marks}
        blank = tuple(each.view for each, old, new in zip(pictures, before, after, strict=True) if old and not new)
        return cls(
            before=frozenset().union(*before),
            lost=frozenset().union(*before).difference(*after),
            newcomers=frozenset().union(*after) - there,
            blank=blank,
            all_blank=len(blank) == len(pictures),
            nothing_in_common=bool(frozenset.intersection(*before)) and not frozenset.intersection(*after),
            marked={
                suite: frozenset(mark.object for each in pictures for mark in each.marks.get(suite, ()))
                for suite in suites
            },
            unmarked={suite: reason for each in pictures for suite, reason in each.unmarked.items()},
        )


def why_unanswerable(question: Question, needs: Needs, shown: Shown, objects: Mapping[int, Instance]) -> str:
    """Why no one could answer a question from these pictures; "" when someone might.

    Only what the degradation took away counts: what a person cannot see in the clean pictures either is no reason. Nor
    does a question have its old answer when another lens brings one more of what it counts or looks for into view.

    Args:
        question: as asked.
        needs: of the question.
        shown: by its pictures, under one condition.
        objects: number -> object, of the scene.
    """
    gone = needs.objects & shown.lost
    if gone:
        one = min(gone)
        return f"{question.names.get(one, _called(one, objects))} can no longer be seen"
    return (
        _why_by_label(question, needs, shown, objects)
        or _why_one_more(question, needs, shown, objects)
        or _why_by_marks(question, needs, shown)
        or _why_nothing_is_seen(needs, shown)
    )


def _called(number: int, objects: Mapping[int, Instance]) -> str:
    return objects[number].label if number in objects else "an object"


def _why_by_label(question: Question, needs: Needs, shown: Shown, objects: Mapping[int, Instance]) -> str:
    if not shown.lost:
        return ""
    for label in sorted(needs.labels):
        those = {one for one in shown.before if _called(one, objects) == label}
        gone = those & shown.lost
        only_one_needed = isinstance(question.query, Exists)
        if gone and (gone == those or not only_one_needed):
            return f"{len(gone)} of {len(those)} objects of the category {label} can no longer be seen"
    return ""


def _why_one_more(question: Question, needs: Needs, shown: Shown, objects: Mapping[int, Instance]) -> str:
    """Counted or looked for by category, or told from others in the picture; a full description fits one alone."""
    if not shown.newcomers or (isinstance(question.query, Exists) and question.truth is True):
        return ""
    labels = set(needs.labels)
    if isinstance(question.query, Locate):
        told = {number: name for number, name in question.names.items() if number in objects}
        labels |= {objects[number].label for number, name in told.items() if name != objects[number].description}
    for one in sorted(shown.newcomers):
        if _called(one, objects) in labels:
            return f"another {_called(one, objects)} came into the picture"
    return ""


def _why_by_marks(question: Question, needs: Needs, shown: Shown) -> str:
    if not question.marks:
        return ""
    if question.suite in shown.unmarked:
        return f"the picture carries no marks: {shown.unmarked[question.suite]}"
    drawn = shown.marked.get(question.suite, frozenset())
    for one in sorted(needs.objects):
        if one in question.marks and one not in drawn:
            return f"mark {question.marks[one]} could not be drawn: its object left the picture"
    return ""


def _why_nothing_is_seen(needs: Needs, shown: Shown) -> str:
    """Pictures that show no object any more; and of questions about cameras, those that share none any more."""
    if shown.all_blank or (needs.uses_cameras and shown.blank):
        return f"no object can be seen any more in {shown.blank[0]}"
    if needs.uses_cameras and shown.nothing_in_common:
        return "no object is left that can be seen in all of the pictures"
    return ""
