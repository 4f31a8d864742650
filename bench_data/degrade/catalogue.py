"""What can be done to a picture, for people: each degradation with its place, its parameters and their ranges by level.

The ranges are those of many draws from ``sample``, so that they are true of every degradation, also of plug-ins, and
cannot differ from the code.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass

import numpy as np

from .registry import DEGRADATION_REGISTRY, DegradationParameters, DegradationSpec, FormationStage, Severity
from .seeds import derived_rng

__all__ = ["LEVELS", "DegradationSheet", "ParameterSheet", "Span", "catalogue", "level_table", "sheet_of", "span_text"]

LEVELS: tuple[Severity, ...] = (1, 2, 3, 4, 5, "bench")

Span = tuple[float, float] | tuple[str, ...] | None
"""The lowest and the highest value, or all words of a parameter that is none; None when it is not drawn."""

_DRAWS = 256
_ARGUMENT = re.compile(r"^\s{4,}(\w+(?:, \w+)*):\s+(.*)$")


@dataclass(frozen=True)
class ParameterSheet:
    """One parameter.

    Args:
        name: with its unit.
        meaning: from the documentation of the parameters' class; may be empty.
        ranges: lowest and highest drawn value by level; of a vector in metres or radians its length. None for a level
            at which the parameter is not drawn. Words instead of numbers for parameters that are not numbers.
    """

    name: str
    meaning: str
    ranges: dict[Severity, Span]

    @property
    def is_strength(self) -> bool:
        """True when it depends on the level."""
        return len({_rounded(span) for span in self.ranges.values()}) > 1


@dataclass(frozen=True)
class DegradationSheet:
    """One degradation."""

    name: str
    summary: str
    stage: FormationStage
    in_render: bool
    """True when a scene is drawn differently; false when the finished picture is changed."""
    version: str
    parameters: tuple[ParameterSheet, ...]


def catalogue() -> tuple[DegradationSheet, ...]:
    """All registered degradations, in the order of image formation."""
    specs = sorted((spec for _, spec in DEGRADATION_REGISTRY.specs()), key=lambda spec: spec.formation_order)
    return tuple(sheet_of(spec) for spec in specs)


def sheet_of(spec: DegradationSpec) -> DegradationSheet:
    """The sheet of one degradation."""
    meanings = _meanings(spec.parameters)
    drawn = {level: _draws(spec, level) for level in LEVELS}
    parameters = tuple(
        ParameterSheet(
            name=name,
            meaning=meanings.get(name, ""),
            ranges={level: _range(name, [draw[name] for draw in draws]) for level, draws in drawn.items()},
        )
        for name in spec.parameters.model_fields
    )
    return DegradationSheet(
        name=spec.name.value,
        summary=spec.summary,
        stage=spec.stage,
        in_render=spec.on_view is not None,
        version=spec.version,
        parameters=parameters,
    )


def span_text(span: Span) -> str:
    """A range in words: two digits that count, and no exponent where one can do without.

    >>> span_text((0.0203, 0.0497)), span_text((6012.0, 8995.0)), span_text((-0.5, 0.5)), span_text((3.0, 3.0))
    ('0.02-0.05', '6000-9000', '-0.5 to 0.5', '3')
    """
    if span is None:
        return ""
    words = [value for value in span if isinstance(value, str)]
    if words:
        return ", ".join(words)
    numbers = [value for value in span if not isinstance(value, str)]
    low, high = (_number(value, numbers) for value in numbers)
    if low == high:
        return low
    return f"{low} to {high}" if low.startswith("-") else f"{low}-{high}"


def level_table(sheet: DegradationSheet) -> str:
    """A table in Markdown: what depends on the level, and in one line below what does not."""
    head = ["", *("bench" if level == "bench" else f"level {level}" for level in LEVELS)]
    rows = [head, ["---"] * len(head)]
    rows += [
        [f"`{p.name}`", *(span_text(p.ranges[level]) for level in LEVELS)] for p in sheet.parameters if p.is_strength
    ]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    same = [(p.name, span_text(p.ranges[LEVELS[0]])) for p in sheet.parameters if not p.is_strength]
    stated = ", ".join(f"`{name}` {text}" for name, text in same if text)
    return "\n".join([*lines, *(["", f"At all levels: {stated}."] if stated else [])])


def _number(value: float, span: list[float]) -> str:
    """What is small beside the other end is 0."""
    largest = max(abs(end) for end in span)
    return "0" if abs(value) < 0.01 * largest else f"{float(f'{value:.2g}'):g}"


def _draws(spec: DegradationSpec, level: Severity) -> list[dict[str, object]]:
    rng = derived_rng("catalogue", spec.name.value)
    return [spec.parameters.sample(level, rng).model_dump() for _ in range(_DRAWS)]


def _range(name: str, values: list[object]) -> Span:
    known = [value for value in values if value is not None]
    if not known:
        return None
    if any(isinstance(value, str | bool) for value in known):
        return tuple(sorted({str(value) for value in known}))
    numbers = np.array(known, dtype=np.float64)
    if numbers.ndim > 1 and name.endswith(("_m", "_rad")):
        numbers = np.linalg.norm(numbers, axis=-1)
    return float(numbers.min()), float(numbers.max())


def _rounded(span: Span) -> object:
    if span is None:
        return None
    return tuple(value if isinstance(value, str) else f"{value:.1g}" for value in span)


def _meanings(parameters: type[DegradationParameters]) -> dict[str, str]:
    """The Args of the class's docstring, and of those it builds on."""
    found: dict[str, str] = {}
    for kind in reversed(parameters.__mro__):
        if not issubclass(kind, DegradationParameters) or not kind.__doc__:
            continue
        names: list[str] = []
        in_arguments = False
        for line in inspect.cleandoc(kind.__doc__).splitlines():
            if line.strip() == "Args:":
                in_arguments = True
            elif in_arguments and line and not line.startswith(" "):
                in_arguments = False
            elif in_arguments and (match := _ARGUMENT.match(line)):
                names = match[1].split(", ")
                found.update(dict.fromkeys(names, match[2].strip()))
            elif in_arguments and line.strip():
                found.update({name: f"{found[name]} {line.strip()}" for name in names})
    return found
