"""``blind``: the question without its pictures. What a model scores here it did not see."""

from __future__ import annotations

from ....tools.models import CoordinateSpace
from ...asking import PROMPT_VERSION
from ..items import RunItem
from .registry import PromptParts, prompt
from .words import asked_text

__all__: list[str] = []


@prompt("blind", summary="the question without its pictures", version=str(PROMPT_VERSION))
def _blind(item: RunItem, space: CoordinateSpace) -> PromptParts:
    return (asked_text(item, space),)
