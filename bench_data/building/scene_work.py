"""What is done for one scene, whoever does it: a stage, unit by unit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Literal, Protocol, Self

from .output import FileSink
from .picture_stage import MarkNumbers, write_pictures
from .question_stage import read_mark_numbers
from .scene_stage import SceneCache, write_truth
from .settings import BuildSettings, SceneSpec

__all__ = ["Finished", "SceneWorkers", "Stage", "mark_numbers_for", "stage_units", "truth_unit"]

Stage = Literal["scenes", "pictures"]

Finished = Callable[[str, dict[str, str]], None]
"""``(unit, files)`` of a unit that is done."""


class SceneWorkers(Protocol):
    """Those who make scenes, for the length of a ``with`` block."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def run(
        self, stage: Stage, specs: Sequence[SceneSpec], done: Mapping[str, Collection[str]], finished: Finished
    ) -> None:
        """Runs one stage for some scenes.

        Args:
            stage: what to do.
            specs: for which scenes.
            done: scene -> units that are there already.
            finished: called for each further unit when its files are in their place, in this process and thread.

        Raises:
            SeeworthyError: a scene could not be made.
        """
        ...


def truth_unit(scene: str) -> str:
    """The name of a scene's truth in the journal."""
    return f"truth {scene}"


def mark_numbers_for(stage: Stage, settings: BuildSettings, root: Path, scene: str) -> MarkNumbers:
    """Which objects carry marks in the pictures of a scene; the scene itself has none yet."""
    return read_mark_numbers(root, settings.suites, scene) if stage == "pictures" else {}


def stage_units(
    stage: Stage,
    settings: BuildSettings,
    spec: SceneSpec,
    *,
    numbers: MarkNumbers,
    done: Collection[str],
    cache: SceneCache,
    output: FileSink,
) -> Iterator[str]:
    """Makes one stage of one scene; the name of each unit when its files are written.

    Args:
        stage: what to do.
        settings, spec: of the data set and of the scene.
        numbers: see `mark_numbers_for`.
        done: units that are there.
        cache: of scenes.
        output: where files go.

    Raises:
        BenchDataError: the scene cannot be made.
    """
    scene = cache.scene(settings, spec)
    if stage == "pictures":
        yield from write_pictures(settings, spec, scene, numbers, done=done, output=output)
        return
    write_truth(settings, scene, output)
    yield truth_unit(spec.id)
