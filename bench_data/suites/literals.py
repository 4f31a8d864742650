"""Lists written into one cell of a table: JSON, or the way Python prints lists. Nothing is ever evaluated."""

from __future__ import annotations

import json
import re

from pydantic import JsonValue

__all__ = ["list_cell", "parse_list_cell"]

_ITEM = re.compile(
    r"""\s*(?:
        '(?P<single>[^'\\]*(?:\\.[^'\\]*)*)'
      | "(?P<double>[^"\\]*(?:\\.[^"\\]*)*)"
      | (?P<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)
      | (?P<word>None|True|False)
    )\s*(?:,|\Z)""",
    re.VERBOSE | re.DOTALL,
)
_BLANK = re.compile(r"\s*\Z")
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"', "\n": ""}
_WORDS: dict[str, JsonValue] = {"None": None, "True": True, "False": False}


def parse_list_cell(text: str, *, most: int = 10_000) -> list[JsonValue]:
    """The list that a cell holds.

    >>> parse_list_cell("['ori/a.jpg', 'ori/b.jpg']"), parse_list_cell("[0.41, 0.60]")
    (['ori/a.jpg', 'ori/b.jpg'], [0.41, 0.6])

    Args:
        text: of the cell.
        most: items.

    Raises:
        ValueError: no list, nested, or too long.
    """
    body = text.strip()
    if not (body.startswith("[") and body.endswith("]")):
        raise ValueError("a list must stand between [ and ]")
    try:
        items = json.loads(body)
    except RecursionError:
        raise ValueError("the list is nested too deeply") from None
    except ValueError:
        items = _python_items(body[1:-1], most)
    if not isinstance(items, list) or len(items) > most:
        raise ValueError(f"a list of at most {most:,} items is expected")
    if any(isinstance(item, list | dict) for item in items):
        raise ValueError("the list must not hold lists or records")
    return items


def list_cell(items: list[str] | list[float]) -> str:
    """A list as published tables write it, in Python's way."""
    return "[" + ", ".join(repr(item) for item in items) + "]"


def _python_items(body: str, most: int) -> list[JsonValue]:
    items: list[JsonValue] = []
    place = 0
    while _BLANK.match(body, place) is None:
        found = _ITEM.match(body, place)
        if found is None or len(items) >= most:
            raise ValueError(f"cannot read the list after {len(items)} items; write it as JSON")
        items.append(_item(found))
        place = found.end()
    return items


def _item(found: re.Match[str]) -> JsonValue:
    if found["number"] is not None:
        text = found["number"]
        return int(text) if text.lstrip("+-").isdigit() else float(text)
    if found["word"] is not None:
        return _WORDS[found["word"]]
    quoted = found["single"] if found["single"] is not None else found["double"]
    return _ESCAPE.sub(_unescaped, quoted) if "\\" in quoted else quoted


def _unescaped(found: re.Match[str]) -> str:
    code = found[1] or found[2] or found[3]
    if code:
        return chr(int(code, 16))  # above 0x10FFFF: ValueError, as for any other bad list
    # An unknown escape stands for itself, backslash included, as in Python.
    return _SIMPLE.get(found[4], "\\" + found[4])
