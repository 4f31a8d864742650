"""Builds a data set: scenes and their truth, questions, pictures under every condition, answers, manifest."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from ..cluster import Cluster
from ..errors import BenchDataError
from ..render.cpu.crew import available_threads
from ..render.engines import choose_engine
from ..render.settings import RenderSettings
from .answer_stage import write_answers
from .cluster import ClusterWorkers
from .data_set import DataSet
from .format_stage import check_formats, format_summary_file, write_format
from .journal import Journal, files_below, finished_manifest, journal_of
from .layout import MANIFEST, METRES_PER_UNIT
from .manifest import Manifest, SceneEntry, versions_here
from .output import Output, file_sha256
from .picture_stage import picture_unit
from .question_stage import QuestionSummary, read_summary, write_questions
from .scene_work import SceneWorkers, Stage, truth_unit
from .settings import BuildSettings, SceneSpec
from .workers import Workers

__all__ = ["BuildReport", "Progress", "build_data_set"]

T = TypeVar("T")

QUESTIONS, ANSWERS = "questions", "answers"


@dataclass(frozen=True)
class Progress:
    """How far a stage is.

    Args:
        stage: in words.
        done, total: of its units.
        before: of those done, how many an earlier run had made.
    """

    stage: str
    done: int
    total: int
    before: int = 0


OnProgress = Callable[[Progress], None]


@dataclass
class BuildReport:
    """What a build did.

    Args:
        manifest: of the data set.
        pictures_made, questions_made: by this run.
        seconds: stage -> wall time.
        was_finished: all was there already.
    """

    manifest: Manifest
    pictures_made: int = 0
    questions_made: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    was_finished: bool = False


def build_data_set(
    settings: BuildSettings,
    root: Path,
    *,
    jobs: int | None = None,
    cluster: Cluster | None = None,
    on_progress: OnProgress | None = None,
) -> BuildReport:
    """Builds a data set, or goes on where an earlier run with the same settings was stopped.

    Args:
        settings: what it is made of.
        root: its folder; empty, new, or begun with the same settings.
        jobs: processes, a scene each; None for one a core. The bytes do not depend on it.
        cluster: has its workers make the scenes, in place of processes here; their files are sent here. The bytes do
            not depend on it either, and a build that was begun here goes on there, and the other way round.
        on_progress: called often.

    Raises:
        BenchDataError: the folder holds something else or cannot be written, or a scene cannot be made.
        ClusterError: the cluster is gone, or its workers cannot do this work.
        RegistryError: an unknown suite.
    """
    settings.check_suites()
    check_formats(settings.formats)
    if jobs is not None and jobs < 1:
        raise BenchDataError(f"jobs must be at least 1, got {jobs}")
    if root.exists() and not root.is_dir():
        raise BenchDataError(f"{root} is no folder; a data set is a folder, choose a new one")
    if cluster is None:
        choose_engine(settings.engine, RenderSettings())  # before minutes of scenes, not after them
    done = finished_manifest(root, settings)
    if done is not None:
        return BuildReport(done, was_finished=True)
    show = on_progress or (lambda progress: None)
    with journal_of(root, settings, lambda at, total: show(Progress("checking what is there", at, total))) as journal:
        if cluster is None:
            workers: SceneWorkers = Workers(settings, root, jobs or available_threads())
        else:
            workers = ClusterWorkers(settings, root, cluster)
        return _Build(settings, root, journal, show, workers).run()


class _Build:
    def __init__(
        self, settings: BuildSettings, root: Path, journal: Journal, show: OnProgress, workers: SceneWorkers
    ) -> None:
        self._settings = settings
        self._root = root
        self._journal = journal
        self._show = show
        self._workers = workers
        self._specs = settings.scene_specs()
        self._seconds: dict[str, float] = {}
        self._pictures_made = self._questions_made = 0

    def run(self) -> BuildReport:
        """All stages, each skipping what is there."""
        with self._workers as workers:
            self._timed("scenes", lambda: self._scenes(workers))
            summary = self._timed("questions", self._questions)
            self._timed("pictures", lambda: self._pictures(workers))
        self._timed("answers", self._answers)
        self._timed("formats", self._formats)
        manifest = self._manifest(summary)
        Output(self._root).write(MANIFEST, (manifest.model_dump_json(indent=1) + "\n").encode())
        return BuildReport(manifest, self._pictures_made, self._questions_made, self._seconds)

    def _timed(self, stage: str, work: Callable[[], T]) -> T:
        begun = time.monotonic()
        try:
            return work()
        finally:
            self._seconds[stage] = time.monotonic() - begun

    def _scenes(self, workers: SceneWorkers) -> None:
        self._tracked(workers, "scenes", {spec.id: {truth_unit(spec.id)} for spec in self._specs})

    def _questions(self) -> QuestionSummary:
        if QUESTIONS in self._journal.units:
            return read_summary(self._root)
        output, asked, at = Output(self._root), 0, 0
        self._show(Progress("questions", 0, len(self._specs)))

        def on_scene(count: int) -> None:
            nonlocal asked, at
            asked, at = asked + count, at + 1
            self._show(Progress("questions", at, len(self._specs)))

        summary = write_questions(self._settings, self._specs, output, on_scene)
        self._journal.add(QUESTIONS, output.taken())
        self._questions_made = asked
        return summary

    def _pictures(self, workers: SceneWorkers) -> None:
        units = {spec.id: self._picture_units(spec) for spec in self._specs}
        self._pictures_made = self._tracked(workers, "pictures", units)

    def _tracked(self, workers: SceneWorkers, stage: Stage, units: Mapping[str, set[str]]) -> int:
        """Runs a stage for the scenes that lack a unit of it; how many units it made."""
        done = {scene: wanted & self._journal.units.keys() for scene, wanted in units.items()}
        left = [spec for spec in self._specs if len(done[spec.id]) < len(units[spec.id])]
        before, total = (sum(map(len, each.values())) for each in (done, units))
        made = 0

        def finished(unit: str, files: dict[str, str]) -> None:
            nonlocal made
            made += 1
            self._journal.add(unit, files)
            self._show(Progress(stage, before + made, total, before))

        self._show(Progress(stage, before, total, before))
        workers.run(stage, left, done, finished)
        return made

    def _picture_units(self, spec: SceneSpec) -> set[str]:
        views = [f"view-{number:02d}" for number in range(self._settings.views)]
        return {picture_unit(one.label, spec.id, view) for one in self._settings.conditions for view in views}

    def _answers(self) -> None:
        if ANSWERS in self._journal.units:
            return
        output, at = Output(self._root), 0
        self._show(Progress("answers", 0, len(self._specs)))

        def on_scene() -> None:
            nonlocal at
            at += 1
            self._show(Progress("answers", at, len(self._specs)))

        write_answers(self._settings, self._specs, output, on_scene)
        self._journal.add(ANSWERS, output.taken())

    def _formats(self) -> None:
        names = self._settings.formats
        for at, name in enumerate(names):
            unit = f"format {name}"
            self._show(Progress("formats", at, len(names)))
            if unit in self._journal.units:
                continue
            output = Output(self._root)
            write_format(DataSet(self._root, self._settings), name, output)
            listed = self._journal.files.keys() | output.taken().keys()
            new = {one for one in files_below(self._root) if one not in listed or one == format_summary_file(name)}
            self._journal.add(unit, {one: file_sha256(self._root / one) or "" for one in sorted(new)})

    def _manifest(self, summary: QuestionSummary) -> Manifest:
        return Manifest(
            settings=self._settings,
            versions=versions_here(),
            scenes=tuple(
                SceneEntry(id=spec.id, kind=spec.kind, seed=spec.seed, depth_metres_per_unit=METRES_PER_UNIT[spec.kind])
                for spec in self._specs
            ),
            questions={suite: one.questions for suite, one in summary.suites.items()},
            pictures=sum(len(self._picture_units(spec)) for spec in self._specs),
            files=self._journal.files,
        )
