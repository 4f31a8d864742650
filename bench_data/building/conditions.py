"""Conditions: what is done to every picture of a data set, by name: "clean", "haze", "low_light@5", "night_capture"."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, StringConstraints, model_validator

from ..degrade import DEGRADATION_REGISTRY, Severity
from ..degrade.mixtures import RECIPES, Recipe, RecipePart, check_recipe
from ..degrade.severity import check_severity
from ..errors import BenchDataError

__all__ = ["CLEAN", "DEFAULT_SEVERITY", "Condition", "parse_conditions"]

CLEAN = "clean"
DEFAULT_SEVERITY: Severity = 3


class Condition(BaseModel):
    """One condition; all that is needed to apply it again.

    Args:
        label: folders are named so: "clean", "haze-3", "night_capture".
        parts: degradations with their severities; none for clean pictures.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    label: Annotated[str, StringConstraints(strict=True, pattern=r"^[a-z][a-z0-9_-]{0,79}$")]
    parts: tuple[RecipePart, ...] = ()

    @model_validator(mode="after")
    def _clean_is_clean(self) -> Self:
        if (self.label == CLEAN) != (not self.parts):
            raise ValueError(f"the condition {CLEAN!r}, and it alone, has no parts")
        return self

    def degradations(self, seed: int) -> list[tuple[str, Severity]]:
        """(name, severity) pairs for one seed, as `degrade_view` takes them."""
        return [(part.degradation, part.drawn(self.label, seed)) for part in self.parts]


def parse_conditions(text: str, own: Mapping[str, Recipe] | None = None) -> tuple[Condition, ...]:
    """Conditions out of names with commas between them.

    Args:
        text: "clean"; a degradation, at level 3 or as in "haze@5" and "haze@bench"; a mixture; or "all", which is clean
            and every degradation at level 3.
        own: mixtures by name, besides the registered ones.

    Raises:
        BenchDataError: an unknown name or level, an empty item, or the same condition twice.
    """
    words = [word.strip() for word in text.split(",")]
    if not all(words):
        raise BenchDataError(f"conditions {text!r}: an item is empty; write names with one comma between them")
    recipes = {**dict(RECIPES.specs()), **(own or {})}
    found = [
        condition for word in words for condition in (_everything() if word == "all" else (_condition(word, recipes),))
    ]
    labels = [one.label for one in found]
    for label in labels:
        if labels.count(label) > 1:
            raise BenchDataError(f"the condition {label} is asked for twice")
    return tuple(found)


def _everything() -> tuple[Condition, ...]:
    return (Condition(label=CLEAN), *(_single(name, DEFAULT_SEVERITY) for name in DEGRADATION_REGISTRY.names()))


def _condition(word: str, recipes: Mapping[str, Recipe]) -> Condition:
    name, at, level = word.partition("@")
    if name == CLEAN and not at:
        return Condition(label=CLEAN)
    if name in DEGRADATION_REGISTRY.names():
        return _single(name, _severity(level, word) if at else DEFAULT_SEVERITY)
    if name in recipes:
        if at:
            raise BenchDataError(f"condition {word!r}: a mixture has its own levels; write {name!r}")
        check_recipe(recipes[name])
        return Condition(label=name, parts=recipes[name].parts)
    known = (CLEAN, *DEGRADATION_REGISTRY.names(), *recipes)
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    raise BenchDataError(f"unknown condition {word!r}{hint} Known: {', '.join(known)}")


def _severity(level: str, word: str) -> Severity:
    try:
        return check_severity(int(level) if level in tuple("012345") else level)
    except BenchDataError as error:
        raise BenchDataError(f"condition {word!r}: {error}") from error


def _single(name: str, severity: Severity) -> Condition:
    return Condition(label=f"{name}-{severity}", parts=(RecipePart(degradation=name, severity=severity),))
