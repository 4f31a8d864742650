"""Conversations for supervised fine-tuning (ShareGPT style), as SpaceDG's training lines have them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ..files.json_lines import json_line
from ..item import SuiteItem
from ..pictures import PictureCopier
from ..registry import SuiteFormat, suite_format
from ..training.records import PictureSizes, not_taught, training_record
from ..verbatim import with_placed_pictures
from ..writing import new_text_file

__all__ = ["NAME"]

NAME = "sharegpt"


def _write(items: Iterable[SuiteItem], path: Path) -> None:
    copier, sizes = PictureCopier(path.parent), PictureSizes()
    with new_text_file(path) as stream:
        for item in items:
            stream.write(json_line(training_record(with_placed_pictures(item, copier), sizes)))


suite_format(
    SuiteFormat(
        name=NAME,
        summary="conversations for fine-tuning: JSON lines with one mark a picture (only written)",
        layout="file",
        suffix=".jsonl",
        losses=(
            "only what a model is trained on is kept: prompt, pictures and answer as text, numbers with three digits; "
            "`seeworthy data sft` also holds scenes out",
        ),
        write=_write,
        refuses=not_taught,
    )
)
