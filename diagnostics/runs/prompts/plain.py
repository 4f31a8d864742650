"""``plain``: the pictures, then the question, its options and the form of its answer."""

from __future__ import annotations

from ....tools.models import CoordinateSpace
from ...asking import PROMPT_VERSION
from ..items import RunItem
from .registry import PromptParts, prompt
from .words import asked_text

__all__: list[str] = []


@prompt("plain", summary="the pictures, then the question", version=str(PROMPT_VERSION))
def _plain(item: RunItem, space: CoordinateSpace) -> PromptParts:
    return (*item.pictures, asked_text(item, space))
