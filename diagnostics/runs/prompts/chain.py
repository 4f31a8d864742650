"""``diagnose`` and ``describe``: chains of two turns, in which the model first says what it sees and then answers."""

from __future__ import annotations

from ....tools.models import CoordinateSpace
from ...asking import PROMPT_VERSION
from ..items import RunItem
from .registry import MODEL_TURN, PromptParts, prompt
from .words import asked_text, stress_choices

__all__: list[str] = []

_VERSION = f"{PROMPT_VERSION}.1"
_DIAGNOSE = (
    "What is wrong with {what}? Choose from this list all that apply:\n{choices}\n\nName them, the worst first, and "
    "say in one short sentence what each hides or changes."
)
_DESCRIBE = (
    "Describe {what}: which objects are there, where they are to each other and to the camera, about how large and how "
    "far away they are. Say which parts cannot be seen well. Use at most ten short sentences."
)


def _what(item: RunItem) -> str:
    return "this picture" if len(item.pictures) == 1 else "these pictures"


@prompt(
    "diagnose",
    summary="two turns: the model names what is wrong with the pictures, then answers",
    version=_VERSION,
)
def _diagnose(item: RunItem, space: CoordinateSpace) -> PromptParts:
    asked = _DIAGNOSE.format(what=_what(item), choices=stress_choices(item))
    return (*item.pictures, asked, MODEL_TURN, asked_text(item, space))


@prompt("describe", summary="two turns: the model describes the pictures, then answers", version=_VERSION)
def _describe(item: RunItem, space: CoordinateSpace) -> PromptParts:
    return (*item.pictures, _DESCRIBE.format(what=_what(item)), MODEL_TURN, asked_text(item, space))
