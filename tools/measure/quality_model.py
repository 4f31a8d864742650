"""The fitted penalties of the quality measure, read from quality_model.json (made by benchmarks/fit_quality.py)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from .quality_features import FEATURE_PARTS

__all__ = ["QualityModel", "Ramp", "part_penalties", "quality_model"]


class Ramp(BaseModel):
    """A penalty that starts at a knot and grows in proportion: above it, or below it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    feature: str
    above: float | None = None
    below: float | None = None
    weight: float = Field(ge=0.0)

    @model_validator(mode="after")
    def _is_one_sided(self) -> Ramp:
        if (self.above is None) == (self.below is None):
            raise ValueError(f"the ramp of {self.feature!r} needs exactly one of above and below")
        if self.feature not in FEATURE_PARTS:
            raise ValueError(f"unknown feature {self.feature!r}")
        return self

    def penalty(self, value: float) -> float:
        """What a feature of this value costs."""
        if self.above is not None:
            return self.weight * max(value - self.above, 0.0)
        return self.weight * max((self.below or 0.0) - value, 0.0)


class QualityModel(BaseModel):
    """All ramps."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1]
    terms: tuple[Ramp, ...]


@cache
def quality_model() -> QualityModel:
    """The model that comes with the package."""
    return QualityModel.model_validate_json(files(__package__).joinpath("quality_model.json").read_bytes())


def part_penalties(features: Mapping[str, float]) -> dict[str, float]:
    """The summed penalties of each part, 0 and more, for features as :func:`quality_features` returns them."""
    totals = dict.fromkeys(FEATURE_PARTS.values(), 0.0)
    for ramp in quality_model().terms:
        totals[FEATURE_PARTS[ramp.feature]] += ramp.penalty(features[ramp.feature])
    return totals
