"""What a prompt is, and the list of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ....bench_data.registry import Registry
from ....tools.models import CoordinateSpace
from ..items import PictureRef, RunItem

__all__ = ["PROMPTS", "MakeParts", "Prompt", "PromptParts", "prompt"]

PromptParts = tuple[str | PictureRef, ...]
"""Texts and pictures of one user turn, in the order in which the model shall see them."""
MakeParts = Callable[[RunItem, CoordinateSpace], PromptParts]


@dataclass(frozen=True)
class Prompt:
    """A way of asking.

    Args:
        name: on the command line.
        summary: one line.
        version: goes up when its words change; for people, for the words themselves are part of every record's key.
        parts: makes the turn; the space is what the model's boxes and points are measured in.
        askable: False for a prompt that stands only in runs of other tools.
    """

    name: str
    summary: str
    version: str
    parts: MakeParts
    askable: bool = True


PROMPTS: Registry[Prompt] = Registry(
    "prompt", package="seeworthy.diagnostics.runs.prompts", entry_point_group="seeworthy.prompts"
)


def prompt(name: str, *, summary: str, version: str, askable: bool = True) -> Callable[[MakeParts], MakeParts]:
    """Registers a prompt."""

    def register(parts: MakeParts) -> MakeParts:
        PROMPTS.add(name, Prompt(name=name, summary=summary, version=version, parts=parts, askable=askable))
        return parts

    return register
