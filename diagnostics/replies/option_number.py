"""Options that are quantities, "2.5 m", recognised by value: "250 cm" and, where all options share a unit, "2.5"."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache

from ...bench_data.questions import Unit
from .claims import Claim
from .context import is_denied_before
from .number import answering_quantities
from .quantities import find_quantities
from .result import Rule

__all__ = ["number_claims"]


def number_claims(lower: str, options: Mapping[str, str]) -> list[Claim[str]]:
    """One claim for each quantity of the text that equals exactly one option."""
    unit, values = _values(tuple(options.items()))
    if unit is None:
        return []
    claims = []
    for quantity in answering_quantities(lower):
        number = quantity.in_unit(unit)
        letters = [letter for letter, value in values if isinstance(number, float) and math.isclose(number, value)]
        if len(letters) == 1:
            denied = is_denied_before(lower, quantity.start)
            rule = Rule.DENIED if denied else Rule.OPTION_NUMBER
            claims.append(Claim(letters[0], quantity.start, quantity.end, rule, denied=denied))
    return claims


@lru_cache(maxsize=512)
def _values(options: tuple[tuple[str, str], ...]) -> tuple[Unit | None, tuple[tuple[str, float], ...]]:
    """The options' common unit and their values in it; no unit if one of them is no single quantity."""
    found = []
    for letter, text in options:
        quantities = find_quantities(text.strip().lower())
        if len(quantities) != 1 or (quantities[0].start, quantities[0].end) != (0, len(text.strip())):
            return None, ()
        found.append((letter, quantities[0]))
    units = {None if quantity.unit is None else quantity.unit.unit for _, quantity in found}
    unit = next(iter(units)) if len(units) == 1 else None
    if unit is None:
        return None, ()
    values = [(letter, quantity.in_unit(unit)) for letter, quantity in found]
    return unit, tuple((letter, value) for letter, value in values if isinstance(value, float))
