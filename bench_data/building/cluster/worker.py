"""SceneWorker: the actor that makes scenes and sends their files, unit by unit."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TypedDict

from ...errors import SeeworthyError
from ...render.engines import choose_engine
from ...render.settings import RenderSettings
from ..manifest import versions_here
from ..picture_stage import MarkNumbers
from ..scene_stage import SceneCache
from ..scene_work import Stage, stage_units
from ..settings import BuildSettings, SceneSpec

__all__ = ["MadeUnit", "SceneWorker"]


class MadeUnit(TypedDict, total=False):
    """A unit with its files, name -> bytes; or why the scene cannot be made."""

    unit: str
    files: dict[str, bytes]
    error: str


class SceneWorker:
    """Makes scenes, one at a time with one thread, and has no folder."""

    def __init__(self) -> None:
        import cv2

        cv2.setNumThreads(1)
        self._cache = SceneCache()
        self._settings: BuildSettings | None = None

    def prepare(self, settings_json: str, versions: dict[str, str]) -> str:
        """Takes the settings in. Why this worker would draw other pixels, or none; "" when all is well.

        Args:
            settings_json: of the data set.
            versions: of what decides its bytes, where it is kept.
        """
        here = versions_here()
        names = sorted(here.keys() | versions.keys())
        differing = [
            f"{name} {here.get(name)}, not {versions.get(name)}"
            for name in names
            if here.get(name) != versions.get(name)
        ]
        if differing:
            return f"they have {'; '.join(differing)}"
        try:
            self._settings = BuildSettings.model_validate_json(settings_json)
            choose_engine(self._settings.engine, RenderSettings())
        except (SeeworthyError, ValueError) as error:
            return str(error)
        return ""

    def make(self, stage: Stage, scene_json: str, numbers: MarkNumbers, done: Collection[str]) -> Iterator[MadeUnit]:
        """Makes one stage of one scene, see `stage_units`."""
        if self._settings is None:
            yield {"error": "the worker has no settings yet"}
            return
        output = _Kept()
        spec = SceneSpec.model_validate_json(scene_json)
        try:
            for unit in stage_units(
                stage,
                self._settings,
                spec,
                numbers=numbers,
                done=frozenset(done),
                cache=self._cache,
                output=output,
            ):
                yield {"unit": unit, "files": output.taken()}
        except SeeworthyError as error:
            yield {"error": str(error)}


class _Kept:
    """Files in memory, until they are sent."""

    def __init__(self) -> None:
        self._files: dict[str, bytes] = {}

    def write(self, name: str, data: bytes) -> None:
        self._files[name] = data

    def taken(self) -> dict[str, bytes]:
        files, self._files = self._files, {}
        return files
