"""Conditions by their names: clean, a degradation at a level, or a mixture."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from ....bench_data.stress import DEGRADATIONS
from ....bench_data.suites import AS_FOUND, CLEAN
from ....bench_data.suites.checks import condition_name

__all__ = ["NamedCondition", "named_condition", "ordered_conditions"]

_LEVELS: Final = ("", "0", "1", "2", "3", "4", "5", "bench")
_SINGLE: Final = frozenset(stress.value for stress in DEGRADATIONS)


class NamedCondition(NamedTuple):
    """What a condition's name says.

    Attributes:
        name: without its level.
        level: "0" to "5", "bench", or "" without one.
        is_clean, is_found: pictures without any degradation, and pictures that came stressed and have no clean twin.
        is_mixture: neither of these, nor a single degradation.
    """

    name: str
    level: str
    is_clean: bool
    is_found: bool
    is_mixture: bool

    @property
    def is_degraded(self) -> bool:
        return not self.is_clean


def named_condition(condition: str) -> NamedCondition:
    """Takes a name apart. What has a level is one degradation, for mixtures have levels of their own.

    >>> named_condition("haze-3")[:2], named_condition("night_capture").is_mixture, named_condition("haze").level
    (('haze', '3'), True, '')
    """
    name = condition_name(condition)
    level = condition[len(name) + 1 :]
    clean, found = condition == CLEAN, condition == AS_FOUND
    mixture = not (clean or found or level or name in _SINGLE)
    return NamedCondition(name, level, clean, found, mixture)


def ordered_conditions(conditions: Iterable[str]) -> tuple[str, ...]:
    """Clean first, then by name, weak before strong; mixtures after single degradations.

    >>> ordered_conditions(["haze-bench", "night_capture", "low_light-3", "haze-2", "clean"])
    ('clean', 'haze-2', 'haze-bench', 'low_light-3', 'night_capture')
    """

    def place(condition: str) -> tuple[bool, bool, str, int, str]:
        named = named_condition(condition)
        return not named.is_clean, named.is_mixture, named.name, _LEVELS.index(named.level), condition

    return tuple(sorted(set(conditions), key=place))
