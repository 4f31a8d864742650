"""A folder for fine-tuning: conversations of some scenes, a suite of the others, and a manifest of what is where."""

from __future__ import annotations

import hashlib
import importlib.metadata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from ...errors import BenchDataError
from ...questions.prompts import Places
from ...whole_file import whole_file
from ..files.json_lines import json_line
from ..item import SuiteItem
from ..pictures import PictureCopier
from ..verbatim import with_placed_pictures
from ..writing import new_text_file, write_suite
from .records import PictureSizes, not_taught, training_record
from .scenes import held_out_scenes

__all__ = ["HELD_OUT", "MANIFEST", "TRAIN", "Part", "TrainingManifest", "write_training_data"]

TRAIN: Final = "train.jsonl"
HELD_OUT: Final = "held-out/suite.jsonl"
MANIFEST: Final = "manifest.json"
_FORMAT: Final = "seeworthy training data 1"
_NO_LICENCE: Final = "not stated; that of the source holds"


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Part(_Entry):
    """One side of the split.

    Args:
        file: below the folder, with its pictures beside it.
        sha256: of the file.
        scenes: whose questions it holds.
        questions: how many.
        kinds, conditions: how many of each, as "suite/kind" and by condition.
        left_out: reason -> how many questions of these scenes are not in it.
    """

    file: str
    sha256: str
    scenes: tuple[str, ...]
    questions: int
    kinds: dict[str, int]
    conditions: dict[str, int]
    left_out: dict[str, int]


class TrainingManifest(_Entry):
    """What a folder for fine-tuning holds.

    Args:
        seeworthy: the version that wrote it; prompts and answers are its own.
        source: name of the suite or data set.
        licence: of pictures and questions.
        seed: of the scenes that are held out.
        places: what boxes and points are written in.
        train, held_out: the two sides.
    """

    format: Literal["seeworthy training data 1"] = _FORMAT
    seeworthy: str
    source: str
    licence: str
    seed: int
    places: Places
    train: Part
    held_out: Part


def write_training_data(
    items: Callable[[], Iterable[SuiteItem]],
    folder: Path,
    *,
    source: str,
    holdout: int | Collection[str],
    conditions: Collection[str] | None = None,
    places: Places = "permille",
    licence: str | None = None,
    seed: int = 0,
) -> TrainingManifest:
    """Writes ``train.jsonl`` (ShareGPT), ``held-out/suite.jsonl`` (native, all conditions) and ``manifest.json``.

    The manifest comes last: a folder without one is not whole.

    Args:
        items: gives the questions, the same ones each time; called three times, so that none are kept in memory.
        folder: new or empty.
        source: a name for the manifest.
        holdout: how many scenes are held out, or which; see `held_out_scenes`.
        conditions: that are trained on; None for all.
        places: what boxes and points are wanted in.
        licence: of the source.
        seed: of the split.

    Raises:
        BenchDataError: the folder holds something; a question names no scene; a scene, or a picture, would stand on
            both sides; a condition that no question has; nothing is left to train on or to ask; a bad item.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BenchDataError(f"{folder} exists already and is not an empty folder; name a new one")
    scenes, there = _scenes_of(items())
    missing = sorted(set(conditions or ()) - there)
    if missing:
        raise BenchDataError(f"no question has the condition {missing[0]!r}; there are: {', '.join(sorted(there))}")
    held = frozenset(held_out_scenes(scenes, holdout, seed=seed))
    train, shown = _write_train(items(), folder, held, None if conditions is None else frozenset(conditions), places)
    held_out = _write_held_out(items(), folder, held, shown)
    manifest = TrainingManifest(
        seeworthy=importlib.metadata.version("seeworthy"),
        source=source,
        licence=licence or _NO_LICENCE,
        seed=seed,
        places=places,
        train=train,
        held_out=held_out,
    )
    with whole_file(folder / MANIFEST) as part:
        part.write_text(manifest.model_dump_json(indent=1) + "\n", encoding="utf-8")
    return manifest


def _scenes_of(items: Iterable[SuiteItem]) -> tuple[set[str], set[str]]:
    """All scenes and all conditions."""
    scenes: set[str] = set()
    conditions: set[str] = set()
    for item in items:
        if not item.scene:
            raise BenchDataError(
                f"item {item.id} names no scene, so nobody can tell what shares its pictures; only suites with scenes "
                "can be split"
            )
        scenes.add(item.scene)
        conditions.add(item.condition)
    return scenes, conditions


class _Counted:
    """Counts what a side holds, and remembers its pictures."""

    def __init__(self) -> None:
        self.kinds: Counter[str] = Counter()
        self.conditions: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()
        self.scenes: set[str] = set()
        self.pictures: set[tuple[str, str]] = set()

    def add(self, item: SuiteItem) -> None:
        self.kinds[f"{item.suite}/{item.kind}".strip("/")] += 1
        self.conditions[item.condition] += 1
        self.scenes.add(item.scene)
        self.pictures.update(_pictures_of(item))

    def part(self, folder: Path, file: str) -> Part:
        return Part(
            file=file,
            sha256=hashlib.sha256((folder / file).read_bytes()).hexdigest(),
            scenes=tuple(sorted(self.scenes)),
            questions=self.conditions.total(),
            kinds=dict(sorted(self.kinds.items())),
            conditions=dict(sorted(self.conditions.items())),
            left_out=dict(sorted(self.left_out.items())),
        )


def _pictures_of(item: SuiteItem) -> Iterator[tuple[str, str]]:
    """What tells a picture from every other one: where it lies, or its bytes."""
    for image in item.images:
        yield str(image.root), image.path if image.data is None else hashlib.sha256(image.data).hexdigest()


def _write_train(
    items: Iterable[SuiteItem], folder: Path, held: frozenset[str], conditions: frozenset[str] | None, places: Places
) -> tuple[Part, set[tuple[str, str]]]:
    copier, sizes, counted = PictureCopier(folder), PictureSizes(), _Counted()
    with new_text_file(folder / TRAIN) as stream:
        for item in items:
            if item.scene in held:
                continue
            other = conditions is not None and item.condition not in conditions
            reason = "of other conditions" if other else not_taught(item)
            if reason is not None:
                counted.left_out[reason] += 1
                continue
            counted.add(item)
            stream.write(json_line(training_record(with_placed_pictures(item, copier), sizes, places=places)))
        if not counted.scenes:
            raise BenchDataError(f"nothing is left to train on: {_reasons(counted.left_out)}")
    return counted.part(folder, TRAIN), counted.pictures


def _write_held_out(
    items: Iterable[SuiteItem], folder: Path, held: frozenset[str], trained_on: set[tuple[str, str]]
) -> Part:
    counted = _Counted()

    def of_held_scenes() -> Iterator[SuiteItem]:
        for item in items:
            if item.scene not in held:
                continue
            shared = next((path for path in _pictures_of(item) if path in trained_on), None)
            if shared is not None:
                raise BenchDataError(
                    f"item {item.id} of the held-out scene {item.scene} shows {shared[1]}, which is trained on; give "
                    "scenes that share pictures one name"
                )
            if item.truth is None:
                counted.left_out["questions without an answer"] += 1
                continue
            counted.add(item)
            yield item

    write_suite(of_held_scenes(), folder / HELD_OUT, "native")
    if not counted.scenes:
        raise BenchDataError(f"nothing is left to ask about the held-out scenes: {_reasons(counted.left_out)}")
    return counted.part(folder, HELD_OUT)


def _reasons(left_out: Counter[str]) -> str:
    return "; ".join(f"{count:,} {reason}" for reason, count in sorted(left_out.items())) or "there is no question"
