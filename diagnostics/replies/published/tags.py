"""``<answer>`` tags as the public scorers look for them, in time that grows with the length of the text only."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["content_starts", "first_content", "last_close"]

_OPEN = re.compile(r"<\s*answer\b", re.IGNORECASE)
_CLOSE = re.compile(r"<\s*/\s*answer\s*>", re.IGNORECASE)
_TIGHT_CLOSE = re.compile(r"</\s*answer\s*>", re.IGNORECASE)


def first_content(text: str) -> str | None:
    """What stands between the first opening tag and the first closing tag after it; None if there is none."""
    start = next(content_starts(text), None)
    close = None if start is None else _TIGHT_CLOSE.search(text, start)
    return None if close is None else text[start : close.start()]


def content_starts(text: str) -> Iterator[int]:
    """Where the content of each opening tag begins."""
    end = -1
    for match in _OPEN.finditer(text):
        if match.end() <= end:  # inside a tag that began before
            continue
        end = text.find(">", match.end())
        if end < 0:
            return
        yield end + 1


def last_close(text: str) -> int:
    """Where the last closing tag begins; -1 if there is none."""
    start = -1
    for match in _CLOSE.finditer(text):
        start = match.start()
    return start
