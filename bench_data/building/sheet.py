"""A contact sheet of a data set: a row a view, a column a condition, and under each row what is asked about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from PIL import Image, ImageDraw, ImageFont

from ..errors import BenchDataError
from ..images import load_image
from ..questions import Question
from .data_set import AskedQuestion, DataSet

__all__ = ["SheetChoice", "contact_sheet"]

_WIDTH_PX = 320
_GAP_PX = 10
_TEXT_PX, _HEAD_PX = 15, 18
_PAPER, _INK, _FAINT, _BAD = (255, 255, 255), (20, 20, 20), (110, 110, 110), (170, 40, 20)
_MOST_CELLS = 400
_KEPT = "\u00a0"
"""A space at which no line is broken."""

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class SheetChoice:
    """What a sheet shows.

    Args:
        scene: its id; None for the first.
        conditions: labels; None for all.
        suite: whose questions, and marks where it has them; None for the first that asks something.
        views: how many, spread over all.
        questions: under each row, at most.
    """

    scene: str | None = None
    conditions: tuple[str, ...] | None = None
    suite: str | None = None
    views: int = 4
    questions: int = 4


def contact_sheet(data: DataSet, choice: SheetChoice | None = None) -> Image.Image:
    """The sheet, in RGB.

    Args:
        data: what to show.
        choice: of it.

    Raises:
        BenchDataError: the data set has no such scene, condition or suite, or the sheet would be too large to look at.
    """
    choice = choice or SheetChoice()
    scene = _one_of(choice.scene or data.scenes[0], data.scenes, "scene")
    labels = tuple(_one_of(label, data.conditions, "condition") for label in choice.conditions or data.conditions)
    suite = _one_of(choice.suite, data.suites, "suite") if choice.suite else _first_suite(data)
    names = _spread([view.name for view in data.truth(scene).views], choice.views)
    if len(labels) * len(names) > _MOST_CELLS:
        raise BenchDataError(f"{len(labels) * len(names)} pictures are too many for a sheet; choose fewer")
    asked = {label: _by_view(data, suite, label, scene) for label in labels}
    rows = [_row(data, scene, view, labels, suite, asked, choice.questions) for view in names]
    width = len(labels) * (_WIDTH_PX + _GAP_PX) + _GAP_PX
    what = f", questions of {suite}" if suite else ""
    head = _text_block([f"{scene}{what}: {len(names)} of {len(data.truth(scene).views)} views"], width, _HEAD_PX)
    sheet = Image.new("RGB", (width, head.height + sum(row.height for row in rows)), _PAPER)
    top = 0
    for part in (head, *rows):
        sheet.paste(part, (0, top))
        top += part.height
    return sheet


def _row(
    data: DataSet,
    scene: str,
    view: str,
    labels: Sequence[str],
    suite: str | None,
    asked: dict[str, dict[str, list[AskedQuestion]]],
    most: int,
) -> Image.Image:
    cells = [_cell(data, scene, view, label, suite, asked[label].get(view, [])) for label in labels]
    width = len(labels) * (_WIDTH_PX + _GAP_PX) + _GAP_PX
    questions = _spread(asked[labels[0]].get(view, []), most)
    texts = _text_block([_worded(one.question) for one in questions], width, _TEXT_PX)
    height = max(cell.height for cell in cells)
    row = Image.new("RGB", (width, height + texts.height + _GAP_PX), _PAPER)
    for column, cell in enumerate(cells):
        row.paste(cell, (_GAP_PX + column * (_WIDTH_PX + _GAP_PX), 0))
    row.paste(texts, (0, height))
    return row


def _cell(
    data: DataSet, scene: str, view: str, label: str, suite: str | None, asked: Sequence[AskedQuestion]
) -> Image.Image:
    record = data.record(label, scene, view)
    file = record.marked.get(suite, record.picture) if suite else record.picture
    shown = Image.fromarray(load_image(data.root / file).image_srgb_u8)
    size = (_WIDTH_PX, round(_WIDTH_PX * shown.height / shown.width))
    shown = shown.resize(size, Image.Resampling.LANCZOS)
    seen = sum(one.was_visible for one in record.objects)
    left = sum(one.was_visible and one.is_visible for one in record.objects)
    lines = [(f"{view}  {label}", _INK), (f"{left} of {seen} objects can be seen", _FAINT if left == seen else _BAD)]
    if asked:
        fine = sum(one.answerable for one in asked)
        lines.append((f"{fine} of {len(asked)} questions can be answered", _FAINT if fine == len(asked) else _BAD))
    cell = Image.new("RGB", (size[0], size[1] + len(lines) * (_TEXT_PX + 4) + 4), _PAPER)
    cell.paste(shown, (0, 0))
    pen = ImageDraw.Draw(cell)
    for number, (line, colour) in enumerate(lines):
        pen.text((0, size[1] + 3 + number * (_TEXT_PX + 4)), line, fill=colour, font=_font(_TEXT_PX))
    return cell


def _worded(question: Question) -> str:
    """A question with its options and the answer, in a line."""
    others = question.views[1:]
    shown = f" [with {', '.join(others)}]" if others else ""
    if question.options:
        options = "  ".join(f"{chr(65 + at)}){_KEPT}{one.text}" for at, one in enumerate(question.options))
        return f"{question.text}{shown}  {options}  ={_KEPT}{question.letter}"
    truth = question.truth
    if isinstance(truth, bool):
        answer = "yes" if truth else "no"
    elif isinstance(truth, tuple):
        answer = ", ".join(f"{value:.4g}" for value in truth)
    else:
        answer = f"{truth:.4g}" if isinstance(truth, float) else str(truth)
    unit = f" {question.unit.value}" if question.unit is not None else ""
    return f"{question.text}{shown}  ={_KEPT}{answer}{unit}"


def _text_block(lines: Sequence[str], width: int, size_px: int) -> Image.Image:
    """The lines, broken at words to the width."""
    font = _font(size_px)
    broken: list[str] = []
    for line in lines:
        current = ""
        for word in line.split(" "):
            longer = f"{current} {word}" if current else word
            if current and font.getlength(longer.replace(_KEPT, " ")) > width - 2 * _GAP_PX:
                broken.append(current)
                current = "    " + word
            else:
                current = longer
        broken.append(current)
    step = size_px + 5
    block = Image.new("RGB", (width, len(broken) * step + (_GAP_PX if broken else 0)), _PAPER)
    pen = ImageDraw.Draw(block)
    for number, line in enumerate(broken):
        pen.text((_GAP_PX, 4 + number * step), line.replace(_KEPT, " "), fill=_INK, font=font)
    return block


@lru_cache(maxsize=4)
def _font(size_px: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size=size_px)


def _by_view(data: DataSet, suite: str | None, condition: str, scene: str) -> dict[str, list[AskedQuestion]]:
    """First picture -> the questions about it."""
    found: dict[str, list[AskedQuestion]] = {}
    for one in data.asked(suite, condition) if suite else ():
        if one.question.scene == scene:
            found.setdefault(one.question.views[0], []).append(one)
    return found


def _first_suite(data: DataSet) -> str | None:
    """One that marks pictures, or else any that asks something; None where nothing is asked."""
    suites = data.summary().suites
    asking = [name for name, one in suites.items() if one.questions]
    return next((name for name in asking if suites[name].marked), asking[0] if asking else None)


def _spread(items: Sequence[T], most: int) -> list[T]:
    """At most so many of the items, evenly from first to last."""
    count = min(most, len(items))
    return [items[at * (len(items) - 1) // max(count - 1, 1)] for at in range(count)]


def _one_of(name: str, known: Sequence[str], what: str) -> str:
    if name not in known:
        raise BenchDataError(f"the data set has no {what} {name!r}; it has {', '.join(known) or 'none'}")
    return name
