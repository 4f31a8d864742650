"""``imported``: replies that another tool asked for, in words that are not known."""

from __future__ import annotations

from ....tools.models import CoordinateSpace
from ..items import RunItem
from .registry import PromptParts, prompt

__all__: list[str] = []


@prompt("imported", summary="as another tool asked, in imported runs", version="unknown", askable=False)
def _imported(item: RunItem, space: CoordinateSpace) -> PromptParts:
    """The item's name, by which its reply is found; what was really sent stands in the record, where a file tells."""
    return (f"reply to {item.id}, imported",)
