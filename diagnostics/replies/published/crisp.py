"""Replies as in the public CRISP-Bench evaluation, faults included.

Two parsers, as published: ``extract_answer`` for the questions ("I think it is B" is "I") and
``extract_answer_lenient`` for
the consistency score ("3.5m" is 3). ``extract_graph`` keeps the first code fence and repairs what it can.
"""

from __future__ import annotations

import json
import re

import json_repair

from ..json_scan import MAX_DEPTH
from ..result import JsonValue

__all__ = ["extract_answer", "extract_answer_lenient", "extract_float", "extract_graph"]

_MAX_REPAIRED_CHARS = 20_000
_MARKS = "*`"
_ENDS = ".\"'()[]_,"
_FIELD = re.compile(r"[\"']answer[\"']\s*[:=]\s*[\"']([A-E])[\"']", re.IGNORECASE)
_PHRASE = re.compile(r"(?:answer|choice|option|correct)\s*(?:(?:is|:)\s*)?\(?([A-E])(?!\w)", re.IGNORECASE)
_START = re.compile(r"\(?([A-E])\)?(?:[.)]|\Z)")

_VALUE = r"([A-E]|-?\d+(?:\.\d+)?)"
_TAG_OPEN = re.compile("<answer>", re.IGNORECASE)
_TAG_CLOSE = re.compile("</answer>", re.IGNORECASE)
_LENIENT_FIELD = re.compile(rf"[\"']answer[\"']\s*[:=]\s*[\"']?{_VALUE}[\"']?", re.IGNORECASE)
_LENIENT_PHRASE = re.compile(
    rf"(?:answer|choice|option|correct|value)\s*(?:(?:is|:)\s*)?\(?{_VALUE}\)?\b", re.IGNORECASE
)
_LENIENT_START = re.compile(rf"\(?{_VALUE}\)?(?:[.)\s]|\Z)", re.IGNORECASE)
_LETTER = re.compile(r"[A-E]", re.IGNORECASE)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def extract_answer(reply: str) -> str:
    """The answer as the question score reads it; the first word where nothing matches.

    >>> extract_answer("A: yes"), extract_answer("The answer is a chair"), extract_answer("9.5 m")
    ('A:', 'A', '9.5')
    """
    text = _without_marks(reply)
    for pattern in (_FIELD, _PHRASE):
        match = pattern.search(text)
        if match:
            return match[1].upper()
    match = _START.match(text)
    return match[1].upper() if match else text.split(" ")[0].strip(_ENDS)


def extract_answer_lenient(reply: str) -> str:
    """The answer as the consistency score reads it.

    >>> extract_answer_lenient("I think it is B"), extract_answer_lenient("3.5m")
    ('B', '3')
    """
    opening = _TAG_OPEN.search(reply)
    closing = _TAG_CLOSE.search(reply, opening.end()) if opening else None
    if opening and closing:
        content = reply[opening.end() : closing.start()].strip()
        return content.translate(dict.fromkeys(map(ord, _MARKS))).strip(_ENDS)
    text = _without_marks(reply)
    for pattern in (_LENIENT_FIELD, _LENIENT_PHRASE):
        match = pattern.search(text)
        if match:
            return match[1].upper()
    match = _LENIENT_START.match(text)
    if match:
        return match[1].upper()
    tokens = text.split()
    for token in reversed(tokens):
        bare = token.strip(_ENDS + ":")
        if _LETTER.fullmatch(bare):
            return bare.upper()
        if _NUMBER.fullmatch(bare):
            return bare
    return tokens[0].strip(_ENDS) if tokens else ""


def extract_float(answer: str) -> float | None:
    """The number that an extracted answer is, or None."""
    try:
        return float(answer)
    except ValueError:
        return None


def extract_graph(reply: str) -> JsonValue:
    """The first code fence, or what stands between the outermost braces, as JSON; None if there is nothing.

    A damaged text of more than 20,000 characters, or nested deeper than 48 levels, is not repaired (the public code
    would go on for minutes): it gives None, which scores 0 as well.
    """
    text = reply.strip()
    if not text:
        return None
    candidate = _candidate(text)
    try:
        value: JsonValue = json.loads(candidate)
    except (ValueError, RecursionError):
        return _repaired(candidate)
    return value


def _candidate(text: str) -> str:
    fence = text.find("```")
    if fence >= 0:
        start = fence + (7 if text.startswith("json", fence + 3) else 3)
        end = text.find("```", start)
        return text if end < 0 else text[start:end].strip()
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if 0 <= start < end else text


def _repaired(text: str) -> JsonValue:
    if len(text) > _MAX_REPAIRED_CHARS or _depth(text) > MAX_DEPTH:
        return None
    try:
        value: JsonValue = json_repair.loads(text)  # type: ignore[assignment]  # without logging it is no tuple
    except (ValueError, RecursionError, IndexError, KeyError, TypeError, AttributeError):
        return None
    return value


def _depth(text: str) -> int:
    depth = deepest = 0
    for match in re.finditer(r"[{}\[\]]", text):
        depth = depth + 1 if match[0] in "{[" else max(0, depth - 1)
        deepest = max(deepest, depth)
    return deepest


def _without_marks(reply: str) -> str:
    return reply.translate(dict.fromkeys(map(ord, _MARKS))).strip()
