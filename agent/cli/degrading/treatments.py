"""What the command line asks to be done to each picture."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..common import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ....bench_data.degrade import Severity
    from ....bench_data.degrade.mixtures import Recipe

__all__ = ["DEFAULT_SEVERITY", "Treatment", "known_recipes", "treatments"]

DEFAULT_SEVERITY = "3"


@dataclass(frozen=True)
class Treatment:
    """One thing that is done to a picture.

    Args:
        label: "haze-3" or "night_capture"; files are named so.
        degradations: (name, severity) pairs.
    """

    label: str
    degradations: tuple[tuple[str, Severity], ...]


def treatments(
    types: str | None, severities: str | None, mixes: str | None, recipe_file: Path | None, *, seed: int
) -> list[Treatment]:
    """All that is asked for: each type at each severity, and each mixture.

    Args:
        types: names with commas between them, or "all".
        severities: levels with commas between them.
        mixes: names of recipes with commas between them, or "all".
        recipe_file: of own recipes; without ``mixes`` all of its recipes are meant.
        seed: chooses the severities that a recipe leaves open.

    Raises:
        UsageError: nothing is asked for, or something that does not go together.
        BenchDataError, RegistryError: an unknown name, severity or recipe.
    """
    if not (types or mixes or recipe_file):
        raise UsageError("say what to do: --type NAME, --mix NAME or --recipes FILE; --list shows the names")
    if severities is not None and not types:
        raise UsageError("--severity belongs to --type; a mixture has severities of its own")
    found = [_single(name, severity) for name in _type_names(types) for severity in _severities(severities)]
    for recipe in _chosen_recipes(mixes, recipe_file):
        found.append(Treatment(recipe.name, tuple(recipe.degradations(seed))))
    labels = [treatment.label for treatment in found]
    doubled = next((label for label in labels if labels.count(label) > 1), None)
    if doubled:
        raise UsageError(f"{doubled} is asked for twice")
    return found


def known_recipes(recipe_file: Path | None) -> dict[str, Recipe]:
    """The registered recipes, and those of the file.

    Raises:
        UsageError: a recipe of the file has the name of a registered one.
        BenchDataError: the file cannot be read.
    """
    from ....bench_data.degrade.mixtures import RECIPES, recipes_from_yaml

    known = dict(RECIPES.specs())
    own = {} if recipe_file is None else recipes_from_yaml(recipe_file)
    taken = next((name for name in own if name in known), None)
    if taken:
        raise UsageError(f"{recipe_file}: the name {taken!r} belongs to a recipe that comes with Seeworthy; rename it")
    return known | own


def _single(name: str, severity: Severity) -> Treatment:
    return Treatment(f"{name}-{severity}", ((name, severity),))


def _type_names(types: str | None) -> list[str]:
    from ....bench_data.degrade import DEGRADATION_REGISTRY, names_on_photographs

    if not types:
        return []
    everything = [name.value for name in names_on_photographs()]
    names = everything if types == "all" else _words(types, "--type")
    return [DEGRADATION_REGISTRY.get(name).name.value for name in names]


def _severities(text: str | None) -> list[Severity]:
    from ....bench_data.degrade.severity import check_severity

    words = _words(text or DEFAULT_SEVERITY, "--severity")
    return [check_severity(int(word) if word.isdecimal() and len(word) == 1 else word) for word in words]


def _chosen_recipes(mixes: str | None, recipe_file: Path | None) -> list[Recipe]:
    from ....bench_data.degrade.mixtures import check_recipe

    if not mixes and recipe_file is None:
        return []
    known = known_recipes(recipe_file)
    if mixes == "all":
        names: Sequence[str] = list(known)
    elif mixes:
        names = _words(mixes, "--mix")
    else:
        from ....bench_data.degrade.mixtures import RECIPES

        names = [name for name in known if name not in RECIPES.names()]
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else "."
            raise UsageError(f"--mix: unknown recipe {name!r}{hint} Known: {', '.join(known)}")
        check_recipe(known[name])
    return [known[name] for name in names]


def _words(text: str, flag: str) -> list[str]:
    words = [word.strip() for word in text.split(",")]
    if not all(words):
        raise UsageError(f"{flag} {text!r}: an item is empty; write names with one comma between them")
    return words
