"""Reading a model's list of findings: tolerant of wrapping and small slips, never of missing or impossible content."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ...bench_data.stress import Stress
from ..errors import ToolError
from ..findings import StressFinding

__all__ = ["FindingsRead", "UnreadableReplyError", "read_findings"]

_MAX_CHARACTERS = 20_000
_MAX_DEPTH = 12
_MAX_ENTRIES = 64
_QUOTED_CHARACTERS = 60

_SAME_THING = {
    "global_underexposure": Stress.LOW_LIGHT,
    "global_overexposure": Stress.OVER_EXPOSURE,
    "overexposure": Stress.OVER_EXPOSURE,
    "underexposure": Stress.LOW_LIGHT,
    "color_cast": Stress.COLOUR_CAST,
    "low_resolution": Stress.LOW_RES,
    "truncated": Stress.TRUNCATED_OUT_OF_FRAME,
}
"""Other spellings of one of our names. RoboStressBench's two global tags are what we call by the degradation's name."""

_DIMENSION_PREFIX = re.compile(r"^[mvlg]__")
"""RoboStressBench writes its tags as ``L__global_underexposure``."""


class UnreadableReplyError(ToolError):
    """A reply holds no findings that can be trusted. The message says why."""


@dataclass(frozen=True)
class FindingsRead:
    """What could be read, and what was dropped or repaired, in sentences."""

    findings: tuple[StressFinding, ...]
    notes: tuple[str, ...]


def read_findings(text: str, *, source: str) -> FindingsRead:
    """Reads the findings of a complete reply.

    Accepts a reasoning block before the JSON, code fences, a sentence around it, a bare list, single quotes,
    trailing commas and numbers in quotes. Drops, and names, entries with an unknown stress, or with a severity or
    confidence that is missing, no number or out of range.

    Raises:
        UnreadableReplyError: there is no JSON, it breaks off, two different ones contradict each other, it has another
            shape, or not one of its entries can be used.
    """
    if len(text) > _MAX_CHARACTERS:
        raise UnreadableReplyError(
            f"the reply has {len(text)} characters; a list of findings has fewer than {_MAX_CHARACTERS}"
        )
    entries, repaired = _only_list(_after_reasoning(text))
    if not isinstance(entries, list):
        raise UnreadableReplyError(f'"findings" is {_quoted(entries)}, not a list')
    if len(entries) > _MAX_ENTRIES:
        raise UnreadableReplyError(
            f"the reply lists {len(entries)} findings; {_MAX_ENTRIES} are the most that make sense"
        )
    found: dict[Stress, StressFinding] = {}
    notes = ["the JSON had to be repaired"] if repaired else []
    dropped = []
    for index, entry in enumerate(entries):
        try:
            finding = _finding(entry, source)
        except UnreadableReplyError as error:
            dropped.append(f"findings[{index}] dropped: {error}")
            continue
        if finding.stress in found and found[finding.stress] != finding:
            raise UnreadableReplyError(f"{finding.stress.value} is listed twice with different values")
        found[finding.stress] = finding
    if entries and not found:
        raise UnreadableReplyError(f"none of the {len(entries)} entries can be used: {'; '.join(dropped[:3])}")
    present = tuple(finding for finding in found.values() if finding.severity > 0)
    return FindingsRead(present, (*notes, *dropped))


def _after_reasoning(text: str) -> str:
    """The reply without its reasoning; some servers send only the closing tag."""
    _, closed, after = text.rpartition("</think>")
    visible = after if closed else text
    if "<think>" in visible:
        raise UnreadableReplyError("the reply ends inside its reasoning; raise the output budget")
    return visible


def _only_list(text: str) -> tuple[object, bool]:
    """What stands under "findings" (or a bare list of objects), and whether its JSON had to be repaired."""
    lists: list[tuple[object, bool]] = []
    for piece in _bracketed(text):
        value, repaired = _parsed(piece)
        if isinstance(value, dict) and "findings" in value:
            lists.append((value["findings"], repaired))
        if isinstance(value, list) and all(isinstance(entry, dict) and "stress" in entry for entry in value):
            lists.append((value, repaired))
    if not lists:
        raise UnreadableReplyError(f'no JSON object with "findings" in the reply {_quoted(text.strip())}')
    first = lists[0]
    if any(other[0] != first[0] for other in lists[1:]):
        raise UnreadableReplyError(f"the reply holds {len(lists)} different lists of findings")
    return first


def _bracketed(text: str) -> Iterator[str]:
    """Each outermost {...} or [...]; quotes hide brackets. One that never closes means that the reply was cut."""
    start, depth, quoted, escaped = 0, 0, False, False
    for position, character in enumerate(text):
        if quoted:
            quoted = escaped or character != '"'
            escaped = character == "\\" and not escaped
        elif character == '"' and depth:
            quoted = True
        elif character in "{[":
            start = start if depth else position
            depth += 1
            if depth > _MAX_DEPTH:
                raise UnreadableReplyError(f"the reply nests brackets more than {_MAX_DEPTH} deep")
        elif character in "}]" and depth:
            depth -= 1
            if depth == 0:
                yield text[start : position + 1]
    if depth:
        raise UnreadableReplyError(f"the JSON breaks off at character {len(text)}: {_quoted(text[start:])}")


def _parsed(piece: str) -> tuple[object, bool]:
    """The value, strictly or after repair of quotes and commas; None when it is no JSON either way."""
    try:
        return json.loads(piece, object_pairs_hook=_unique_keys), False
    except ValueError:
        from json_repair import repair_json

        return repair_json(piece, return_objects=True), True


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    table = dict(pairs)
    if len(table) < len(pairs):
        raise UnreadableReplyError("an object of the reply has one key twice")
    return table


def _finding(entry: object, source: str) -> StressFinding:
    if not isinstance(entry, dict):
        raise UnreadableReplyError(f"{_quoted(entry)} is no object")
    return StressFinding(
        stress=_stress(entry.get("stress")),
        severity=_number(entry, "severity", 5.0),
        confidence=_number(entry, "confidence", 1.0),
        source=source,
        reason="named by the model",
    )


def _stress(name: object) -> Stress:
    if not isinstance(name, str):
        raise UnreadableReplyError(f"stress is {_quoted(name)}, not a name")
    key = re.sub(r"[\s\-]+", "_", name.strip().lower())
    key = _DIMENSION_PREFIX.sub("", key)
    if key in _SAME_THING:
        return _SAME_THING[key]
    try:
        return Stress(key)
    except ValueError:
        raise UnreadableReplyError(f"unknown stress {_quoted(name)}") from None


def _number(entry: dict[str, object], key: str, highest: float) -> float:
    value = entry.get(key)
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            raise UnreadableReplyError(f"{key} is {_quoted(value)}, not a number") from None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UnreadableReplyError(f"{key} is {_quoted(value)}, not a number")
    if not 0 <= value <= highest:  # also false for NaN
        raise UnreadableReplyError(f"{key} is {_quoted(value)}, outside 0 to {highest:g}")
    return float(value)


def _quoted(value: object) -> str:
    """A value for a message: short, on one line."""
    text = repr(value)
    return text if len(text) <= _QUOTED_CHARACTERS else text[:_QUOTED_CHARACTERS] + "..."
