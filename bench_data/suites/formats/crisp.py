"""CRISP-Bench's questions and graph tasks (arXiv 2606.26535): JSON lines with a conversation a record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pydantic import JsonValue

from ...questions import AnswerFormat, AnswerType, Truth, Unit
from ..answers import parse_letter, truth_from_text, yes_no_word
from ..conversations import conversation, images_of, turns, unmarked
from ..files.json_lines import json_line, json_line_rows, parsed_json
from ..files.rows import RawRow
from ..findings import Fields, RecordError
from ..item import CLEAN, SourceRecord, SuiteImage, SuiteItem
from ..limits import SuiteLimits
from ..pictures import PictureCopier
from ..registry import Held, Row, SuiteFormat, suite_format
from ..rows import decoded_rows
from ..texts import option_lines, split_options
from ..verbatim import source_fields, with_placed_pictures
from ..writing import new_text_file

__all__ = ["NAME"]

NAME = "crisp"
_CHOICES = {"A": "yes", "B": "no"}
_OWN = ("condition", "question_id", "scene", "suite", "kind")
"""Entries of ``meta`` that only we write and read."""


def _detect(path: Path) -> bool:
    with path.open("rb") as stream:
        head = parsed_json(stream.readline(1 << 20).removeprefix(b"\xef\xbb\xbf"))
    if not isinstance(head, dict) or not isinstance(head.get("meta"), dict):
        return False
    return "conversations" in head and "dataset" in head["meta"]


def _read(path: Path, limits: SuiteLimits) -> Iterator[Row]:
    def decode(fields: Fields, raw: RawRow) -> SuiteItem:
        return _item(fields, path.parent)

    return decoded_rows(json_line_rows(path, limits=limits), decode, file=path.name)


def _item(fields: Fields, root: Path | None) -> SuiteItem:
    images = images_of(fields, root)
    asked, answer = conversation(fields)
    asked = unmarked(fields, asked, len(images))
    meta = fields.part("meta")
    if not fields.has("id"):
        return _graph_item(fields, meta, asked, answer, images)
    text, form, truth = _question(meta, asked, answer)
    identity = fields.text("id")
    return SuiteItem(
        id=identity,
        text=text,
        images=images,
        answer_format=form,
        truth=truth,
        question_id=meta.text("question_id", identity),
        suite=meta.text("suite", "crisp"),
        kind=meta.text("kind", meta.text("category", "")),
        scene=meta.text("scene", ""),
        condition=meta.text("condition", CLEAN),
        tags=_tags(meta),
        source=SourceRecord(NAME, fields.values),
    )


def _graph_item(fields: Fields, meta: Fields, asked: str, answer: str, images: tuple[SuiteImage, ...]) -> SuiteItem:
    """A record without id asks for the scene graph of its picture."""
    graph = parsed_json(answer)
    if not isinstance(graph, dict) or not all(isinstance(graph.get(name), list) for name in ("objects", "edges")):
        why = graph if isinstance(graph, str) else "it must have the lists objects and edges"
        raise fields.error("bad_graph", "conversations", f"the answer is no scene graph: {why}")
    identity = meta.text("item_id", f"graph/{images[0].path if images else ''}")
    return SuiteItem(
        id=identity,
        text=asked,
        images=images,
        answer_format=AnswerFormat(answer_type=AnswerType.GRAPH),
        truth=answer,
        question_id=meta.text("question_id", identity),
        suite=meta.text("suite", "crisp"),
        kind=meta.text("kind", "scene_graph"),
        scene=meta.text("scene", ""),
        condition=meta.text("condition", CLEAN),
        tags=_tags(meta),
        source=SourceRecord(NAME, fields.values),
    )


def _tags(meta: Fields) -> dict[str, str]:
    names = {"category": "ability", "difficulty": "difficulty", "dataset": "dataset"}
    return {tag: meta.text(name) for name, tag in names.items() if meta.has(name)}


def _question(meta: Fields, asked: str, answer: str) -> tuple[str, AnswerFormat, Truth | None]:
    kind = meta.text("type")
    if kind in ("NAQ", "NA"):
        form = AnswerFormat(answer_type=AnswerType.NUMBER, unit=Unit.METRE)
        return asked, form, truth_from_text(answer, form) if answer.strip() else None
    if kind != "MCQ":
        raise meta.error("unknown_type", "type", f"must be MCQ, NAQ or NA, got {kind[:40]!r}")
    split = split_options(asked)
    if split.repeated:
        raise RecordError("repeated_letter", f"two options have the letter {split.repeated[0]}", "conversations")
    if len(split.options) < 2:
        raise RecordError("no_options", "a choice needs its options behind a line Options:", "conversations")
    if {yes_no_word(text) for text in split.options.values()} == {True, False} and len(split.options) == 2:
        form = AnswerFormat(answer_type=AnswerType.YES_NO, options=split.options)
        return split.text, form, truth_from_text(answer, form) if answer.strip() else None
    form = AnswerFormat(answer_type=AnswerType.CHOICE, options=split.options)
    return split.text, form, parse_letter(answer, split.options) if answer.strip() else None


def _record(item: SuiteItem) -> dict[str, JsonValue]:
    meta: dict[str, JsonValue] = {}
    for name, tag in (("category", "ability"), ("difficulty", "difficulty")):
        if tag in item.tags:
            meta[name] = item.tags[tag]
    graph = item.answer_type is AnswerType.GRAPH
    if not graph:
        meta["type"] = "NAQ" if item.answer_type is AnswerType.NUMBER else "MCQ"
    meta["dataset"] = item.tags.get("dataset", item.suite or "seeworthy")
    meta |= {name: getattr(item, name) for name in _OWN}
    options = _shown_options(item)
    asked = _asked(item, options)
    record: dict[str, JsonValue] = {} if graph else {"id": item.id}
    if graph:
        meta["item_id"] = item.id
    record |= {
        "image": item.images[0].path,
        "conversations": turns(asked, _answer(item, options)),
        "meta": meta,
    }
    return record


def _shown_options(item: SuiteItem) -> Mapping[str, str]:
    return item.options or (_CHOICES if item.answer_type is AnswerType.YES_NO else {})


def _asked(item: SuiteItem, options: Mapping[str, str]) -> str:
    return f"{item.text}\nOptions:\n{option_lines(options, mark=':')}" if options else item.text


def _answer(item: SuiteItem, options: Mapping[str, str]) -> str:
    truth = item.truth
    if isinstance(truth, bool):
        return next(letter for letter, text in options.items() if yes_no_word(text) is truth)
    return "" if truth is None else truth if isinstance(truth, str) else repr(truth)


def _refuses(item: SuiteItem) -> str | None:
    if len(item.images) != 1:
        return f"questions about {len(item.images)} pictures"
    if item.answer_type not in (AnswerType.CHOICE, AnswerType.YES_NO, AnswerType.NUMBER, AnswerType.GRAPH):
        return f"answers of the form {item.answer_type}"
    if item.answer_type is AnswerType.NUMBER and item.answer_format.unit is not Unit.METRE:
        return f"numbers in {item.answer_format.unit}"
    options = _shown_options(item)
    split = split_options(_asked(item, options))
    if options and (split.text, split.options) != (item.text, dict(options)):
        return "questions or options that cannot be told apart in one text"
    return None


def _write(items: Iterable[SuiteItem], path: Path) -> None:
    copier = PictureCopier(path.parent)

    def decode(fields: Fields, raw: RawRow) -> SuiteItem:
        return _item(fields, None)

    with new_text_file(path) as stream:
        for item in items:
            placed = with_placed_pictures(item, copier)
            stream.write(json_line(source_fields(placed, NAME, decode) or _record(placed)))


suite_format(
    SuiteFormat(
        name=NAME,
        summary="CRISP-Bench: JSON lines of questions or graph tasks about one picture each",
        layout="file",
        suffix=".jsonl",
        holds=frozenset(Held) - {Held.QUESTION, Held.TAGS},
        losses=(
            "structured questions (derivation, margin) are left out",
            "of the tags, ability, difficulty and dataset are kept",
            "yes/no questions get the options A: yes, B: no",
        ),
        detect=_detect,
        read=_read,
        write=_write,
        refuses=_refuses,
    )
)
