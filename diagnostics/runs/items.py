"""The items of a run: one question under one condition, with its pictures known by the content of their files."""

from __future__ import annotations

import hashlib
import io
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ...bench_data.errors import BenchDataError
from ...bench_data.questions import AnswerFormat, AnswerType, Truth
from ...bench_data.suites import SuiteImage, SuiteItem
from ..errors import DiagnosticsError
from .stress import ItemStress, true_stress, wrong_stress

__all__ = [
    "PictureRef",
    "RunItem",
    "Unasked",
    "askable",
    "item_line",
    "item_of_line",
    "read_item_lines",
    "with_pictures",
]


class PictureRef(BaseModel):
    """A picture file, known by its content.

    Args:
        path: in its suite, for people.
        sha256: of the file's bytes; "" for a file that cannot be read.
        size: (width, height) in pixels as its header says, not turned by EXIF; (0, 0) where unknown.
        fault: why it cannot be read.
        image: where to read it; None when the item was read back from a run's folder.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    path: str
    sha256: str = Field(pattern="^([0-9a-f]{64})?$")
    size: tuple[int, int] = (0, 0)
    fault: str = ""
    image: SuiteImage | None = Field(default=None, exclude=True, repr=False)


class RunItem(BaseModel):
    """An item as a run keeps it: all that asking and scoring need, without the suite at hand.

    Args:
        id: unique in the run.
        question_id: the same under every condition, so that conditions can be paired.
        suite, kind, scene, condition, tags: see `SuiteItem`.
        text: the question in words.
        answer_format: of the answer.
        truth: None when the suite withholds it.
        coordinates: of the truth of a box or point.
        pictures: shown, in order.
        mask: of a point.
        stress: what is wrong with the pictures, () for nothing; None where nobody knows.
        wrong_stress: what controls say instead, see `wrong_stress`; None where nobody knows what is wrong.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    question_id: str
    suite: str
    kind: str
    scene: str
    condition: str
    text: str
    answer_format: AnswerFormat
    truth: Truth | None
    coordinates: Literal["pixels", "permille"] = "pixels"
    tags: dict[str, str] = {}
    pictures: tuple[PictureRef, ...] = ()
    mask: PictureRef | None = None
    stress: tuple[ItemStress, ...] | None = None
    wrong_stress: tuple[ItemStress, ...] | None = None

    @property
    def cluster(self) -> str:
        """What answers must not be treated as independent within: the scene, or else the question."""
        return self.scene or self.question_id

    @property
    def kind_name(self) -> str:
        """The kind, for tables; the suite where questions have none."""
        return self.kind or self.suite or "unnamed"


@dataclass
class Unasked:
    """Why some items of a suite are not asked: reason -> how many."""

    reasons: Counter[str] = field(default_factory=Counter)

    def describe(self) -> str:
        """One line; "" when nothing was left out."""
        return "; ".join(f"{count:,} left out: {reason}" for reason, count in sorted(self.reasons.items()))


def askable(items: Iterator[SuiteItem], unasked: Unasked) -> Iterator[SuiteItem]:
    """The items that a run can ask; of the others it counts the reasons."""
    for item in items:
        if item.answer_type is AnswerType.GRAPH and not _has_true_graph(item):
            unasked.reasons["asks for a scene graph, and the true one is withheld or cannot be read"] += 1
        else:
            yield item


def _has_true_graph(item: SuiteItem) -> bool:
    from .graph_scoring import read_true_graph

    return isinstance(item.truth, str) and read_true_graph(item.truth) is not None


def with_pictures(items: Sequence[SuiteItem], *, seed: int = 0) -> list[RunItem]:
    """The items with the hashes of their files; each file is read once. Files that cannot be read become faults.

    Args:
        seed: of what controls say to be wrong with the pictures.
    """
    known: dict[tuple[Path | None, str], PictureRef] = {}

    def ref(image: SuiteImage) -> PictureRef:
        place = (image.root, image.path)
        if image.data is not None:
            return _ref(image)
        if place not in known:
            known[place] = _ref(image)
        return known[place]

    return [
        RunItem(
            id=item.id,
            question_id=item.question_id,
            suite=item.suite,
            kind=item.kind,
            scene=item.scene,
            condition=item.condition,
            text=item.text,
            answer_format=item.answer_format,
            truth=item.truth,
            coordinates=item.coordinates,
            tags=dict(item.tags),
            pictures=tuple(ref(image) for image in item.images),
            mask=None if item.mask is None else ref(item.mask),
            **_stress_of(item, seed),
        )
        for item in items
    ]


def _stress_of(item: SuiteItem, seed: int) -> dict[str, tuple[ItemStress, ...] | None]:
    true = true_stress(item.condition, item.tags, suite=item.suite)
    wrong = None if true is None else wrong_stress(true, question=item.question_id, seed=seed)
    return {"stress": true, "wrong_stress": wrong}


def item_line(item: RunItem) -> bytes:
    """One line of JSON, newline included; ASCII, so that any text survives."""
    return json.dumps(item.model_dump(mode="json", exclude_defaults=True), ensure_ascii=True).encode("ascii") + b"\n"


def item_of_line(line: bytes) -> RunItem:
    """The item that `item_line` wrote; its pictures are known by their content only.

    Raises:
        ValueError: it is none.
    """
    return RunItem.model_validate(_listed_truth(json.loads(line)))


def read_item_lines(path: Path) -> list[RunItem]:
    """The items that a run has written down.

    Raises:
        DiagnosticsError: the file is missing or damaged; the message has the line's number.
    """
    items = []
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                try:
                    items.append(item_of_line(line))
                except (ValueError, ValidationError, RecursionError) as error:
                    raise DiagnosticsError(
                        f"{path}, line {number}: not an item of a run ({type(error).__name__}); "
                        "give the command of the run again, which writes the file anew"
                    ) from error
    except OSError as error:
        raise DiagnosticsError(
            f"cannot read {path}: {error.strerror or error}; is this the folder of a run?"
        ) from error
    return items


def _listed_truth(fields: Mapping[str, object]) -> dict[str, object]:
    """JSON has lists where a truth is a tuple."""
    truth = fields.get("truth")
    return {**fields, "truth": tuple(truth) if isinstance(truth, list) else truth}


def _ref(image: SuiteImage) -> PictureRef:
    try:
        data = image.read()
    except BenchDataError as error:
        return PictureRef(path=image.path, sha256="", fault=str(error), image=image)
    return PictureRef(path=image.path, sha256=hashlib.sha256(data).hexdigest(), size=_size_in_header(data), image=image)


def _size_in_header(data: bytes) -> tuple[int, int]:
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(data)) as image:
            return image.size
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        # What is wrong with it is said when the item's turn comes, by the loader that knows.
        return 0, 0
