"""The fit itself: a cumulative-link model with monotone piecewise linear terms, by bounded quasi-Newton descent.

The loss is the sum over k = 1 ... 5 of the binary cross-entropy of "severity is at least k", plus a ridge on the
steps of the curves. It is convex in the steps and the thresholds, so the fit has one answer and needs no random start.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...bench_data.stress import Stress
from ..errors import ToolError
from .fit_plan import FALSE_ALARM_RATES, Term
from .fit_samples import Sample, SampleKind
from .grading import Curve, StressScore, scaled_column

__all__ = ["TrainingTable", "cross_validated", "fit_score"]

_LEVELS = 5
_FOLDS = 5
_RIDGE = 1.0
_UNSTRESSED_WEIGHT = 4.0
"""A clean picture weighs as much as four degraded ones: in use most pictures are clean."""

_ALL_QUANTILES = (0.02, 0.15, 0.5, 0.85, 0.98)
_STRESSED_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_MIN_KNOT_GAP = 0.03
"""Share of the range between the outer knots below which two knots are one."""

_LOWEST_FLOOR = 0.5
_LOWEST_FLOORS = {Stress.OVER_EXPOSURE: 0.3}
"""A dark scene at four times its light is a normal picture, so over-exposure never gets the confidence of the
others; what is accused wrongly is still held by its false-alarm rate."""

_DRAWING_RATE_FACTOR = 5.0
"""Drawings may be accused five times as often as photographs: some really are flat, tinted or coded to pieces."""

Column = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class TrainingTable:
    """Measured samples, one row each.

    Args:
        features: name to column.
        samples: what each row is.
    """

    features: Mapping[str, Column]
    samples: tuple[Sample, ...]

    def __len__(self) -> int:
        return len(self.samples)

    @classmethod
    def joined(cls, kept: TrainingTable | None, rows: Sequence[tuple[Sample, Mapping[str, float]]]) -> TrainingTable:
        """The kept rows, if any, followed by the new ones."""
        names = sorted(rows[0][1]) if rows else sorted(kept.features if kept is not None else ())
        if kept is not None and sorted(kept.features) != names:
            raise ToolError("the kept samples were measured with other statistics; delete their file and measure again")
        new = {name: np.array([features[name] for _, features in rows], dtype=np.float64) for name in names}
        if kept is None:
            return cls(new, tuple(sample for sample, _ in rows))
        columns = {name: np.concatenate([kept.features[name], new[name]]) for name in names}
        return cls(columns, (*kept.samples, *(sample for sample, _ in rows)))

    def origins(self) -> frozenset[str]:
        return frozenset(sample.origin for sample in self.samples)

    def only(self, origins: Sequence[str]) -> TrainingTable:
        """The rows of these origins, in their order."""
        place = {origin: index for index, origin in enumerate(origins)}
        order = [index for index, sample in enumerate(self.samples) if sample.origin in place]
        order.sort(key=lambda index: place[self.samples[index].origin])
        columns = {name: column[order] for name, column in self.features.items()}
        return TrainingTable(columns, tuple(self.samples[index] for index in order))

    def save(self, file: Path) -> None:
        """Writes an .npz without pickle."""
        names = list(self.features)
        np.savez_compressed(
            file,
            samples=np.array(json.dumps([sample.record() for sample in self.samples])),
            names=np.array(json.dumps(names)),
            columns=np.stack([self.features[name] for name in names]),
        )

    @classmethod
    def load(cls, file: Path) -> TrainingTable:
        with np.load(file, allow_pickle=False) as stored:
            samples = tuple(Sample.from_record(record) for record in json.loads(str(stored["samples"])))
            features = dict(zip(json.loads(str(stored["names"])), stored["columns"], strict=True))
        return cls(features, samples)

    def severities(self, stress: Stress) -> Column:
        """(N,) 0 where absent."""
        return np.array([sample.severities.get(stress, 0) for sample in self.samples], dtype=np.float64)

    def weights(self, stress: Stress) -> Column:
        """(N,) weight in the fit; 0 where nobody knows."""
        return np.array(
            [0.0 if stress in s.open else _UNSTRESSED_WEIGHT if not s.severities else 1.0 for s in self.samples]
        )

    def of_kind(self, kind: SampleKind) -> Mask:
        """(N,) whether a row is of this kind."""
        return np.array([sample.kind is kind for sample in self.samples])

    def folds(self) -> NDArray[np.int64]:
        """(N,) 0 to 4; all samples of one photograph, and of its crops, share one."""
        # A package crop is called "motorcycle/2" and cut from "motorcycle".
        whole = {sample.origin for sample in self.samples}
        parents = {origin: origin.rpartition("/")[0] for origin in whole}
        photographs = [
            parents[sample.origin] if parents[sample.origin] in whole else sample.origin for sample in self.samples
        ]
        order = {name: index % _FOLDS for index, name in enumerate(sorted(set(photographs)))}
        return np.array([order[name] for name in photographs])


@dataclass(frozen=True)
class _Design:
    """Ramps between knots as columns; the bounds hold each curve's direction."""

    matrix: Column
    bounds: list[tuple[float | None, float | None]]
    knots: list[Column]


def fit_score(stress: Stress, terms: Sequence[Term], table: TrainingTable) -> StressScore:
    """Fits on all rows; the floor of confidence comes from cross-validation."""
    confidence, _ = cross_validated(stress, terms, table)
    rate = FALSE_ALARM_RATES.get(stress, FALSE_ALARM_RATES[None])
    clean = confidence[table.of_kind(SampleKind.CLEAN)]
    drawn = confidence[table.of_kind(SampleKind.DRAWING)]
    lowest = _LOWEST_FLOORS.get(stress, _LOWEST_FLOOR)
    floor = max(lowest, _above_share(clean, rate), _above_share(drawn, _DRAWING_RATE_FACTOR * rate))
    design = _design(stress, terms, table)
    steps, thresholds = _fitted(design, table.severities(stress), table.weights(stress))
    curves, at = [], 0
    for term, knots in zip(terms, design.knots, strict=True):
        count = len(knots) - 1
        heights = np.concatenate([[0.0], np.cumsum(steps[at : at + count])])
        curves.append(Curve(feature=term.feature, scale=term.scale, knots=_tuple(knots), heights=_tuple(heights)))
        at += count
    return StressScore(curves=tuple(curves), thresholds=_tuple(thresholds), confidence_floor=floor)


def cross_validated(stress: Stress, terms: Sequence[Term], table: TrainingTable) -> tuple[Column, Column]:
    """(N,) confidence and (N,) severity of every row by a model that never saw its photograph."""
    design = _design(stress, terms, table)
    severities, weights, folds = table.severities(stress), table.weights(stress), table.folds()
    confidence, severity = np.zeros(len(table)), np.zeros(len(table))
    for fold in range(_FOLDS):
        held_out = folds == fold
        kept = _Design(design.matrix[~held_out], design.bounds, design.knots)
        steps, thresholds = _fitted(kept, severities[~held_out], weights[~held_out])
        reached = _logistic((design.matrix[held_out] @ steps)[:, None] - thresholds)
        confidence[held_out] = reached[:, 0]
        severity[held_out] = reached.sum(axis=1) / np.maximum(reached[:, 0], 1e-12)
    return confidence, severity


def _above_share(confidence: Column, share: float) -> float:
    """The confidence that only this share of pictures exceeds; 0 without pictures."""
    return float(np.quantile(confidence, 1 - share)) if len(confidence) else 0.0


def _design(stress: Stress, terms: Sequence[Term], table: TrainingTable) -> _Design:
    stressed = table.severities(stress) > 0
    columns, bounds, all_knots = [], [], []
    for term in terms:
        values = scaled_column(table.features[term.feature], term.scale)
        knots = _knots(values, stressed)
        for low, high in itertools.pairwise(knots):
            columns.append(np.clip((values - low) / (high - low), 0, 1))
            bounds.append({1: (0.0, None), -1: (None, 0.0), 0: (None, None)}[term.direction])
        all_knots.append(knots)
    return _Design(np.column_stack(columns), bounds, all_knots)


def _knots(values: Column, stressed: Mask) -> Column:
    """Quantiles of all rows and of the stressed ones, rounded as they will be stored, close ones merged."""
    wanted = np.concatenate([np.quantile(values, _ALL_QUANTILES), np.quantile(values[stressed], _STRESSED_QUANTILES)])
    ordered = np.unique([float(f"{value:.4g}") for value in wanted])
    if len(ordered) < 2:
        return np.array([ordered[0] - 0.5, ordered[0] + 0.5])
    gap = _MIN_KNOT_GAP * (ordered[-1] - ordered[0])
    kept = [ordered[0]]
    for value in ordered[1:]:
        if value - kept[-1] > gap:
            kept.append(value)
    return np.array(kept) if len(kept) > 1 else ordered[[0, -1]]


def _fitted(design: _Design, severities: Column, weights: Column) -> tuple[Column, Column]:
    """Steps of all curves, and the five rising thresholds."""
    from scipy.optimize import minimize

    matrix, count = design.matrix, design.matrix.shape[1]
    reached = np.stack([severities >= level for level in range(1, _LEVELS + 1)], axis=1).astype(np.float64)

    def loss(parameters: Column) -> tuple[float, Column]:
        steps, rises = parameters[:count], parameters[count:]
        margin = (matrix @ steps)[:, None] - np.cumsum(rises)
        value = float((weights[:, None] * (np.logaddexp(0, margin) - reached * margin)).sum())
        residual = weights[:, None] * (_logistic(margin) - reached)
        to_steps = matrix.T @ residual.sum(axis=1) + 2 * _RIDGE * steps
        # Threshold k is the sum of the first k rises, so a rise feels all thresholds from its own on.
        to_rises = -np.cumsum(residual.sum(axis=0)[::-1])[::-1]
        return value + _RIDGE * float(steps @ steps), np.concatenate([to_steps, to_rises])

    start = np.concatenate([np.zeros(count), [1.0], np.full(_LEVELS - 1, 0.5)])
    bounds = [*design.bounds, (None, None), *[(0.02, None)] * (_LEVELS - 1)]
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 600})
    return found.x[:count], np.cumsum(found.x[count:])


def _logistic(margin: Column) -> Column:
    return np.asarray(1 / (1 + np.exp(-np.clip(margin, -40, 40))))


def _tuple(values: Column) -> tuple[float, ...]:
    return tuple(float(value) for value in values)
