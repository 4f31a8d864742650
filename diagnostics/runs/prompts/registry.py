"""What a prompt is, and the list of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ....bench_data.registry import Registry
from ....tools.models import CoordinateSpace
from ..items import PictureRef, RunItem

__all__ = ["MODEL_TURN", "PROMPTS", "MakeParts", "ModelTurn", "Prompt", "PromptParts", "prompt", "turns_of"]


@dataclass(frozen=True)
class ModelTurn:
    """A place in a prompt where the model replies; what it says becomes its turn, and the rest is asked after it."""


MODEL_TURN: Final = ModelTurn()

PromptParts = tuple[str | PictureRef | ModelTurn, ...]
"""Texts and pictures in the order in which the model shall see them; `MODEL_TURN` ends a turn of the user."""
MakeParts = Callable[[RunItem, CoordinateSpace], PromptParts]


@dataclass(frozen=True)
class Prompt:
    """A way of asking.

    Args:
        name: on the command line.
        summary: one line.
        version: goes up when its words change; for people, for the words themselves are part of every record's key.
        parts: makes the turns; the space is what the model's boxes and points are measured in.
        askable: False for a prompt that stands only in runs of other tools.
        needs_stress: it tells what is wrong with the pictures, so that items of which nobody knows it are left out.
    """

    name: str
    summary: str
    version: str
    parts: MakeParts
    askable: bool = True
    needs_stress: bool = False


PROMPTS: Registry[Prompt] = Registry(
    "prompt", package="seeworthy.diagnostics.runs.prompts", entry_point_group="seeworthy.prompts"
)


def prompt(
    name: str, *, summary: str, version: str, askable: bool = True, needs_stress: bool = False
) -> Callable[[MakeParts], MakeParts]:
    """Registers a prompt."""

    def register(parts: MakeParts) -> MakeParts:
        PROMPTS.add(name, Prompt(name, summary, version, parts, askable=askable, needs_stress=needs_stress))
        return parts

    return register


def turns_of(parts: PromptParts) -> tuple[tuple[str | PictureRef, ...], ...]:
    """The turns of the user, one for each call that the prompt makes.

    >>> turns_of(("Describe it.", MODEL_TURN, "Which is closer?"))
    (('Describe it.',), ('Which is closer?',))
    """
    turns: list[tuple[str | PictureRef, ...]] = [()]
    for part in parts:
        if isinstance(part, ModelTurn):
            turns.append(())
        else:
            turns[-1] += (part,)
    return tuple(turns)
