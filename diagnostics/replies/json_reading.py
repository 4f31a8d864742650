"""JSON in a reply: strict where it is strict, repaired by json-repair where it is damaged, in small pieces and bounded.

The time of the library grows with the square of some damaged texts, so that a long one could stop a run. Damaged text
is therefore taken apart at its brackets, and only the pieces that are damaged go to the library. Nothing is evaluated.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import json_repair

from .json_scan import MAX_DEPTH, JsonExtent, json_start, members, split_member, walk
from .result import JsonValue

__all__ = ["JsonPiece", "load_json", "read_json"]

MAX_PIECES = 1_000
_MAX_DAMAGED_CHARS = 262_144
_PIECE_CHARS = 1_500
_BUDGET_US = 500_000.0
_LIBRARY_ERRORS = (ValueError, RecursionError, IndexError, KeyError, TypeError, AttributeError)


class _DuplicateKeyError(ValueError):
    """An object holds the same key twice, so that one value would silently hide the other."""


class _UnrepairableError(ValueError):
    """The text is no JSON, and what is wrong with it is beyond repair within bounds."""


@dataclass(frozen=True, slots=True)
class JsonPiece:
    """One outermost JSON value of a text.

    Attributes:
        value: None if it was cut, or if ``problem`` says why it cannot be read (and for a JSON null).
        repaired: the text was no strict JSON.
    """

    extent: JsonExtent
    value: JsonValue = None
    repaired: bool = False
    problem: str = ""


def read_json(text: str) -> list[JsonPiece]:
    """The outermost JSON objects and arrays of a text, in order; a cut one is the last.

    No more than ``MAX_PIECES`` are read: a reply of so many values is no single answer.
    """
    found: list[JsonPiece] = []
    repair = _Repair()
    start = json_start(text, 0)
    while start is not None and len(found) < MAX_PIECES:
        piece = _strict_piece(text, start)
        if piece is None:
            extent = walk(text, start)
            piece = _piece(text[extent.start : extent.end], extent, repair) if extent.closed else JsonPiece(extent)
        found.append(piece)
        if not piece.extent.closed:
            break
        start = json_start(text, piece.extent.end)
    return found


def load_json(text: str, extent: JsonExtent) -> JsonPiece:
    """The value of ``text``, which begins and ends with its brackets; ``extent`` says where it comes from."""
    return _piece(text, extent, _Repair())


def _piece(text: str, extent: JsonExtent, repair: _Repair) -> JsonPiece:
    try:
        return JsonPiece(extent, *_loaded(text, repair))
    except (_DuplicateKeyError, _UnrepairableError) as error:
        return JsonPiece(extent, problem=str(error))


def _loaded(text: str, repair: _Repair) -> tuple[JsonValue, bool]:
    try:
        return _strict(text), False
    except _DuplicateKeyError:
        raise
    except (ValueError, RecursionError):
        if len(text) > _MAX_DAMAGED_CHARS:
            raise _UnrepairableError(f"{len(text)} characters of damaged JSON; at most {_MAX_DAMAGED_CHARS}") from None
        return repair.load(text, 0), True


def _unique(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    result = dict(pairs)
    if len(result) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _DuplicateKeyError(f"the key {twice!r} stands twice in one object")
    return result


_DECODER = json.JSONDecoder(object_pairs_hook=_unique)


def _strict(text: str) -> JsonValue:
    value: JsonValue = _DECODER.decode(text)
    return value


def _strict_piece(text: str, start: int) -> JsonPiece | None:
    """Strict JSON that begins at ``start``, or None."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return JsonPiece(JsonExtent(start, end, closed=True), value)


class _Repair:
    """Repairs the values of one reply; the budget is an estimate of time, so that it does not depend on the machine."""

    def __init__(self) -> None:
        self._budget_us = _BUDGET_US

    def load(self, text: str, depth: int) -> JsonValue:
        text = text.strip()
        try:
            return _strict(text)
        except _DuplicateKeyError:
            raise
        except (ValueError, RecursionError):
            pass
        if len(text) <= _PIECE_CHARS:
            return self._by_library(text)
        pieces = members(text) if text[:1] in ("{", "[") and depth < MAX_DEPTH else None
        if pieces is None:
            raise _UnrepairableError(f"{len(text)} characters of damaged JSON without clear structure")
        if text[0] == "[":
            return [self.load(piece, depth + 1) for piece in pieces]
        pairs: list[tuple[str, JsonValue]] = []
        for piece in pieces:
            member = split_member(piece)
            if member is None:
                raise _UnrepairableError(f"no key in {piece.strip()[:40]!r}")
            pairs.append((member[0].strip().strip("\"'"), self.load(member[1], depth + 1)))
        return _unique(pairs)

    def _by_library(self, text: str) -> JsonValue:
        self._budget_us -= 20 + 4 * len(text) + 0.09 * len(text) ** 2
        if self._budget_us < 0:
            raise _UnrepairableError("more damage than is repaired in one reply")
        try:
            value: JsonValue = json_repair.loads(text, skip_json_loads=True)  # type: ignore[assignment]  # without logging it is no tuple
        except _LIBRARY_ERRORS as error:
            raise _UnrepairableError(f"json-repair gives up: {error}") from error
        if value == "" and text not in ('""', "''"):
            raise _UnrepairableError(f"no value in {text[:40]!r}")
        return value
