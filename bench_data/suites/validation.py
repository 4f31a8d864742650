"""Finding everything that is wrong with a suite before it costs anything."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..errors import BenchDataError
from ..questions import AnswerType
from .findings import Finding
from .item import AS_FOUND, CLEAN, SuiteImage, SuiteItem
from .limits import SuiteLimits
from .paths import PathError
from .reading import locate_suite, suite_rows
from .registry import Row

__all__ = ["SuiteValidation", "validate_suite"]

CheckPictures = Literal["decode", "exists", "no"]
_ENOUGH_FOR_KEYS = 100


@dataclass(frozen=True, slots=True)
class SuiteValidation:
    """What validation found.

    Args:
        format: of the suite.
        path: the file or folder that was read.
        records: read, good or bad.
        pictures: different ones that were looked at.
        findings: in the order of the file, then those about the suite as a whole.
    """

    format: str
    path: Path
    records: int
    pictures: int
    findings: tuple[Finding, ...]

    @property
    def errors(self) -> tuple[Finding, ...]:
        """Findings that keep a record from being used."""
        return tuple(finding for finding in self.findings if finding.severity == "error")

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """Findings that its owner should know of."""
        return tuple(finding for finding in self.findings if finding.severity == "warning")


def validate_suite(
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002 - the field's name
    limits: SuiteLimits | None = None,
    pictures: CheckPictures = "decode",
) -> SuiteValidation:
    """Reads a whole suite and names every bad record; bad content never raises.

    Args:
        path: a file or a folder.
        format: by default told by the content.
        limits: on records and pictures.
        pictures: decode each picture whole, only look whether it is there, or neither.

    Raises:
        BenchDataError: there is no suite at the path.
    """
    limits = limits or SuiteLimits()
    located = locate_suite(path, format)
    looker = _Looker(limits, pictures)
    whole = _Whole(located.path.name)
    findings: list[Finding] = []
    records = 0
    for row in suite_rows(located, limits):
        findings += row.findings
        records += row.line is not None or row.item is not None
        if isinstance(row.item, SuiteItem):
            findings += looker.look(row, row.item)
            whole.add(row.item)
        elif row.item is not None:
            findings += row.item.findings(decode=pictures == "decode", limits=limits)
    findings += whole.findings()
    if records == 0 and not findings:
        findings.append(Finding("error", "empty_suite", located.path.name, "there is no record in it"))
    return SuiteValidation(located.format.name, located.path, records, looker.count, tuple(findings))


class _Looker:
    """Looks at each picture once."""

    def __init__(self, limits: SuiteLimits, pictures: CheckPictures) -> None:
        self._limits = limits
        self._how = pictures
        self._known: dict[str, tuple[int, int] | tuple[str, str]] = {}

    @property
    def count(self) -> int:
        return len(self._known)

    def look(self, row: Row, item: SuiteItem) -> Iterator[Finding]:
        """What is wrong with the pictures of an item."""
        if self._how == "no":
            return
        sizes = []
        for image in item.images:
            seen = self._seen(image)
            if isinstance(seen[0], str):
                yield _finding(row, item, seen[0], "images", str(seen[1]))
            else:
                sizes.append((int(seen[0]), int(seen[1])))
        if self._how == "decode" and sizes:
            yield from self._places(row, item, sizes[0])

    def _places(self, row: Row, item: SuiteItem, size: tuple[int, int]) -> Iterator[Finding]:
        """Boxes, points and masks against the size of the picture."""
        width, height = size
        truth = item.truth
        is_place = item.answer_type in (AnswerType.BOX, AnswerType.POINT) and item.coordinates == "pixels"
        places = truth if is_place and isinstance(truth, tuple) and len(truth) in (2, 4) else ()
        if places and (max(places[0::2]) > width or max(places[1::2]) > height):
            message = f"{list(places)} lies outside of the picture of {width}x{height} pixels"
            yield _finding(row, item, "outside_image", "truth", message)
        if item.mask is not None:
            yield from self._mask(row, item, item.mask, size)

    def _mask(self, row: Row, item: SuiteItem, mask: SuiteImage, size: tuple[int, int]) -> Iterator[Finding]:
        try:
            grey = mask.load(self._limits.image).image_srgb_u8.max(axis=2)
        except BenchDataError as error:
            code = "missing_image" if _is_missing(mask) else "unreadable_image"
            yield _finding(row, item, code, "mask", str(error))
            return
        if grey.shape != (size[1], size[0]):
            message = f"the mask has {grey.shape[1]}x{grey.shape[0]} pixels, the picture {size[0]}x{size[1]}"
            yield _finding(row, item, "mask_size_mismatch", "mask", message)
        if not (grey > 127).any():
            yield _finding(row, item, "empty_mask", "mask", "no point of the mask is right")
        elif ((grey > 0) & (grey <= 127)).any():
            message = (
                "the mask has grey rims (lossy coding?); a point counts above 127 here, above 0 in the published code"
            )
            yield Finding("warning", "soft_mask", row.file, message, row.line, item.id[:80], "mask")

    def _seen(self, image: SuiteImage) -> tuple[int, int] | tuple[str, str]:
        key = hashlib.sha256(image.data).hexdigest() if image.data is not None else f"{image.root}\0{image.path}"
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._opened(image)
        return known

    def _opened(self, image: SuiteImage) -> tuple[int, int] | tuple[str, str]:
        try:
            if _is_missing(image):
                return "missing_image", f"{image.path}: there is no such file in the suite's folder"
            return image.load(self._limits.image).size if self._how == "decode" else (0, 0)
        except PathError as error:
            return "unsafe_path", str(error)
        except BenchDataError as error:
            return "unreadable_image", str(error)


class _Whole:
    """What only the whole suite shows."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._clean: set[str] = set()
        self._degraded: dict[str, str] = {}
        self._letters: Counter[str] = Counter()
        self._offered: Counter[str] = Counter()

    def add(self, item: SuiteItem) -> None:
        """Takes note of an item."""
        if item.condition == CLEAN:
            self._clean.add(item.question_id)
        elif item.condition != AS_FOUND:
            self._degraded.setdefault(item.question_id, item.id)
        if item.answer_type is AnswerType.CHOICE and isinstance(item.truth, str):
            self._letters[item.truth] += 1
            self._offered.update(list(item.options))

    def findings(self) -> Iterator[Finding]:
        """Warnings about the suite."""
        alone = [record for question, record in self._degraded.items() if question not in self._clean]
        if alone:
            message = (
                f"{len(alone):,} questions have degraded pictures and no clean twin, such as {alone[0]!r}: the effect "
                "of the degradation cannot be told from the difficulty of the question"
            )
            yield Finding("warning", "no_clean_twin", self._file, message)
        for letter, offered in sorted(self._offered.items()):
            if offered >= _ENOUGH_FOR_KEYS and not self._letters[letter]:
                message = f"option {letter} is offered {offered:,} times and never right; models can learn that"
                yield Finding("warning", "letter_never_right", self._file, message)
        total = sum(self._letters.values())
        for letter, count in self._letters.items():
            if total >= _ENOUGH_FOR_KEYS and count > 0.9 * total:
                message = f"the answer is {letter} in {count:,} of {total:,} choices"
                yield Finding("warning", "one_letter", self._file, message)


def _is_missing(image: SuiteImage) -> bool:
    file = image.file if image.data is None else None
    return file is not None and not file.exists()


def _finding(row: Row, item: SuiteItem, code: str, field: str, message: str) -> Finding:
    return Finding("error", code, row.file, message, row.line, item.id[:80], field)
