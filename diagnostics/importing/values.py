"""Values as they stand in other tools' files: texts, scores and names of rows, whatever their type there."""

from __future__ import annotations

import math

__all__ = ["as_name", "as_score", "as_text"]


def as_text(value: object) -> str | None:
    """A text, or a number as text; None for anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return as_name(value)
    return None


def as_name(value: object) -> str:
    """What an id is, in the form in which ids are compared: pandas turns 7 into 7.0 where a neighbour is empty.

    >>> as_name(7.0), as_name("7.0"), as_name(" q7 "), as_name(None)
    ('7', '7', 'q7', '')
    """
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, float) and math.isfinite(value) and value == int(value):
        return str(int(value))
    text = str(value).strip() if isinstance(value, str | int | float) else ""
    whole, point, rest = text.partition(".")
    return whole if point and rest.strip("0") == "" and whole.isascii() and whole.isdigit() else text


def as_score(value: object) -> float | None:
    """A score from 0 to 1; None for anything else, such as per cent, which cannot be told from points.

    >>> as_score(True), as_score("1.0"), as_score(0.25), as_score(87.5), as_score("")
    (1.0, 1.0, 0.25, None, None)
    """
    if isinstance(value, str):
        lowered = value.strip().lower()
        if lowered in ("true", "false"):
            return float(lowered == "true")
        try:
            value = float(lowered)
        except ValueError:
            return None
    if isinstance(value, bool | int | float) and 0 <= value <= 1:
        return float(value)
    return None
