"""Own recipes from a YAML file.

    foggy_dashcam:
      summary: fog on the road, seen through a moving car's camera
      parts:
        haze: 4
        motion_blur: [1, 2]        # the seed chooses
        jpeg_compression: bench

The file may come from anywhere: it is read by the safe loader, its size and depth are bounded, and anchors are refused,
because a few lines of them can stand for gigabytes.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from ...errors import BenchDataError, RegistryError
from ..registry import DEGRADATION_REGISTRY
from .apply import check_recipe
from .recipe import Recipe

__all__ = ["recipes_from_yaml"]

_MAX_BYTES = 64 * 1024
_MAX_DEPTH = 8
_MAX_RECIPES = 200


def recipes_from_yaml(path: str | os.PathLike[str]) -> dict[str, Recipe]:
    """The recipes of a file in the form above, by name, in the order of the file.

    Raises:
        BenchDataError: no such file, one that is too large or no YAML, a key that is unknown or stands twice, a
            severity out of range, an unknown degradation, or two that both are the sensor; the message names the place.
    """
    place = Path(path)
    content = _mapping(_parsed(_text(place), place), place, "a recipe file maps names to recipes")
    if not content:
        raise BenchDataError(f"{place} holds no recipe; see the documentation of mixtures for the form")
    if len(content) > _MAX_RECIPES:
        raise BenchDataError(f"{place} holds {len(content)} recipes; at most {_MAX_RECIPES} are read, split the file")
    return {name: _recipe(name, entry, place) for name, entry in content.items()}


def _text(place: Path) -> str:
    try:
        # One byte more than allowed, so that a file that never ends is noticed without reading it.
        with place.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise BenchDataError(f"cannot read {place}: {error.strerror or error}") from error
    if len(data) > _MAX_BYTES:
        raise BenchDataError(f"{place} is larger than {_MAX_BYTES // 1024} KiB, which no recipe file needs; split it")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BenchDataError(f"{place} is no UTF-8 text: {error}") from error


def _parsed(text: str, place: Path) -> object:
    import yaml  # type: ignore[import-untyped,unused-ignore]

    try:
        _check_plain(text)
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise BenchDataError(f"{place} cannot be read as YAML: {' '.join(str(error).split())}") from error
    except ValueError as error:  # a number or a date that Python cannot hold
        raise BenchDataError(f"{place} holds a value that cannot be read: {error}") from error


@dataclass
class _Open:
    """A mapping or list that the parser is inside of."""

    is_mapping: bool
    children: int = 0
    keys: set[str] = field(default_factory=set)


def _check_plain(text: str) -> None:
    """Refuses anchors, merge keys, doubled keys and deep nesting, of which the safe loader takes all."""
    import yaml  # type: ignore[import-untyped,unused-ignore]

    opened: list[_Open] = []
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        fault = ""
        if getattr(event, "anchor", None):
            fault = "anchors and aliases are not allowed"
        elif isinstance(event, yaml.NodeEvent) and opened:
            inside = opened[-1]
            if inside.is_mapping and inside.children % 2 == 0:
                fault = _fault_of_key(event.value if isinstance(event, yaml.ScalarEvent) else None, inside.keys)
            inside.children += 1
        if isinstance(event, yaml.CollectionEndEvent):
            opened.pop()
        elif isinstance(event, yaml.CollectionStartEvent):
            opened.append(_Open(isinstance(event, yaml.MappingStartEvent)))
            if len(opened) > _MAX_DEPTH:
                fault = f"nested deeper than {_MAX_DEPTH} levels"
        if fault:
            raise yaml.MarkedYAMLError(problem=fault, problem_mark=event.start_mark)


def _fault_of_key(key: str | None, seen: set[str]) -> str:
    if key is None:
        return "a key must be a word"
    if key == "<<":
        return "merge keys are not allowed"
    if key in seen:
        return f"{key!r} stands twice"
    seen.add(key)
    return ""


def _recipe(name: str, entry: object, place: Path) -> Recipe:
    where = f"{place}: recipe {name!r}"
    if name in ("all", "clean") or name in DEGRADATION_REGISTRY.names():
        raise BenchDataError(f"{where}: the name means something else already; rename it")
    fields = _mapping(entry, where, "a recipe has parts, and may have a summary")
    unknown = [key for key in fields if key not in ("summary", "parts")]
    if unknown:
        raise BenchDataError(f"{where} has the unknown key {unknown[0]!r}; a recipe has parts, and may have a summary")
    parts = _mapping(fields.get("parts"), f"{where}: parts", "write one degradation a line, as in haze: 3")
    try:
        recipe = Recipe.model_validate(
            {
                "name": name,
                "summary": fields.get("summary", ""),
                "parts": [{"degradation": key, "severity": value} for key, value in parts.items()],
            }
        )
        check_recipe(recipe)
    except ValidationError as error:
        raise BenchDataError(f"{where}: {_in_words(error, list(parts))}") from error
    except RegistryError as error:
        raise BenchDataError(f"{where}: {error}") from error
    except BenchDataError as error:
        raise BenchDataError(f"{place}: {error}") from error
    return recipe


def _mapping(value: object, where: object, hint: str) -> dict[str, object]:
    if not isinstance(value, dict):
        kind = "empty" if value is None else f"of type {type(value).__name__}"
        raise BenchDataError(f"{where} is {kind}, not a mapping; {hint}")
    for key in value:
        if not isinstance(key, str):
            raise BenchDataError(f"{where}: the key {key!r} is no word; put it in quotes if it is meant as one")
    return value


def _in_words(error: ValidationError, names: list[str]) -> str:
    """The first thing that is wrong; what a severity may be is said once instead of once for each form of it."""
    problem = error.errors()[0]
    match problem["loc"]:
        case ("name",):
            return "a name has lower-case letters, digits and underscores, at most 64, and starts with a letter"
        case ("parts", int(number), "severity", *_):
            return f'severity of {names[number]!r} is {problem["input"]!r}; use 0 to 5, "bench", or [lowest, highest]'
        case ("parts", int(number), "degradation", *_):
            return f"{names[number]!r} is no name of a degradation; `seeworthy degrade --list` shows them"
        case ("parts", int(number), *_):
            return f"{names[number]}: {problem['msg'].removeprefix('Value error, ')}"
        case ("parts",):
            return f"it has {len(names)} parts; a recipe has 1 to 20"
        case _:
            return f"{'.'.join(map(str, problem['loc']))}: {problem['msg'].removeprefix('Value error, ')}"
