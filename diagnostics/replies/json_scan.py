"""Where JSON begins and ends in a text, and where it was cut: one walk over its marks, whatever the damage."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["MAX_DEPTH", "JsonExtent", "json_start", "members", "split_member", "walk"]

MAX_DEPTH = 48
_CLOSER_OF = {"{": "}", "[": "]"}
_MARK = re.compile(r"[{}\[\],:\"'\\]")
_START = re.compile(r"\{\s{0,256}[\"'}a-zA-Z_]|\[\s{0,256}[\[{\]\"'0-9-]")
_VALUE_BEGINS = re.compile(r"[\[{,:]\s{0,64}\Z")
_LOOK = 66


@dataclass(frozen=True, slots=True)
class JsonExtent:
    """One JSON value in a text.

    Attributes:
        start, end: text[start:end]; ``end`` is the end of the text if the value was cut.
        closed: all its brackets were closed.
        keep: where a cut value can be closed so that only whole members remain.
        open_brackets: the brackets that are open at ``keep``, outermost first.
        too_deep: nested deeper than ``MAX_DEPTH``; the walk stopped there.
    """

    start: int
    end: int
    closed: bool
    keep: int = 0
    open_brackets: str = ""
    too_deep: bool = False

    def salvaged(self, text: str) -> str:
        """The whole members of a cut value, closed."""
        closers = "".join(_CLOSER_OF[bracket] for bracket in reversed(self.open_brackets))
        return text[self.start : self.keep].rstrip().rstrip(",") + closers


def json_start(text: str, position: int) -> int | None:
    """Where the next object or array begins, at ``position`` or later."""
    match = _START.search(text, position)
    return None if match is None else match.start()


def _marks(text: str, start: int) -> Iterator[tuple[int, str]]:
    """Brackets, commas and colons that stand outside strings.

    A quote closes a string only before a comma, a colon or a bracket, so that "the "big" lamp" and 'the man's hat' stay
    one string each.
    """
    quote, skip = "", 0
    for match in _MARK.finditer(text, start):
        at, char = match.start(), match[0]
        if at < skip:
            continue
        if quote:
            if char == "\\":
                skip = at + 2
            elif char == quote and text[at + 1 : at + _LOOK].lstrip()[:1] in ("", ",", ":", "}", "]"):
                quote = ""
        elif char == '"' or (char == "'" and _VALUE_BEGINS.search(text, max(start, at - _LOOK), at)):
            quote = char
        elif char not in "'\\":
            yield at, char


def walk(text: str, start: int) -> JsonExtent:
    """The extent of the value that begins at ``start``.

    >>> walk('{"a": [1, 2]} ok', 0).end, walk('{"a": [{"b": 1}, {"c', 0).salvaged('{"a": [{"b": 1}, {"c')
    (13, '{"a": [{"b": 1}]}')
    """
    stack: list[str] = []
    whole: list[int] = []  # for each open bracket, the end of its last whole member
    for at, char in _marks(text, start):
        if char in _CLOSER_OF:
            stack.append(char)
            whole.append(at + 1)
            if len(stack) > MAX_DEPTH:
                return JsonExtent(start, len(text), closed=False, too_deep=True)
        elif char == ",":
            whole[-1] = at
        elif char != ":":
            while stack and _CLOSER_OF[stack[-1]] != char and "{["["}]".index(char)] in stack:
                stack.pop()  # a closing bracket is missing inside
                whole.pop()
            if _CLOSER_OF[stack[-1]] == char:
                stack.pop()
                whole.pop()
            if not stack:
                return JsonExtent(start, at + 1, closed=True)
            whole[-1] = at + 1
    outer = stack.index("[") if "[" in stack else 0
    return JsonExtent(start, len(text), closed=False, keep=whole[outer], open_brackets="".join(stack[: outer + 1]))


def members(text: str) -> list[str] | None:
    """The members of one bracketed value ("{...}" or "[...]") as written, or None if its brackets do not match."""
    pieces: list[str] = []
    stack: list[str] = []
    begin = 1
    for at, char in _marks(text, 0):
        if char in _CLOSER_OF:
            stack.append(char)
        elif char == "," and len(stack) == 1:
            pieces.append(text[begin:at])
            begin = at + 1
        elif char in "}]":
            if not stack or _CLOSER_OF[stack.pop()] != char:
                return None
            if not stack:
                pieces.append(text[begin:at])
                return None if text[at + 1 :].strip() else [piece for piece in pieces if piece.strip()]
    return None


def split_member(member: str) -> tuple[str, str] | None:
    """Key and value of one member of an object, as written."""
    for at, char in _marks(member, 0):
        if char == ":":
            return member[:at], member[at + 1 :]
    return None
