"""The pictures of a data set that can be audited: with numbers on their objects, questions about these, and truth."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...bench_data.building import AskedQuestion, DataSet, PictureRecord
from ...bench_data.degrade.seeds import derived_rng
from ...bench_data.questions import SceneTruth
from ...bench_data.questions.suites.crisp import CrispSettings
from ..errors import DiagnosticsError
from ..judging import is_comparable
from ..scene_graph import RelationReading, SceneGraph, scene_graph_of
from ..subjects import KnownPicture

__all__ = ["AuditedPicture", "PictureChoice", "choose_pictures", "true_graph"]

_STEEPEST_PITCH_DEG = 75.0
"""A camera that looks up or down more steeply has no level forward; its graph is told in its own frame."""


@dataclass(frozen=True, kw_only=True)
class AuditedPicture:
    """A picture with all that is asked about it.

    Args:
        known: its truth, and the true graph in the form asked for.
        placed: the true graph with places, to draw from above.
        file: the picture with its numbers.
        record: how it was made, and where its numbers are.
        questions: about it, as asked under its condition.
    """

    known: KnownPicture
    placed: SceneGraph = field(repr=False)
    file: Path
    record: PictureRecord = field(repr=False)
    questions: tuple[AskedQuestion, ...] = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class PictureChoice:
    """The pictures of an audit.

    Args:
        pictures: in the order of the data set.
        available: how many there were to choose from.
        left_out: reason -> questions that cannot be audited.
    """

    pictures: tuple[AuditedPicture, ...]
    available: int
    left_out: Mapping[str, int]


def choose_pictures(
    data: DataSet,
    *,
    suite: str = "crisp",
    condition: str = "clean",
    positions: bool = False,
    most: int | None = None,
    seed: int = 0,
) -> PictureChoice:
    """The pictures of a data set that can be audited.

    Args:
        suite: of the questions; they must be about numbered objects in one picture.
        condition: under which the pictures were taken.
        positions: graphs are to state places.
        most: take so many at most, drawn by ``seed`` from all; None for all.

    Raises:
        DiagnosticsError: no such suite or condition, or no picture that can be audited.
    """
    for what, name, names in (("suite", suite, data.suites), ("condition", condition, data.conditions)):
        if name not in names:
            raise DiagnosticsError(f"{data.root} has no {what} {name!r}; it has {', '.join(names) or 'none'}")
    grouped: dict[tuple[str, str], list[AskedQuestion]] = defaultdict(list)
    left_out: Counter[str] = Counter()
    for asked in data.asked(suite, condition):
        reason = _unfit(asked)
        if reason:
            left_out[reason] += 1
        else:
            grouped[asked.question.scene, asked.question.views[0]].append(asked)
    if not grouped:
        reasons = "; ".join(f"{count} {reason}" for reason, count in left_out.items()) or "it holds no questions"
        raise DiagnosticsError(f"{data.root}, suite {suite}: nothing can be audited ({reasons})")
    keys = list(grouped)
    if most is not None and most < len(keys):
        drawn = derived_rng("audited pictures", suite, seed).permutation(len(keys))[:most]
        keys = [keys[place] for place in sorted(drawn)]
    truths: dict[str, SceneTruth] = {}
    pictures = []
    for scene, view in keys:
        if scene not in truths:
            truths = {scene: data.truth(scene)}  # scenes come one after the other: one at a time is enough
        record = data.record(condition, scene, view)
        pictures.append(_audited(truths[scene], view, grouped[scene, view], record, positions))
    return PictureChoice(pictures=tuple(pictures), available=len(grouped), left_out=dict(left_out))


def true_graph(
    truth: SceneTruth, view: int, marks: Mapping[int, int], *, positions: bool = False, cameras: bool = False
) -> SceneGraph:
    """The true star graph of a picture under the numbers drawn on it, in the form that models are asked for.

    Args:
        view: the place of the picture in the scene.
        marks: number of an object in the scene -> the number drawn on it.
        positions: state places and headings too.
        cameras: and where the camera is.
    """
    axis = truth.views[view].camera.world_from_camera[2, 2]
    pitch_deg = math.degrees(math.asin(min(1.0, abs(float(axis)))))
    return scene_graph_of(
        truth,
        (view,),
        # By the numbers drawn: the scene's own order tells what kinds of things come first.
        ids=sorted(marks, key=lambda one: marks[one]),
        marks=marks,
        with_positions=positions,
        with_cameras=cameras,
        frame="level" if pitch_deg <= _STEEPEST_PITCH_DEG else "camera",
        reading=RelationReading(zone=CrispSettings().margins(truth.kind).zone),
    )


def _unfit(asked: AskedQuestion) -> str:
    question = asked.question
    if not question.marks:
        return "about objects without numbers"
    if len(question.views) != 1:
        return "about several pictures"
    return "" if is_comparable(question) else "whose answers cannot be compared"


def _audited(
    truth: SceneTruth, view: str, asked: Sequence[AskedQuestion], record: PictureRecord, positions: bool
) -> AuditedPicture:
    place, marks = truth.view_index(view), dict(asked[0].question.marks)
    known = KnownPicture(
        id=f"{truth.scene}/{view}",
        truth=truth,
        view=place,
        marks=marks,
        graph=true_graph(truth, place, marks, positions=positions),
    )
    placed = true_graph(truth, place, marks, positions=True, cameras=True)
    return AuditedPicture(known=known, placed=placed, file=asked[0].pictures[0], record=record, questions=tuple(asked))
