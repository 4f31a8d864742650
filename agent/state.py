"""The solver's state: plain JSON values and content hashes, never pixels, so that any checkpointer can keep it.

Every stage returns a partial update. ``checked_update`` refuses an update that names an unknown key or holds anything
but plain values, because LangGraph drops the first silently and fails on the second only after the work is done.
"""

from __future__ import annotations

import difflib
import math
import operator
from collections.abc import Mapping
from typing import Annotated, TypedDict

from .errors import SolverError

__all__ = ["SolverState", "Update", "checked_update", "merge_by_key", "storable"]

Update = dict[str, object]


def merge_by_key(left: dict[str, object], right: dict[str, object]) -> dict[str, object]:
    """Union of two mappings, sorted by key, so that parallel stages merge to the same value in any order."""
    merged = {**left, **right}
    return {key: merged[key] for key in sorted(merged)}


def add_numbers(left: dict[str, float], right: dict[str, float]) -> dict[str, float]:
    """Key-wise sum, for what was spent."""
    return {key: left.get(key, 0) + right.get(key, 0) for key in sorted({*left, *right})}


class SolverState(TypedDict, total=False):
    """What the machine knows. Each value is the JSON form of a record in ``records.py``."""

    conversation: dict[str, object]
    """The request: messages with pictures as hashes, decoding settings, seed, answer format."""
    attempt: int
    """0 for the first plan, 1 after the one re-plan."""
    detections: Annotated[dict[str, object], merge_by_key]
    """"<picture index>/<detector>" to a ``Detection``."""
    work: list[object]
    """One ``PictureWork`` a picture."""
    answers: list[object]
    """One ``Answer`` a view and sample."""
    solution: dict[str, object]
    """The outcome, once there is one."""
    spent: Annotated[dict[str, float], add_numbers]
    """Model calls, seconds, known cost, and calls whose cost is unknown."""
    events: Annotated[list[object], operator.add]
    """What happened, in order, for the trace."""


_KEYS = tuple(SolverState.__annotations__)


def storable(text: str) -> str:
    """Text without what a hostile reply can hold and no database, page or terminal should get: lone surrogates, NUL,
    and control characters other than tab and line break.
    """
    whole = text.encode("utf-8", errors="replace").decode("utf-8")
    return "".join(c if c in "\t\n\r" or (ord(c) >= 32 and not 127 <= ord(c) < 160) else "\ufffd" for c in whole)


def checked_update(node: str, update: object) -> Update:
    """``update`` itself, once it is known to be storable.

    Raises:
        SolverError: names the node, the key and the path of what cannot be kept.
    """
    if not isinstance(update, Mapping):
        raise SolverError(f"node {node!r} returned {type(update).__name__}; it must return a dict of state keys")
    for key, value in update.items():
        if key not in _KEYS:
            near = difflib.get_close_matches(str(key), _KEYS, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else "."
            raise SolverError(f"node {node!r} returned the unknown key {key!r}{hint} Known keys: {', '.join(_KEYS)}")
        _check_plain(value, f"node {node!r}, {key}")
    return dict(update)


def _check_plain(value: object, where: str) -> None:
    if value is None or type(value) in (bool, str):
        return
    if type(value) is int:
        if not -(2**63) <= value < 2**63:
            raise SolverError(f"{where} is {value}; whole numbers beyond 64 bits cannot be kept")
        return
    if type(value) is float:
        if not math.isfinite(value):
            raise SolverError(f"{where} is {value}; state holds finite numbers only")
        return
    if type(value) is list:
        for index, item in enumerate(value):
            _check_plain(item, f"{where}[{index}]")
        return
    if type(value) is dict:
        for key, item in value.items():
            if type(key) is not str:
                raise SolverError(f"{where} has the key {key!r}; keys must be text")
            _check_plain(item, f"{where}.{key}")
        return
    raise SolverError(
        f"{where} is a {type(value).__module__}.{type(value).__qualname__}; state holds text, numbers, lists and dicts "
        "only. Put pictures in the store and keep their hash; turn tuples into lists and numpy numbers into float()"
    )
