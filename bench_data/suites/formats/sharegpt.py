"""Conversations for supervised fine-tuning (ShareGPT style), as SpaceDG's training lines have them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ..answers import answer_text
from ..conversations import IMAGE_MARK, turns
from ..files.json_lines import json_line
from ..item import SuiteItem
from ..pictures import PictureCopier
from ..registry import SuiteFormat, suite_format
from ..texts import full_prompt
from ..verbatim import with_placed_pictures
from ..writing import new_text_file

__all__ = ["NAME"]

NAME = "sharegpt"


def _write(items: Iterable[SuiteItem], path: Path) -> None:
    copier = PictureCopier(path.parent)
    with new_text_file(path) as stream:
        for item in items:
            placed = with_placed_pictures(item, copier)
            question_type, _, sub_type = item.kind.partition(".")
            record = {
                "id": item.id,
                "image": [image.path for image in placed.images],
                "conversations": turns(
                    f"{IMAGE_MARK}\n" * len(placed.images) + full_prompt(placed), answer_text(placed)
                ),
                "question_type": item.tags.get("question_type", question_type),
                "sub_question_type": item.tags.get("sub_question_type", sub_type),
                "condition": item.condition,
            }
            stream.write(json_line(record))


def _refuses(item: SuiteItem) -> str | None:
    if item.truth is None:
        return "questions without an answer"
    return f"texts that hold {IMAGE_MARK}" if IMAGE_MARK in item.text else None


suite_format(
    SuiteFormat(
        name=NAME,
        summary="conversations for fine-tuning: JSON lines with one mark a picture (only written)",
        layout="file",
        suffix=".jsonl",
        losses=("only what a model is trained on is kept: prompt, pictures and answer as text",),
        write=_write,
        refuses=_refuses,
    )
)
