"""The table of what can be done to a picture."""

from __future__ import annotations

import json
import textwrap
from typing import TYPE_CHECKING

from ..common import say
from .treatments import known_recipes

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from ....bench_data.degrade import Severity
    from ....bench_data.degrade.catalogue import DegradationSheet, ParameterSheet
    from ....bench_data.degrade.mixtures import Recipe

__all__ = ["as_json", "as_text"]

_LABEL_WIDTH = 26


def as_text(recipe_file: Path | None) -> str:
    """Degradations in the order of image formation with their parameters by level, then the recipes."""
    from ....bench_data.degrade.catalogue import LEVELS

    lines = [f"{'parameter':<{_LABEL_WIDTH}}" + "".join(f"{_level(level):>14}" for level in LEVELS), ""]
    for sheet in _sheets():
        kind = "in-render" if sheet.in_render else "post"
        lines.append(f"{sheet.name}: {sheet.summary} ({sheet.stage.name.lower()}, {kind})")
        strengths = [parameter for parameter in sheet.parameters if parameter.is_strength]
        others = [parameter for parameter in sheet.parameters if not parameter.is_strength]
        lines += [_row(parameter, LEVELS) for parameter in strengths]
        lines += _same_at_all_levels(others)
    lines += ["", "mixtures"]
    for recipe in known_recipes(recipe_file).values():
        lines.append(f"{recipe.name}: {recipe.summary}{f' ({recipe.published})' if recipe.published else ''}")
        lines.append(f"    {', '.join(_part(name, severity) for name, severity in _parts(recipe))}")
    return "\n".join(lines)


def as_json(recipe_file: Path | None) -> str:
    """The same as one JSON object, with what each parameter means."""
    degradations = [
        {
            "name": sheet.name,
            "summary": sheet.summary,
            "stage": sheet.stage.name.lower(),
            "in_render": sheet.in_render,
            "version": sheet.version,
            "parameters": [
                {
                    "name": parameter.name,
                    "meaning": parameter.meaning,
                    "ranges": {str(level): span for level, span in parameter.ranges.items()},
                }
                for parameter in sheet.parameters
            ],
        }
        for sheet in _sheets()
    ]
    mixtures = [
        {
            "name": recipe.name,
            "summary": recipe.summary,
            "published": recipe.published,
            "parts": dict(_parts(recipe)),
        }
        for recipe in known_recipes(recipe_file).values()
    ]
    return json.dumps({"degradations": degradations, "mixtures": mixtures}, indent=1)


def _sheets() -> tuple[DegradationSheet, ...]:
    from ....bench_data.degrade import DEGRADATION_REGISTRY
    from ....bench_data.degrade.catalogue import catalogue

    for name, reason in DEGRADATION_REGISTRY.plugin_errors.items():
        say(f"plug-in {name} could not be loaded: {reason}")
    return catalogue()


def _row(parameter: ParameterSheet, levels: Iterable[Severity]) -> str:
    from ....bench_data.degrade.catalogue import span_text

    cells = "".join(f"{span_text(parameter.ranges[level]):>14}" for level in levels)
    return f"    {parameter.name:<{_LABEL_WIDTH - 4}}{cells}"


def _same_at_all_levels(parameters: list[ParameterSheet]) -> list[str]:
    from ....bench_data.degrade.catalogue import span_text

    spans = ((parameter.name, span_text(next(iter(parameter.ranges.values())))) for parameter in parameters)
    text = ", ".join(f"{name} {span}" for name, span in spans if span)
    if not text:
        return []
    return textwrap.wrap(f"at all levels: {text}", 116, initial_indent="    ", subsequent_indent="        ")


def _level(level: Severity) -> str:
    return "bench" if level == "bench" else f"level {level}"


def _parts(recipe: Recipe) -> list[tuple[str, Severity | tuple[int, int]]]:
    return [(part.degradation, part.severity) for part in recipe.parts]


def _part(name: str, severity: Severity | tuple[int, int]) -> str:
    return f"{name} {f'{severity[0]} to {severity[1]}' if isinstance(severity, tuple) else severity}"
