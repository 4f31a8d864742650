"""The stress model: from image statistics to the probability and severity of each stress.

For each stress a score is added up from one curve a feature, and compared with five thresholds:

    score = sum over features f of curve_f(x_f),        P(severity >= k) = 1 / (1 + exp(threshold_k - score)),   k =
    1 ... 5

a cumulative-link model (McCullagh, "Regression models for ordinal data", 1980) whose additive terms are piecewise
linear. A curve whose physics has a direction is monotone: a brighter white point never speaks for low light. Outside
its knots a curve is flat, so that no odd picture can push the score far. All numbers stand in ``stress_model.json``,
written by :mod:`.fit`.
"""

from __future__ import annotations

import importlib.resources
import math
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, model_validator

from ...bench_data.stress import Stress

__all__ = ["Curve", "FittedOn", "Grade", "Scale", "StressModel", "StressScore", "package_stress_model"]

_LEVELS = 5
_LOG_FLOOR = 1e-4


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Scale(StrEnum):
    """How a feature is read before the curve."""

    LINEAR = "linear"
    LOG = "log"
    """Natural logarithm of the value or 0.0001, whichever is larger."""


class Curve(_Value):
    """A piecewise linear function of one feature: ``heights`` at ``knots``, flat outside."""

    feature: str
    scale: Scale
    knots: tuple[float, ...] = Field(min_length=2)
    heights: tuple[float, ...] = Field(min_length=2)

    @model_validator(mode="after")
    def _paired(self) -> Self:
        if len(self.knots) != len(self.heights):
            raise ValueError(f"curve of {self.feature}: {len(self.knots)} knots but {len(self.heights)} heights")
        if any(later <= earlier for earlier, later in zip(self.knots, self.knots[1:], strict=False)):
            raise ValueError(f"curve of {self.feature}: knots must rise")
        return self

    def at(self, value: float) -> float:
        """The height at a feature value."""
        return float(np.interp(scaled(value, self.scale), self.knots, self.heights))


class Grade(_Value):
    """What the model makes of one stress.

    Attributes:
        confidence: probability that it is there at severity 1 or more.
        severity: expected severity if it is there, 1 to 5.
        contributions: feature to its part of the score, the log-odds that it adds.
    """

    confidence: float
    severity: float
    contributions: dict[str, float]


class StressScore(_Value):
    """The fitted score of one stress.

    Attributes:
        thresholds: of the score, for severity 1, 2, 3, 4, 5.
        confidence_floor: below it the stress is not named; chosen so that hardly any clean picture is accused.
    """

    curves: tuple[Curve, ...] = Field(min_length=1)
    thresholds: tuple[float, ...] = Field(min_length=_LEVELS, max_length=_LEVELS)
    confidence_floor: float = Field(ge=0.0, le=1.0)

    def grade(self, features: Mapping[str, float]) -> Grade:
        """Grades one picture; a feature that is missing is a ``KeyError``."""
        contributions = {curve.feature: curve.at(features[curve.feature]) for curve in self.curves}
        score = sum(contributions.values())
        reached = [_logistic(score - threshold) for threshold in self.thresholds]
        # Given that it is there at all, the expected severity is the sum of P(>= k) over P(>= 1).
        severity = sum(reached) / reached[0] if reached[0] > 0 else 1.0
        return Grade(confidence=reached[0], severity=min(max(severity, 1.0), 5.0), contributions=contributions)


class FittedOn(_Value):
    """What a model was fitted on.

    Attributes:
        sets: name of a set of pictures to the number of pictures in it.
        samples: degraded and clean samples made of them.
        seed: of all random draws.
    """

    sets: dict[str, int]
    samples: int
    seed: int


class StressModel(_Value):
    """All scores, with where they come from."""

    version: str
    fitted_on: FittedOn
    stresses: dict[Stress, StressScore]


def scaled(value: float, scale: Scale) -> float:
    """A feature value on the scale of a curve."""
    return math.log(max(value, _LOG_FLOOR)) if scale is Scale.LOG else value


def scaled_column(values: NDArray[np.float64], scale: Scale) -> NDArray[np.float64]:
    """As :func:`scaled`, for a column of values."""
    return np.log(np.maximum(values, _LOG_FLOOR)) if scale is Scale.LOG else values


@cache
def package_stress_model() -> StressModel:
    """The model that comes with the package."""
    file = importlib.resources.files("seeworthy.tools.detect").joinpath("stress_model.json")
    return StressModel.model_validate_json(file.read_text(encoding="utf-8"))


def _logistic(score: float) -> float:
    return 1 / (1 + math.exp(-score)) if score >= 0 else math.exp(score) / (1 + math.exp(score))
