"""Which item a row answers: by name where there is one, else by place, and never against what the row itself says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ...bench_data.errors import BenchDataError
from ...bench_data.suites import SuiteItem
from ...bench_data.suites.answers import truth_from_text
from .rows import BadPlace, OldRow
from .values import as_name

__all__ = ["Matched", "match_rows"]

_OTHER_QUESTION = "its item asks another question"
_OTHER_TRUTH = "its item has another answer"
_NO_ITEM = "no item has its id"
_SEVERAL_ITEMS = "several items could be meant"
_BEYOND = "the data has fewer items"
_UNPROVEN = "rows are counted, and nothing in the row proves which one is meant"
_OTHER_ORDER = "rows are counted, and the data comes in another order"
_SHOWN_CHARACTERS = 60
_ROUNDING = 0.01
"""Tools write numbers down with fewer digits."""


@dataclass(frozen=True, slots=True)
class Matched:
    """A row and the item that it answers."""

    row: OldRow
    item: SuiteItem


def match_rows(rows: Iterable[OldRow], items: Sequence[SuiteItem]) -> tuple[list[Matched], list[BadPlace]]:
    """Finds the item of each row.

    A row that names its item is checked against the item's words and answer, where it has them. Rows that only count
    the items of the data are believed if their words prove it, and if not a single one of them is contradicted: one row
    that asks another question means that the data came in another order there.

    Args:
        items: all of the data, in the order of its file.

    Returns:
        The matched rows, and the others with the reason, both in the order of the rows.
    """
    finder = _Finder(items)
    found = [(row, *finder.find(row)) for row in rows]
    contradicted = next(
        (one for one in found if one[2] in (_OTHER_QUESTION, _OTHER_TRUTH, _BEYOND) and _is_counted(one[0])), None
    )
    matched: list[Matched] = []
    lost: list[BadPlace] = []
    for row, item, reason in found:
        if _is_counted(row) and contradicted is not None:
            first, _, why = contradicted
            lost.append(BadPlace(row.place, _OTHER_ORDER, f"{first.place}: {why}"))
        elif item is None or reason:
            lost.append(BadPlace(row.place, reason, _shown(row)))
        else:
            matched.append(Matched(row, item))
    return matched, lost


def _is_counted(row: OldRow) -> bool:
    return not row.ids and row.asked_as is None


class _Finder:
    """Items by each thing that a row may know them by."""

    def __init__(self, items: Sequence[SuiteItem]) -> None:
        self._items = items
        self._by_id = _grouped(items, lambda item: item.id)
        self._by_name = _grouped(items, lambda item: _plain_name(item.id))
        self._by_question = _grouped(items, lambda item: (item.question_id, item.condition))

    def find(self, row: OldRow) -> tuple[SuiteItem | None, str]:
        """(item, "") or (None, why there is none)."""
        if row.ids or row.asked_as is not None:
            candidates = self._named(row)
        elif row.position is None or row.position >= len(self._items):
            return None, _NO_ITEM if row.position is None else _BEYOND
        else:
            candidates = [self._items[row.position]]
        if not candidates:
            return None, _NO_ITEM
        if len(candidates) > 1:
            return None, _SEVERAL_ITEMS
        reason = _contradiction(row, candidates[0])
        if not reason and _is_counted(row) and row.question is None:
            reason = _UNPROVEN
        return (None, reason) if reason else (candidates[0], "")

    def _named(self, row: OldRow) -> list[SuiteItem]:
        if row.asked_as is not None:
            return self._by_question[row.asked_as]
        for name in row.ids:
            found = self._by_id[name] or self._by_name[_plain_name(name)]
            if found:
                return found
        return []


def _grouped(items: Sequence[SuiteItem], key: Callable[[SuiteItem], object]) -> defaultdict[object, list[SuiteItem]]:
    groups: defaultdict[object, list[SuiteItem]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return groups


def _plain_name(name: str) -> str:
    """A number without leading zeros, which tables lose."""
    plain = as_name(name)
    return plain.lstrip("0") or "0" if plain.isascii() and plain.isdigit() else plain


def _contradiction(row: OldRow, item: SuiteItem) -> str:
    if row.question is not None and _words(item.text) not in _words(row.question):
        return _OTHER_QUESTION
    if row.target is not None and item.truth is not None and _says_otherwise(row.target, item):
        return _OTHER_TRUTH
    return ""


def _says_otherwise(target: str, item: SuiteItem) -> bool:
    """Whether a right answer, as a tool wrote it down, is another one than the item's. What cannot be read says no."""
    try:
        truth = truth_from_text(target, item.answer_format)
    except (BenchDataError, ValueError):
        return False
    if isinstance(truth, float) and isinstance(item.truth, int | float):
        return abs(truth - item.truth) > _ROUNDING * max(1.0, abs(item.truth))
    if isinstance(truth, str) and isinstance(item.truth, str):
        return _words(truth) != _words(item.truth)
    return type(truth) is type(item.truth) and not isinstance(truth, tuple) and truth != item.truth


def _words(text: str) -> str:
    return " ".join(text.split()).casefold()


def _shown(row: OldRow) -> str:
    """What a row calls its item."""
    if row.ids:
        name = row.ids[0]
    elif row.asked_as is not None:
        name = " under ".join(row.asked_as)
    else:
        name = "" if row.position is None else f"row {row.position} of the data"
    return name if len(name) <= _SHOWN_CHARACTERS else name[: _SHOWN_CHARACTERS - 1] + "…"
