"""VLMEvalKit's tables: pictures as base64 in the table, or as paths beside it."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from pydantic import JsonValue

from ...errors import BenchDataError
from ...questions import AnswerFormat, AnswerType, Truth, Unit
from ..answers import answer_text, truth_from_text, yes_no_word
from ..files.rows import RawRow
from ..files.tables import table_header, table_rows
from ..findings import Fields
from ..item import CLEAN, SourceRecord, SuiteImage, SuiteItem
from ..limits import SuiteLimits
from ..literals import list_cell, parse_list_cell
from ..pictures import PictureCopier
from ..registry import Held, Row, SuiteFormat, suite_format
from ..rows import decoded_rows
from ..table_writing import TableWriter
from ..verbatim import with_placed_pictures

__all__ = ["NAME", "OPEN", "PATHS"]

NAME = "vlmeval"
PATHS = "vlmeval_paths"
OPEN = "_open"
"""Ends the name of the table of open answers, where a suite has choices too."""
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_WRITTEN_LETTERS = 8
_POINTER = 64
"""A picture cell of at most so many characters is the index of the row that holds the picture."""
_PICTURE_COLUMNS = ("image", "image_path", "image_names")
_HELD_BYTES = 64 * 2**20
_SUFFIXES = ((b"\x89PNG", ".png"), (b"\xff\xd8\xff", ".jpg"), (b"GIF8", ".gif"), (b"RIFF", ".webp"), (b"BM", ".bmp"))
_READ_AS_MISSING = frozenset(
    {"#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA"}
    | {"NULL", "NaN", "None", "n/a", "nan", "null"}
)
"""Cells that pandas, and so VLMEvalKit, takes for empty; a blank behind them keeps them."""
_UNSAFE_NAME = re.compile(r"[^A-Za-z0-9._-]+")


def _detect(path: Path) -> bool:
    columns = table_header(path)
    return (
        {"index", "question"} <= set(columns)
        and bool({"image", "image_path"} & set(columns))
        and ("degradation_type" not in columns)
    )


def _read(path: Path, limits: SuiteLimits) -> Iterator[Row]:
    pointed = _Pointed(path, limits)

    def decode(fields: Fields, raw: RawRow) -> SuiteItem:
        pointed.offsets.setdefault(fields.text("index"), raw.offset)
        return _item(fields, _images(fields, path.parent, pointed, limits))

    rows = table_rows(path, required=("index", "question"), limits=limits)
    return decoded_rows(rows, decode, file=path.name, id_field="index")


class _Pointed:
    """Finds the pictures of another row; offsets are held in memory, and the pictures that were used last."""

    def __init__(self, path: Path, limits: SuiteLimits) -> None:
        self.offsets: dict[str, int] = {}
        self._held: OrderedDict[str, tuple[bytes, ...]] = OrderedDict()
        self._path = path
        self._limits = limits
        self._scanned = False

    def pictures(self, fields: Fields, index: str) -> tuple[bytes, ...]:
        """The picture files of the row with an index, which may come later.

        Raises:
            RecordError: there is none, or it points on.
        """
        if index not in self.offsets and not self._scanned:
            self._scanned = True
            for row in table_rows(self._path, required=("index", "image"), limits=self._limits):
                if isinstance(row, RawRow):
                    self.offsets.setdefault(str(row.fields["index"]), row.offset)
        if index in self._held:
            self._held.move_to_end(index)
            return self._held[index]
        pictures = _decoded_cell(fields, self._cell(fields, index), self._limits)
        self._held[index] = pictures
        while len(self._held) > 1 and sum(len(data) for one in self._held.values() for data in one) > _HELD_BYTES:
            self._held.popitem(last=False)
        return pictures

    def _cell(self, fields: Fields, index: str) -> str:
        offset = self.offsets.get(index)
        if offset is not None:
            for row in table_rows(self._path, required=("index", "image"), limits=self._limits, start=offset):
                cell = str(row.fields["image"]) if isinstance(row, RawRow) else ""
                if len(cell) > _POINTER:
                    return cell
                break
        raise fields.error("missing_image", "image", f"it points to row {index[:64]!r}, which holds no picture")


def _item(fields: Fields, images: tuple[SuiteImage, ...]) -> SuiteItem:
    index = fields.text("index")
    options = _options(fields)
    form, truth = _answer(fields, options)
    identity = fields.text("item_id", "") or index
    kept = {name: value for name, value in fields.values.items() if name not in _PICTURE_COLUMNS}
    return SuiteItem(
        id=identity,
        text=_plain(fields.text("question")),
        images=images,
        answer_format=form,
        truth=truth,
        question_id=fields.text("question_id", "") or identity,
        suite=fields.text("suite", ""),
        kind=fields.text("kind", "") or fields.text("category", ""),
        scene=fields.text("scene", ""),
        condition=fields.text("condition", "") or CLEAN,
        tags={
            name: fields.text(name) for name in ("category", "l2-category", "split", "hint") if fields.text(name, "")
        },
        source=SourceRecord(NAME, kept),
    )


def _options(fields: Fields) -> dict[str, str]:
    options = {letter: _plain(fields.text(letter)) for letter in _LETTERS if fields.text(letter, "").strip()}
    for name in ("options", "candidates"):
        cell = fields.text(name, "").strip()
        if cell and not options:
            try:
                texts = parse_list_cell(cell, most=len(_LETTERS))
            except ValueError as error:
                raise fields.error("list_unparsable", name, str(error)) from error
            options = {letter: str(text) for letter, text in zip(_LETTERS, texts, strict=False)}
    if len(options) == 1:
        raise fields.error("no_options", next(iter(options)), "a choice needs at least two options")
    return options


def _answer(fields: Fields, options: dict[str, str]) -> tuple[AnswerFormat, Truth | None]:
    cell = _plain(fields.text("answer", ""))
    answer = cell.strip()
    plain = [yes_no_word(text) for text in options.values()]
    unit = Unit(fields.text("unit")) if fields.text("unit", "") else None
    stated = fields.text("answer_type", "")
    if options:
        kind = AnswerType.YES_NO if plain in ([True, False], [False, True]) else AnswerType.CHOICE
        form = AnswerFormat(answer_type=kind, options=options)
    elif stated == AnswerType.LIST:
        form = AnswerFormat(answer_type=AnswerType.LIST, unit=unit, length=_length(fields))
    elif stated:
        form = AnswerFormat(answer_type=AnswerType(stated), unit=unit)
    elif answer.lower() in ("yes", "no"):
        form = AnswerFormat(answer_type=AnswerType.YES_NO)
    else:
        form = AnswerFormat(answer_type=AnswerType.TEXT)
    if form.answer_type is AnswerType.TEXT:
        return form, cell if answer else None
    return form, truth_from_text(answer, form) if answer else None


def _length(fields: Fields) -> int:
    """How many numbers a list answer has.

    Raises:
        RecordError: the column does not say.
    """
    text = fields.text("length", "")
    if not text.isdigit():
        raise fields.error("wrong_type", "length", f"a list needs its length, got {text[:20]!r}")
    return int(text)


def _images(fields: Fields, root: Path, pointed: _Pointed, limits: SuiteLimits) -> tuple[SuiteImage, ...]:
    cell = fields.text("image", "").strip()
    named = _listed(fields, "image_path", fields.text("image_path", "").strip())
    if not cell:
        return tuple(SuiteImage(fields.checked_path(path, "image_path"), root=root) for path in named)
    if len(cell) <= _POINTER and not cell.startswith("["):
        pictures = pointed.pictures(fields, cell)
    else:
        pictures = _decoded_cell(fields, cell, limits)
    names = _listed(fields, "image_names", fields.text("image_names", "")) or named
    if names and len(names) != len(pictures):
        raise fields.error("image_count_mismatch", "image_path", f"{len(names)} names for {len(pictures)} pictures")
    if not names:
        index = _UNSAFE_NAME.sub("_", fields.text("index"))
        several = len(pictures) > 1
        names = [f"{index}{f'_{place}' if several else ''}{_suffix(data)}" for place, data in enumerate(pictures)]
    return tuple(
        SuiteImage(fields.checked_path(name, "image_path"), data=data)
        for name, data in zip(names, pictures, strict=True)
    )


def _decoded_cell(fields: Fields, cell: str, limits: SuiteLimits) -> tuple[bytes, ...]:
    return tuple(_decoded(fields, text, limits) for text in _listed(fields, "image", cell))


def _listed(fields: Fields, name: str, cell: str) -> list[str]:
    if not cell.startswith("["):
        return [cell] if cell else []
    try:
        return [str(item) for item in parse_list_cell(cell)]
    except ValueError as error:
        raise fields.error("list_unparsable", name, str(error)) from error


def _decoded(fields: Fields, text: str, limits: SuiteLimits) -> bytes:
    if len(text) // 4 * 3 > limits.image.max_file_bytes:
        raise fields.error("too_large", "image", f"a picture of {len(text):,} characters is over the limit")
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise fields.error("bad_base64", "image", f"a picture is no base64 ({error})") from error


def _suffix(data: bytes) -> str:
    return next((suffix for head, suffix in _SUFFIXES if data.startswith(head)), ".png")


def _safe(text: str) -> str:
    """The text so that pandas does not take it for an empty cell: one blank is added to words that mean "missing"."""
    return text + " " if text.rstrip(" ") in _READ_AS_MISSING else text


def _plain(text: str) -> str:
    """What `_safe` was given."""
    return text[:-1] if text.endswith(" ") and text.rstrip(" ") in _READ_AS_MISSING else text


def _record(item: SuiteItem, index: str) -> dict[str, JsonValue]:
    options = dict(item.options)
    if item.answer_type is AnswerType.YES_NO and not options:
        options = {"A": "Yes", "B": "No"}
    answer = answer_text(item)
    if isinstance(item.truth, bool):
        answer = next(letter for letter, text in options.items() if yes_no_word(text) is item.truth)
    length = item.answer_format.length
    return {
        "index": index,
        "question": _safe(item.text),
        **({letter: _safe(options.get(letter, "")) for letter in _LETTERS[:_WRITTEN_LETTERS]} if options else {}),
        "answer": _safe(answer),
        "category": item.kind,
        "l2-category": item.suite,
        "split": item.condition,
        "item_id": item.id,
        "question_id": item.question_id,
        "suite": item.suite,
        "kind": item.kind,
        "scene": item.scene,
        "condition": item.condition,
        "answer_type": item.answer_type.value,
        "unit": item.answer_format.unit or "",
        "length": "" if length is None else str(length),
    }


def _verbatim(item: SuiteItem) -> dict[str, JsonValue] | None:
    """The row that an item was read from without its pictures, if it still says the same."""
    source = item.source
    if source is None or source.format != NAME:
        return None
    try:
        again = _item(Fields(source.fields, warn=lambda code, field, message: None), item.images)
    except (BenchDataError, ValueError):
        return None
    return dict(source.fields) if again == item else None


Pictures = Callable[[SuiteItem, str], dict[str, JsonValue]]
"""``(item, index)`` -> the picture columns of one row of a table after the other."""


def _embedded() -> Pictures:
    """Pictures as base64; when a row shows the same files as an earlier one, it points to that."""
    first: dict[tuple[str, ...], str] = {}

    def columns(item: SuiteItem, index: str) -> dict[str, JsonValue]:
        names = list_cell([image.path for image in item.images])
        if all(image.data is None for image in item.images):
            held = first.setdefault(tuple(f"{image.root}/{image.path}" for image in item.images), index)
            if held != index:
                return {"image": held, "image_names": names}
        cells = [base64.b64encode(image.read()).decode("ascii") for image in item.images]
        if len(cells[0]) <= _POINTER:
            raise BenchDataError(f"{item.images[0].path}: so small a file would be taken for a pointer to another row")
        return {"image": cells[0] if len(cells) == 1 else json.dumps(cells), "image_names": names}

    return columns


def _beside(copier: PictureCopier) -> Pictures:
    """Paths of pictures that are copied beside the table."""

    def columns(item: SuiteItem, index: str) -> dict[str, JsonValue]:
        paths = [image.path for image in with_placed_pictures(item, copier).images]
        return {"image_path": paths[0] if len(paths) == 1 else list_cell(paths)}

    return columns


def _write(items: Iterable[SuiteItem], path: Path) -> None:
    _write_tables(items, path, _embedded)


def _write_paths(items: Iterable[SuiteItem], path: Path) -> None:
    copier = PictureCopier(path.parent)
    _write_tables(items, path, lambda: _beside(copier))


def _write_tables(items: Iterable[SuiteItem], path: Path, pictures: Callable[[], Pictures]) -> None:
    """One table for choices and one for open answers, as VLMEvalKit tells its kind of task by the columns."""
    open_path = path.with_name(f"{path.stem}{OPEN}{path.suffix}")
    with TableWriter(path) as choices, TableWriter(open_path) as others:
        parts = {True: _Part(choices, pictures()), False: _Part(others, pictures())}
        for item in items:
            parts[item.answer_type in (AnswerType.CHOICE, AnswerType.YES_NO)].add(item)
        if choices.rows and others.rows:
            others.finish()
        if choices.rows or not others.rows:
            choices.finish(columns=("index", "question", "answer", "image"))
        else:
            others.finish(path)


class _Part:
    """A table that is written; rows that were read keep their index, others get the next free number."""

    def __init__(self, table: TableWriter, pictures: Pictures) -> None:
        self._table = table
        self._pictures = pictures
        self._used: set[str] = set()
        self._next = 0

    def add(self, item: SuiteItem) -> None:
        record = _verbatim(item)
        if record is None or str(record["index"]) in self._used:
            while str(self._next) in self._used:
                self._next += 1
            record = _record(item, str(self._next))
        index = str(record["index"])
        self._used.add(index)
        self._table.add(record | self._pictures(item, index))


def _refuses(item: SuiteItem) -> str | None:
    if len(item.options) > _WRITTEN_LETTERS:
        return f"more than {_WRITTEN_LETTERS} options"
    if item.answer_type is AnswerType.GRAPH:
        return "answers of the form graph"
    if any(not text.strip() for text in item.options.values()):
        return "options without a text"
    if item.coordinates == "permille" or item.mask is not None:
        return "places in thousandths, and masks"
    if not item.images:
        return "questions without a picture"
    return None


_LOSSES = (
    "structured questions (derivation, margin) and tags are left out",
    "yes/no questions get the options Yes and No",
    "a suite with choices and open answers becomes two tables, NAME.tsv and NAME_open.tsv, as VLMEvalKit tells the "
    "kind of a task by its columns",
)
_HOLDS = frozenset(Held) - {Held.QUESTION, Held.TAGS}

suite_format(
    SuiteFormat(
        name=NAME,
        summary="VLMEvalKit: a table with its pictures inside, as base64",
        layout="file",
        suffix=".tsv",
        holds=_HOLDS,
        losses=_LOSSES,
        detect=_detect,
        read=_read,
        write=_write,
        refuses=_refuses,
    )
)
suite_format(
    SuiteFormat(
        name=PATHS,
        summary="VLMEvalKit: a table with paths of pictures beside it; read as vlmeval",
        layout="file",
        suffix=".tsv",
        holds=_HOLDS,
        losses=_LOSSES,
        write=_write_paths,
        refuses=_refuses,
    )
)
