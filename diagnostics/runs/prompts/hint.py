"""``hint`` and ``wrong-hint``: what was done to the pictures is said beforehand, truly or not."""

from __future__ import annotations

from ....tools.models import CoordinateSpace
from ...asking import PROMPT_VERSION
from ..items import RunItem
from .registry import PromptParts, prompt
from .words import asked_text, hint

__all__: list[str] = []

_VERSION = f"{PROMPT_VERSION}.1"


@prompt(
    "hint",
    summary="the pictures, what is wrong with them, then the question",
    version=_VERSION,
    needs_stress=True,
)
def _hint(item: RunItem, space: CoordinateSpace) -> PromptParts:
    return (*item.pictures, hint(item.stress or (), pictures=len(item.pictures)), asked_text(item, space))


@prompt(
    "wrong-hint",
    summary="as hint, but what is said is wrong: a control of how far a model trusts what it is told",
    version=_VERSION,
    needs_stress=True,
)
def _wrong_hint(item: RunItem, space: CoordinateSpace) -> PromptParts:
    return (*item.pictures, hint(item.wrong_stress or (), pictures=len(item.pictures)), asked_text(item, space))
