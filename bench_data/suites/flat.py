"""Items as flat records with plain columns, for data frames and evaluation tools."""

from __future__ import annotations

import json
from typing import TypedDict

from ..questions import AnswerFormat, AnswerType, question_from_json, question_to_json
from .answers import answer_text, truth_from_text
from .findings import Fields
from .item import CLEAN, SuiteImage, SuiteItem
from .texts import full_prompt

__all__ = ["FlatItem", "flat_item", "item_from_flat"]


class FlatItem(TypedDict):
    """The columns, pictures apart.

    ``answer`` is the letter of a choice, Yes or No, or the number without its unit. ``answer_format``, ``tags`` and
    ``question_json`` are JSON; the last is empty without a structured question.
    """

    id: str
    question_id: str
    suite: str
    kind: str
    scene: str
    condition: str
    question: str
    options: list[str]
    prompt: str
    answer: str
    answer_type: str
    unit: str
    answer_format: str
    coordinates: str
    tags: str
    question_json: str


def flat_item(item: SuiteItem) -> FlatItem:
    """The columns of an item."""
    form = item.answer_format
    answer = answer_text(item, unit=False)
    if item.answer_type is AnswerType.CLOCK and item.truth is not None:
        answer = str(item.truth)
    return {
        "id": item.id,
        "question_id": item.question_id,
        "suite": item.suite,
        "kind": item.kind,
        "scene": item.scene,
        "condition": item.condition,
        "question": item.text,
        "options": [f"{letter}. {text}" for letter, text in item.options.items()],
        "prompt": full_prompt(item),
        "answer": answer,
        "answer_type": form.answer_type.value,
        "unit": "" if form.unit is None else form.unit.value,
        "answer_format": json.dumps(form.model_dump(mode="json", exclude_none=True), ensure_ascii=False),
        "coordinates": item.coordinates,
        "tags": json.dumps(dict(item.tags), ensure_ascii=False),
        "question_json": "" if item.question is None else question_to_json(item.question),
    }


def item_from_flat(fields: Fields, images: tuple[SuiteImage, ...]) -> SuiteItem:
    """What :func:`flat_item` wrote, with its pictures.

    Raises:
        RecordError: a column is missing or has something else in it.
        BenchDataError: the structured question is none.
        ValueError: the form of the answer is none.
    """
    form = AnswerFormat.model_validate_json(fields.text("answer_format"))
    structured = fields.text("question_json", "")
    tags = json.loads(fields.text("tags", "") or "{}")
    if not isinstance(tags, dict) or not all(isinstance(value, str) for value in tags.values()):
        raise fields.error("wrong_type", "tags", "a JSON record of texts is expected")
    answer = fields.text("answer", "")
    permille = fields.text("coordinates", "pixels") == "permille"
    return SuiteItem(
        id=fields.text("id"),
        text=fields.text("question"),
        images=images,
        answer_format=form,
        truth=truth_from_text(answer, form) if answer else None,
        question_id=fields.text("question_id", ""),
        suite=fields.text("suite", ""),
        kind=fields.text("kind", ""),
        scene=fields.text("scene", ""),
        condition=fields.text("condition", CLEAN),
        coordinates="permille" if permille else "pixels",
        tags=tags,
        question=question_from_json(structured) if structured else None,
    )
