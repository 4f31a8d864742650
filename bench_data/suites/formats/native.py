"""Our own format: JSON lines that hold everything, a structured question included, between a header and a last record.

The last record tells how many items there are, so that a file that was cut off is noticed. The question files of a data
set are read too: bare questions, one a line, over the clean pictures of the data set that they lie in.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pydantic import JsonValue

from ...questions import AnswerFormat, Question, Truth, question_from_json, question_to_json
from ..conversations import images_of
from ..data_sets import bare_item
from ..files.json_lines import json_line, json_line_rows, parsed_json
from ..files.rows import BadRow, RawRow
from ..findings import Fields
from ..item import CLEAN, Coordinates, SourceRecord, SuiteImage, SuiteItem, item_from_question
from ..limits import SuiteLimits
from ..pictures import PictureCopier
from ..registry import Held, Row, SuiteFormat, suite_format
from ..rows import decoded_rows, file_fault
from ..verbatim import with_placed_pictures
from ..writing import new_text_file

__all__ = ["HEADER", "LAST"]

HEADER = "seeworthy_suite"
LAST = "seeworthy_suite_end"
_VERSION = 1
_LONGEST_HEAD = 1 << 16
_BARE = frozenset({"id", "suite", "scene", "views", "query", "answer_type"})
"""Fields of a question as data sets have it; one of a suite stands within a record."""


def _detect(path: Path) -> bool:
    with path.open("rb") as stream:
        head = parsed_json(stream.readline(_LONGEST_HEAD).removeprefix(b"\xef\xbb\xbf"))
    return isinstance(head, dict) and (HEADER in head or _is_bare(head))


def _read(path: Path, limits: SuiteLimits) -> Iterator[Row]:
    counted = _Counted()

    def decode(fields: Fields, raw: RawRow) -> SuiteItem | None:
        if HEADER in fields.values:
            if fields.whole(HEADER) > _VERSION:
                raise fields.error(
                    "newer_version", HEADER, "the suite was written by a newer version; update Seeworthy"
                )
            return None
        if LAST in fields.values:
            counted.promised = fields.whole(LAST)
            return None
        if _is_bare(fields.values):
            counted.bare = True
            return bare_item(question_from_json(json.dumps(fields.values)), path)
        return _item(fields, path.parent)

    rows = decoded_rows(counted.counting(json_line_rows(path, limits=limits)), decode, file=path.name)
    yield from rows
    if counted.promised is None and not counted.bare:
        message = "the last record is missing: the file was cut off, or is an excerpt"
        yield file_fault("cut_off", path.name, message, warning=True)
    elif counted.promised is not None and counted.promised != counted.items:
        message = f"the file should hold {counted.promised:,} items and holds {counted.items:,}"
        yield file_fault("wrong_count", path.name, message, warning=True)


def _is_bare(record: Mapping[str, JsonValue]) -> bool:
    """Whether a record is a question as data sets have it, without pictures."""
    return "images" not in record and record.keys() >= _BARE


class _Counted:
    """How many items a file holds, and how many it says that it does."""

    def __init__(self) -> None:
        self.items = 0
        self.promised: int | None = None
        self.bare = False

    def counting(self, rows: Iterable[RawRow | BadRow]) -> Iterator[RawRow | BadRow]:
        for row in rows:
            self.items += isinstance(row, BadRow) or not (HEADER in row.fields or LAST in row.fields)
            yield row


def _item(fields: Fields, root: Path | None) -> SuiteItem:
    fields.listed("images")
    images = images_of(fields, root, "images")
    question = _question(fields)
    condition = fields.text("condition", CLEAN)
    if question is not None and not fields.has("answer_format"):
        base = item_from_question(question, [SuiteImage("x")] * len(question.views), condition=condition)
        form, truth, text = base.answer_format, base.truth, base.text
    else:
        form = AnswerFormat.model_validate(fields.part("answer_format").values)
        truth, text = _truth(fields.values.get("truth")), fields.text("text")
    identity = fields.text("id")
    mask = SuiteImage(fields.path("mask"), root=root) if fields.has("mask") else None
    return SuiteItem(
        id=identity,
        text=text,
        images=images,
        answer_format=form,
        truth=truth,
        question_id=fields.text("question_id", question.id if question else identity),
        suite=fields.text("suite", question.suite if question else ""),
        kind=fields.text("kind", question.kind if question else ""),
        scene=fields.text("scene", question.scene if question else ""),
        condition=condition,
        coordinates=_coordinates(fields),
        mask=mask,
        tags=_tags(fields, question),
        question=question,
        source=_source(fields),
    )


def _question(fields: Fields) -> Question | None:
    if not fields.has("question"):
        return None
    return question_from_json(json.dumps(fields.part("question").values))


def _truth(value: JsonValue) -> Truth | None:
    if isinstance(value, list):
        numbers = [one for one in value if isinstance(one, int | float) and not isinstance(one, bool)]
        return tuple(float(one) for one in numbers) if len(numbers) == len(value) else str(value)
    return str(value) if isinstance(value, dict) else value


def _coordinates(fields: Fields) -> Coordinates:
    named = fields.text("coordinates", "pixels")
    if named == "pixels":
        return "pixels"
    if named == "permille":
        return "permille"
    raise fields.error("wrong_type", "coordinates", f"must be pixels or permille, got {named[:40]!r}")


def _tags(fields: Fields, question: Question | None) -> Mapping[str, str]:
    if not fields.has("tags"):
        return dict(question.tags) if question else {}
    part = fields.part("tags")
    return {name: part.text(name) for name in part.values}


def _source(fields: Fields) -> SourceRecord | None:
    if not fields.has("source"):
        return None
    part = fields.part("source")
    return SourceRecord(part.text("format"), part.part("fields").values)


def _record(item: SuiteItem) -> dict[str, JsonValue]:
    record: dict[str, JsonValue] = {"id": item.id, "question_id": item.question_id, "condition": item.condition}
    record["images"] = [image.path for image in item.images]
    question = item.question
    plain = None
    if question is not None:
        plain = item_from_question(question, [SuiteImage("x")] * len(question.views), condition=item.condition)
    if plain is None or (plain.text, plain.answer_format, plain.truth) != (item.text, item.answer_format, item.truth):
        form = item.answer_format.model_dump(mode="json", exclude_none=True)
        truth: JsonValue = [*item.truth] if isinstance(item.truth, tuple) else item.truth
        record |= {"text": item.text, "answer_format": form, "truth": truth}
    for name in ("suite", "kind", "scene"):
        if plain is None or getattr(plain, name) != getattr(item, name):
            record[name] = getattr(item, name)
    if plain is None or plain.tags != item.tags:
        record["tags"] = dict(item.tags)
    if item.coordinates != "pixels":
        record["coordinates"] = item.coordinates
    if item.mask is not None:
        record["mask"] = item.mask.path
    if question is not None:
        record["question"] = json.loads(question_to_json(question))
    if item.source is not None:
        record["source"] = {"format": item.source.format, "fields": dict(item.source.fields)}
    return record


def _write(items: Iterable[SuiteItem], path: Path) -> None:
    copier = PictureCopier(path.parent)
    count = 0
    with new_text_file(path) as stream:
        stream.write(json_line({HEADER: _VERSION}))
        for item in items:
            stream.write(json_line(_record(with_placed_pictures(item, copier))))
            count += 1
        stream.write(json_line({LAST: count}))


suite_format(
    SuiteFormat(
        name="native",
        summary="our JSON lines: everything, structured questions included",
        layout="file",
        suffix=".jsonl",
        holds=frozenset(Held),
        detect=_detect,
        read=_read,
        write=_write,
    )
)
