"""The stress model: its formula, its directions, and the fit that makes it."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from seeworthy.bench_data.images import Picture
from seeworthy.bench_data.stress import Stress
from seeworthy.tools.detect.features import measure_features
from seeworthy.tools.detect.fit_model import TrainingTable, cross_validated, fit_score
from seeworthy.tools.detect.fit_plan import PLAN, Term
from seeworthy.tools.detect.fit_samples import Sample, SampleKind, samples_of_photograph
from seeworthy.tools.detect.fusion import MEASURABLE
from seeworthy.tools.detect.grading import Curve, Scale, StressScore, package_stress_model
from seeworthy.tools.errors import ToolError


def test_the_formula_by_hand() -> None:
    score = StressScore(
        curves=(
            Curve(feature="a", scale=Scale.LINEAR, knots=(0, 2), heights=(0, 4)),
            Curve(feature="b", scale=Scale.LOG, knots=(0, math.log(10)), heights=(0, -1)),
        ),
        thresholds=(1, 2, 3, 4, 5),
        confidence_floor=0.5,
    )
    grade = score.grade({"a": 1.5, "b": 10.0, "unused": 7.0})
    total = 3.0 - 1.0
    reached = [1 / (1 + math.exp(k - total)) for k in (1, 2, 3, 4, 5)]
    assert grade.confidence == pytest.approx(reached[0])
    assert grade.severity == pytest.approx(sum(reached) / reached[0])
    assert grade.contributions == pytest.approx({"a": 3.0, "b": -1.0})
    # Flat outside the knots.
    assert score.grade({"a": 1e9, "b": -5.0}).contributions == pytest.approx({"a": 4.0, "b": 0.0})
    with pytest.raises(KeyError):
        score.grade({"a": 1.0})


@pytest.mark.parametrize(("knots", "heights"), [((0, 0), (0, 1)), ((1, 0), (0, 1)), ((0, 1, 2), (0, 1)), ((0,), (0,))])
def test_a_broken_curve_is_refused(knots: tuple[float, ...], heights: tuple[float, ...]) -> None:
    with pytest.raises(ValidationError):
        Curve(feature="a", scale=Scale.LINEAR, knots=knots, heights=heights)


def test_the_shipped_model_grades_everything_measurable_from_measured_statistics() -> None:
    model = package_stress_model()
    assert set(model.stresses) == MEASURABLE == set(PLAN)
    measured = measure_features(Picture(np.zeros((20, 20, 3), np.uint8))).flat()
    for score in model.stresses.values():
        assert {curve.feature for curve in score.curves} <= set(measured)
        assert list(score.thresholds) == sorted(score.thresholds)


@pytest.mark.parametrize("stress", sorted(PLAN))
def test_the_shipped_curves_keep_the_directions_of_physics(stress: Stress) -> None:
    curves = {curve.feature: curve for curve in package_stress_model().stresses[stress].curves}
    assert list(curves) == [term.feature for term in PLAN[stress]]
    for term in PLAN[stress]:
        steps = np.diff(curves[term.feature].heights) * (term.direction or 0)
        assert (steps >= -1e-9).all(), term.feature


@given(st.floats(-50, 50), st.floats(-50, 50))
def test_confidence_and_severity_rise_with_a_rising_feature(first: float, second: float) -> None:
    score = StressScore(
        curves=(Curve(feature="a", scale=Scale.LINEAR, knots=(-30, 0, 30), heights=(-20, 0, 25)),),
        thresholds=(-2, 0, 1, 3, 4),
        confidence_floor=0.5,
    )
    low, high = score.grade({"a": min(first, second)}), score.grade({"a": max(first, second)})
    assert low.confidence <= high.confidence
    assert low.severity <= high.severity + 1e-9
    assert 1 <= low.severity <= 5


def _table(count: int = 1200, seed: int = 0) -> TrainingTable:
    """A feature that tells severity with noise, one that speaks for nothing, and one that misleads by chance only."""
    rng = np.random.default_rng(seed)
    severity = np.where(rng.random(count) < 0.5, 0, rng.integers(1, 6, count))
    features = {
        "telling": severity + rng.normal(0, 0.6, count),
        "idle": rng.normal(0, 1, count),
    }
    samples = tuple(
        Sample(
            f"origin {index // 6}",
            SampleKind.SINGLE if level else SampleKind.CLEAN,
            {Stress.NOISE: int(level)} if level else {},
        )
        for index, level in enumerate(severity)
    )
    return TrainingTable(features, samples)


def test_the_fit_recovers_a_known_scale() -> None:
    terms = (Term("telling", 1, Scale.LINEAR), Term("idle", 1, Scale.LINEAR))
    score = fit_score(Stress.NOISE, terms, _table())
    assert score.grade({"telling": 0.0, "idle": 0.0}).confidence < 0.1
    for level in (2, 3, 4):
        grade = score.grade({"telling": float(level), "idle": 0.0})
        assert grade.confidence > 0.9
        assert grade.severity == pytest.approx(level, abs=0.5)
    assert max(abs(height) for height in score.curves[1].heights) < 1.0


def test_a_forbidden_direction_is_not_learnt() -> None:
    score = fit_score(Stress.NOISE, (Term("telling", -1, Scale.LINEAR),), _table())
    assert np.abs(score.curves[0].heights).max() < 1e-6


def test_cross_validation_never_splits_an_origin() -> None:
    table = _table()
    folds = table.folds()
    for origin in {sample.origin for sample in table.samples}:
        assert len({int(folds[i]) for i, sample in enumerate(table.samples) if sample.origin == origin}) == 1
    confidence, _ = cross_validated(Stress.NOISE, (Term("telling", 1, Scale.LINEAR),), table)
    present = table.severities(Stress.NOISE) > 0
    # Calibrated: among those given p, about p of the weight is present.
    likely = (confidence > 0.6) & (confidence < 0.9)
    weight = table.weights(Stress.NOISE)
    share = float((weight * present)[likely].sum() / weight[likely].sum())
    assert 0.5 < share < 1.0


def test_crops_share_the_fold_of_their_photograph() -> None:
    names = ("moto", "moto/1", "moto/2", "other/1")
    table = TrainingTable({"a": np.zeros(4)}, tuple(Sample(name, SampleKind.CLEAN) for name in names))
    folds = table.folds()
    assert folds[0] == folds[1] == folds[2]


def test_samples_survive_the_file(tmp_path: Path) -> None:
    rows = [
        (Sample("a", SampleKind.MIXTURE, {Stress.HAZE: 2}, frozenset({Stress.LOW_CONTRAST})), {"x": 1.5, "y": 2.0}),
        (Sample("b", SampleKind.CLEAN), {"x": 0.5, "y": -1.0}),
    ]
    table = TrainingTable.joined(None, rows)
    table.save(tmp_path / "t.npz")
    again = TrainingTable.load(tmp_path / "t.npz")
    assert again.samples == table.samples
    assert all((again.features[name] == table.features[name]).all() for name in ("x", "y"))
    assert again.only(["b"]).features["x"].tolist() == [0.5]
    more = TrainingTable.joined(again, [(Sample("c", SampleKind.CLEAN), {"x": 9.0, "y": 9.0})])
    assert [sample.origin for sample in more.samples] == ["a", "b", "c"]
    with pytest.raises(ToolError, match="other statistics"):
        TrainingTable.joined(again, [(Sample("c", SampleKind.CLEAN), {"x": 9.0})])


def test_training_pictures_are_the_same_each_time() -> None:
    photograph = Picture(np.random.default_rng(1).integers(60, 200, (48, 64, 3), dtype=np.uint8))
    first = [(sample, picture.sha256) for sample, picture in samples_of_photograph(photograph, origin="p", seed=3)]
    again = [(sample, picture.sha256) for sample, picture in samples_of_photograph(photograph, origin="p", seed=3)]
    other = [picture.sha256 for _, picture in samples_of_photograph(photograph, origin="p", seed=4)]
    assert first == again
    assert [sha for _, sha in first] != other
    kinds = [sample.kind for sample, _ in first]
    assert kinds.count(SampleKind.CLEAN) == 2
    assert {stress for sample, _ in first for stress in sample.severities} == set(PLAN)
    assert all(not (sample.open & set(sample.severities)) or sample.kind is SampleKind.MIXTURE for sample, _ in first)
