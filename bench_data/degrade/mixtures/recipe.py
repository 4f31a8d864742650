"""A recipe: which degradations come together, and how strong each is."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from ...registry import Registry
from ..registry import Severity
from ..seeds import derived_rng

__all__ = ["RECIPES", "Recipe", "RecipePart", "SeverityChoice"]

_Level = Annotated[int, Field(strict=True, ge=0, le=5)]
SeverityChoice = _Level | Literal["bench"] | tuple[_Level, _Level]
"""A level 0 to 5, "bench", or the lowest and the highest of the levels that the seed chooses from."""

Name = Annotated[str, StringConstraints(strict=True, pattern=r"^[a-z][a-z0-9_]{0,63}$")]


class RecipePart(BaseModel):
    """One degradation of a recipe.

    Args:
        degradation: its name.
        severity: see :data:`SeverityChoice`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    degradation: Name
    severity: SeverityChoice

    @model_validator(mode="after")
    def _from_low_to_high(self) -> Self:
        if isinstance(self.severity, tuple) and self.severity[0] > self.severity[1]:
            raise ValueError(f"severity {list(self.severity)} runs downwards; write [lowest, highest]")
        return self

    def drawn(self, recipe: str, seed: int) -> Severity:
        """The severity for one seed; each part draws for itself, so that adding a part leaves the others alone."""
        if not isinstance(self.severity, tuple):
            return self.severity
        low, high = self.severity
        rng = derived_rng("recipe", recipe, self.degradation, seed)
        return int(rng.integers(low, high, endpoint=True))


class Recipe(BaseModel):
    """Degradations that come together. The order of the parts plays no role: image formation has its own.

    Args:
        name: lower case with underscores.
        summary: the scene that it stands for, in a few words.
        parts: each degradation at most once.
        published: the composition as the paper abbreviates it; empty for own recipes.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Name
    summary: Annotated[str, StringConstraints(strict=True, strip_whitespace=True, max_length=200)] = ""
    parts: tuple[RecipePart, ...] = Field(min_length=1, max_length=20)
    published: str = ""

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        names = [part.degradation for part in self.parts]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"degradation {name!r} is listed twice; one picture is formed once")
        return self

    def degradations(self, seed: int) -> list[tuple[str, Severity]]:
        """(name, severity) pairs for one seed, as `compose` takes them."""
        return [(part.degradation, part.drawn(self.name, seed)) for part in self.parts]


RECIPES: Registry[Recipe] = Registry(
    "recipe", package="seeworthy.bench_data.degrade.mixtures", entry_point_group="seeworthy.recipes"
)
