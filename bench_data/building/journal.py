"""A data set that is being built: one builder at a time, one set of settings, and a journal of what is done.

``.build/settings.json`` says what is built, ``.build/journal.jsonl`` has one line for each finished unit with the
hashes of its files. A unit counts as done when all its files are there with these hashes, so that neither a kill nor a
crash of the machine leaves anything half done. When all is done the folder ``.build`` goes, and the manifest stays.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from ..degrade.record_file import read_json_file
from ..errors import BenchDataError
from ..file_lock import held_alone
from .layout import MANIFEST
from .manifest import Manifest, changed_files, read_manifest, versions_here
from .output import Output, remove_parts, writing
from .settings import BuildSettings

__all__ = ["Journal", "files_below", "finished_manifest", "journal_of"]

_STATE = ".build"
_FORMAT: Final = "seeworthy unfinished data set 1"


class _Begun(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["seeworthy unfinished data set 1"] = _FORMAT
    settings: BuildSettings
    versions: dict[str, str]


class Journal:
    """What is done.

    Args:
        root: of the data set.
        on_check: called for each unit that is found in the journal, while its files are compared with it.
    """

    def __init__(self, root: Path, on_check: Callable[[int, int], None] = lambda done, total: None) -> None:
        self._path = root / _STATE / "journal.jsonl"
        self.units: dict[str, dict[str, str]] = {}
        lines = _whole_lines(self._path)
        for place, (unit, files) in enumerate(lines.items(), 1):
            if next(changed_files(root, files), None) is None:
                self.units[unit] = files
            on_check(place, len(lines))

    def add(self, unit: str, files: dict[str, str]) -> None:
        """Notes that a unit is done.

        Raises:
            BenchDataError: the journal cannot be written.
        """
        line = json.dumps({"unit": unit, "files": files}) + "\n"
        with writing(self._path), self._path.open("a", encoding="utf-8") as file:
            file.write(line)
        self.units[unit] = files

    @property
    def files(self) -> dict[str, str]:
        """Name -> hash of all files of all units, by name."""
        return dict(sorted((name, sha256) for files in self.units.values() for name, sha256 in files.items()))


@contextmanager
def journal_of(
    root: Path, settings: BuildSettings, on_check: Callable[[int, int], None] = lambda done, total: None
) -> Iterator[Journal]:
    """Begins a data set, or goes on with one that the same settings began; others are kept out meanwhile.

    Raises:
        BenchDataError: the folder holds something else, was begun with other settings or versions, is being built by
            another process, or cannot be written.
    """
    state = root / _STATE
    if root.is_dir() and not state.is_dir() and any(root.iterdir()):
        raise BenchDataError(
            f"{root} holds other files and no data set that was begun; choose an empty or a new folder"
        )
    with writing(root):
        state.mkdir(parents=True, exist_ok=True)
    with _only_one(state / "lock", root):
        begun = _Begun(settings=settings, versions=versions_here())
        if (state / "settings.json").is_file():
            _refuse_another(root, read_json_file(state / "settings.json", _Begun, "begun data set"), begun)
            remove_parts(root)
        else:
            Output(state).write("settings.json", (begun.model_dump_json(indent=1) + "\n").encode())
        yield Journal(root, on_check)
    if (root / MANIFEST).is_file():
        shutil.rmtree(state, ignore_errors=True)


def finished_manifest(root: Path, settings: BuildSettings) -> Manifest | None:
    """The manifest of the finished data set in a folder; None where nothing is finished.

    Raises:
        BenchDataError: it was made with other settings.
    """
    if not (root / MANIFEST).is_file():
        return None
    manifest = read_manifest(root)
    differences = settings.differences(manifest.settings)
    if differences:
        raise BenchDataError(
            f"{root} holds a finished data set of other settings ({'; '.join(differences)}); {_ADVICE}"
        )
    # A kill between the last two steps leaves the state of the build behind.
    shutil.rmtree(root / _STATE, ignore_errors=True)
    return manifest


def files_below(root: Path) -> Iterator[str]:
    """Names of all files of a data set, but for the state of its build."""
    for path in root.rglob("*"):
        name = path.relative_to(root).as_posix()
        if path.is_file() and not name.startswith(f"{_STATE}/"):
            yield name


_ADVICE = "choose another folder, or give the same settings"


def _refuse_another(root: Path, there: _Begun, now: _Begun) -> None:
    differences = now.settings.differences(there.settings)
    if differences:
        raise BenchDataError(f"{root} was begun with other settings ({'; '.join(differences)}); {_ADVICE}")
    names = sorted(there.versions.keys() | now.versions.keys())
    changed = [f"{one} {now.versions.get(one)}, not {there.versions.get(one)}" for one in names]
    changed = [
        text for one, text in zip(names, changed, strict=True) if there.versions.get(one) != now.versions.get(one)
    ]
    if changed:
        raise BenchDataError(
            f"{root} was begun with other versions ({'; '.join(changed)}), which may draw other pixels; go on with "
            "those, or build anew in another folder"
        )


def _whole_lines(path: Path) -> dict[str, dict[str, str]]:
    """Unit -> files of all lines; a torn last line is cut off, so that the next one starts on its own."""
    if not path.is_file():
        return {}
    with writing(path):
        data = path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):
            os.truncate(path, len(whole))
    found = {}
    for line in whole.splitlines():
        # A crash of the machine may leave zeros where a line was; its unit is then made again.
        with contextlib.suppress(ValueError, KeyError, TypeError):
            entry = json.loads(line)
            found[str(entry["unit"])] = {str(name): str(sha256) for name, sha256 in entry["files"].items()}
    return found


@contextmanager
def _only_one(path: Path, root: Path) -> Iterator[None]:
    """Holds a lock that the system frees when the process ends, however it ends."""
    with writing(path):
        path.touch()
    words = "wait for it, or choose another folder"
    with held_alone(path, lambda owner: BenchDataError(f"{root} is being built by {owner}; {words}")):
        yield
