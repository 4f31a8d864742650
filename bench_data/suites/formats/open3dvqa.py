"""Open3DVQA's files (arXiv 2503.11094): a list of conversations; in the second version lists by data set and scene."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from pydantic import JsonValue

from ...questions import AnswerFormat, AnswerType, Dimension, Truth, Unit
from ..answers import UNIT_WORDS, number_in, parse_letter, truth_from_text, yes_no_word
from ..conversations import IMAGE_MARK, conversation, turns, unmarked
from ..files.json_tree import json_tree_rows
from ..files.rows import RawRow
from ..findings import Fields, Finding
from ..item import CLEAN, SourceRecord, SuiteImage, SuiteItem
from ..limits import SuiteLimits
from ..pictures import PictureCopier
from ..registry import Held, Row, SuiteFormat, suite_format
from ..rows import decoded_rows
from ..texts import SplitText, option_lines, split_options
from ..verbatim import source_fields, with_placed_pictures
from ..writing import new_text_file

__all__ = ["NAME", "NESTED"]

NAME = "open3dvqa"
NESTED = "open3dvqa_v2"
_OWN = ("item_id", "question_id", "suite", "kind", "condition")
"""Entries of ``qa_info`` that only we write and read."""


def _detect(path: Path) -> bool:
    with path.open("rb") as stream:
        head = stream.read(1 << 16)
    return head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"[", b"{") and b'"qa_info"' in head and b'"image_info"' in head


def _read(path: Path, limits: SuiteLimits) -> Iterator[Row]:
    def decode(fields: Fields, raw: RawRow) -> SuiteItem:
        return _item(fields, raw, path.parent)

    rows = decoded_rows(json_tree_rows(path, limits=limits), decode, file=path.name)
    return _with_own_ids(rows)


def _with_own_ids(rows: Iterable[Row]) -> Iterator[Row]:
    """In the second version an id names picture and type only, and comes again with each pair of objects."""
    seen: Counter[str] = Counter()
    for row in rows:
        item = row.item
        nested = isinstance(item, SuiteItem) and item.source is not None and item.source.format == NESTED
        if isinstance(item, SuiteItem) and nested:
            seen[item.id] += 1
            if seen[item.id] > 1:
                name = f"{item.id}#{seen[item.id]}"
                message = f"this id comes again, as published ids do; the record is called {name!r} here"
                finding = Finding("warning", "published_duplicate_id", row.file, message, row.line, item.id[:80], "id")
                row = Row(row.file, row.line, replace(item, id=name, question_id=name), (*row.findings, finding))
        yield row


def _item(fields: Fields, raw: RawRow, root: Path | None) -> SuiteItem:
    asked, answer = conversation(fields, "conversation")
    asked = unmarked(fields, asked, 1, "conversation").strip()
    if fields.has("query_question") and fields.text("query_question").strip() != asked:
        fields.warn("text_mismatch", "query_question", "it differs from the conversation, which is taken")
    info = fields.part("qa_info")
    name = info.text("question_name", "")
    split = split_options(asked)
    form, truth = _answer(info, split, name, answer.strip())
    place = "/".join(raw.keys)
    identity = info.text("item_id", "") or (f"{place}/{fields.text('id')}" if place else fields.text("id"))
    tags = {"question_name": name} if name else {}
    tags |= {"dataset": raw.keys[0]} if raw.keys else {}
    return SuiteItem(
        id=identity,
        text=split.text,
        images=(SuiteImage(fields.part("image_info").path("image_path"), root=root),),
        answer_format=form,
        truth=truth,
        question_id=info.text("question_id", identity),
        suite=info.text("suite", "open3dvqa"),
        kind=info.text("kind", name),
        scene=fields.text("scene_id", raw.keys[-1] if raw.keys else ""),
        condition=info.text("condition", CLEAN),
        tags=tags,
        source=SourceRecord(NESTED if raw.keys else NAME, fields.values),
    )


def _answer(info: Fields, split: SplitText, name: str, answer: str) -> tuple[AnswerFormat, Truth | None]:
    """By the options where there are any, else by the type's name, as the published tools do."""
    if split.options:
        return _lettered(split, answer)
    if info.has("answer_type"):
        unit = Unit(info.text("unit")) if info.has("unit") else None
        form = AnswerFormat(answer_type=AnswerType(info.text("answer_type")), unit=unit)
        return form, truth_from_text(answer, form) if answer else None
    if "predicate" in name or "relationship" in name:
        truth = yes_no_word(answer)
        if truth is not None or not answer:
            return AnswerFormat(answer_type=AnswerType.YES_NO), truth
        info.warn(
            "reference_only",
            "question_name",
            "the reference sentence begins with neither yes nor no (some published wordings say the opposite of the "
            "truth); kept as a text, not guessed",
        )
    elif "direction" in name and "choice" not in name:
        form = AnswerFormat(answer_type=AnswerType.CLOCK)
        return form, truth_from_text(answer, form) if answer else None
    elif "data" in name or "distance" in name or "angle" in name:
        return _measured(info, name, answer)
    return AnswerFormat(answer_type=AnswerType.TEXT), answer or None


def _lettered(split: SplitText, answer: str) -> tuple[AnswerFormat, Truth | None]:
    two = [yes_no_word(text) for text in split.options.values()]
    if two in ([True, False], [False, True]):
        form = AnswerFormat(answer_type=AnswerType.YES_NO, options=split.options)
        return form, truth_from_text(answer, form) if answer else None
    form = AnswerFormat(answer_type=AnswerType.CHOICE, options=split.options)
    return form, parse_letter(answer, split.options) if answer else None


def _measured(info: Fields, name: str, answer: str) -> tuple[AnswerFormat, Truth | None]:
    dimensions = {"volume": Dimension.VOLUME, "angle": Dimension.ANGLE}
    wanted = next((dimension for word, dimension in dimensions.items() if word in name), Dimension.LENGTH)
    if not answer:
        base = {Dimension.VOLUME: Unit.CUBIC_METRE, Dimension.ANGLE: Unit.DEGREE}.get(wanted, Unit.METRE)
        return AnswerFormat(answer_type=AnswerType.NUMBER, unit=base), None
    value, unit = number_in(answer, sentence=True)
    if unit is None:
        raise info.error("wrong_unit", "question_name", f"the answer {answer[:60]!r} names no unit")
    if unit.dimension is not wanted:
        raise info.error("wrong_unit", "question_name", f"{name} asks for a {wanted.value}, the answer is in {unit}")
    if unit is Unit.LITRE:
        info.warn(
            "volume_unit_fault",
            "question_name",
            'published texts put "cubic decimeter" behind a number of cubic metres below 0.001; compare with care',
        )
    return AnswerFormat(answer_type=AnswerType.NUMBER, unit=unit), float(value)


def _record(item: SuiteItem) -> dict[str, JsonValue]:
    qualitative = item.answer_type in (AnswerType.CHOICE, AnswerType.YES_NO, AnswerType.TEXT)
    info: dict[str, JsonValue] = {
        "type": "qualitative" if qualitative else "quantitative",
        "question_name": item.tags.get("question_name", item.kind),
        "is_embodied": "agent" in item.kind,
    }
    own = {"item_id": item.id} | {name: getattr(item, name) for name in _OWN[1:]}
    info |= {**own, "answer_type": item.answer_type.value}
    if item.answer_format.unit is not None:
        info["unit"] = item.answer_format.unit.value
    asked = f"{item.text}\n{option_lines(item.options)}" if item.options else item.text
    return {
        "id": item.id,
        "image_info": {"image_path": item.images[0].path},
        "qa_info": info,
        "conversation": turns(f"{IMAGE_MARK}\n{asked}", _answer_words(item)),
        "query_question": asked,
        "scene_id": item.scene,
    }


def _answer_words(item: SuiteItem) -> str:
    truth = item.truth
    if truth is None:
        return ""
    if isinstance(truth, bool):
        lettered = [letter for letter, text in item.options.items() if yes_no_word(text) is truth]
        return lettered[0] if lettered else "Yes" if truth else "No"
    if item.answer_type is AnswerType.CLOCK:
        return f"{truth} o'clock"
    unit = item.answer_format.unit
    if isinstance(truth, int | float) and unit is not None:
        return f"{truth!r} {UNIT_WORDS.get(unit, '' if unit in (Unit.COUNT, Unit.RATIO) else unit.value)}".rstrip()
    return str(truth)


def _refuses(item: SuiteItem) -> str | None:
    if len(item.images) != 1:
        return f"questions about {len(item.images)} pictures"
    if item.answer_type in (AnswerType.LIST, AnswerType.BOX, AnswerType.POINT, AnswerType.GRAPH):
        return f"answers of the form {item.answer_type}"
    if isinstance(item.truth, str) and item.truth != item.truth.strip():
        return "answers that begin or end with a blank"
    asked = f"{item.text}\n{option_lines(item.options)}" if item.options else item.text
    split = split_options(asked.strip())
    if (split.text, split.options) != (item.text, dict(item.options)):
        return "questions or options that cannot be told apart in one text"
    return None


def _records(items: Iterable[SuiteItem], folder: Path, name: str) -> Iterator[tuple[SuiteItem, str]]:
    copier = PictureCopier(folder)
    for item in items:
        placed = with_placed_pictures(item, copier)
        keys = (placed.tags.get("dataset", ""), placed.scene) if name == NESTED else ()

        def decode(fields: Fields, raw: RawRow, keys: tuple[str, ...] = keys) -> SuiteItem:
            return _item(fields, RawRow(0, raw.fields, keys), None)

        record = source_fields(placed, name, decode) or _record(placed)
        yield placed, json.dumps(record, ensure_ascii=False, allow_nan=False)


def _write(items: Iterable[SuiteItem], path: Path) -> None:
    with new_text_file(path) as stream:
        mark = "[\n"
        for _, text in _records(items, path.parent, NAME):
            stream.write(mark + text)
            mark = ",\n"
        stream.write("[]\n" if mark == "[\n" else "\n]\n")


def _write_nested(items: Iterable[SuiteItem], path: Path) -> None:
    by_place: dict[str, dict[str, list[str]]] = {}
    for item, text in _records(items, path.parent, NESTED):
        dataset = item.tags.get("dataset") or item.suite or "seeworthy"
        by_place.setdefault(dataset, {}).setdefault(item.scene or "scene", []).append(text)
    with new_text_file(path) as stream:
        blocks = []
        for dataset, scenes in by_place.items():
            lists = [
                json.dumps(scene, ensure_ascii=False) + ": [\n" + ",\n".join(t) + "\n]" for scene, t in scenes.items()
            ]
            blocks.append(json.dumps(dataset, ensure_ascii=False) + ": {\n" + ",\n".join(lists) + "\n}")
        stream.write("{\n" + ",\n".join(blocks) + "\n}\n" if blocks else "{}\n")


_LOSSES = (
    "structured questions (derivation, margin) are left out",
    "of the tags, question_name and the data set are kept",
)
_HOLDS = frozenset(Held) - {Held.QUESTION, Held.TAGS}

suite_format(
    SuiteFormat(
        name=NAME,
        summary="Open3DVQA: a JSON list (first version); lists by data set and scene (second) are read too",
        layout="file",
        suffix=".json",
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
        name=NESTED,
        summary="Open3DVQA, second version: lists by data set and scene; read as open3dvqa",
        layout="file",
        suffix=".json",
        holds=_HOLDS,
        losses=(*_LOSSES, "the order of scenes that are not together; all records are held in memory while writing"),
        write=_write_nested,
        refuses=_refuses,
    )
)
