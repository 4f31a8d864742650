"""What differs between two runs, setting by setting."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .plan import RunPlan

__all__ = ["Difference", "differences_of", "plan_differences"]

_SHOWN_CHARACTERS = 120


@dataclass(frozen=True)
class Difference:
    """One setting of which two runs have different values.

    Attributes:
        name: with dots, such as "settings.generation.temperature".
        left, right: as JSON has them; None where a run has no such setting.
    """

    name: str
    left: object
    right: object

    def __str__(self) -> str:
        """
        >>> str(Difference("settings.seed", 0, 1))
        'settings.seed: 0 -> 1'
        """
        return f"{self.name}: {_shown(self.left)} -> {_shown(self.right)}"


def plan_differences(left: RunPlan, right: RunPlan) -> list[Difference]:
    """Every difference between two plans: settings, limit, data and versions."""
    return differences_of(left.model_dump(mode="json"), right.model_dump(mode="json"))


def differences_of(left: Mapping[str, object], right: Mapping[str, object], *, below: str = "") -> list[Difference]:
    """The leaves of two JSON objects that differ, in the order of their names.

    Args:
        below: put before all names.

    >>> [str(one) for one in differences_of({"a": {"b": 1}, "c": [1]}, {"a": {"b": 2}, "c": [1, 5]})]
    ['a.b: 1 -> 2', 'c.1: nothing -> 5']
    """
    prefix = f"{below}." if below else ""
    leaves = dict(_leaves(left, prefix)), dict(_leaves(right, prefix))
    names = sorted(leaves[0].keys() | leaves[1].keys())
    found = ((name, leaves[0].get(name), leaves[1].get(name)) for name in names)
    return [Difference(name, one, other) for name, one, other in found if one != other or type(one) is not type(other)]


def _leaves(value: object, name: str) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping) and value:
        for key, part in value.items():
            yield from _leaves(part, f"{name}{key}.")
    elif isinstance(value, list) and value:
        for index, part in enumerate(value):
            yield from _leaves(part, f"{name}{index}.")
    else:
        yield name.rstrip("."), value


def _shown(value: object) -> str:
    text = "nothing" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 1] + "…"
