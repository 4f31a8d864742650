"""Effects rest on the same questions under both conditions, and say what is missing."""

import pytest

from seeworthy.diagnostics.interventions import Condition, Effect, Experiment, measure_effects

EXPERIMENT = Experiment(
    name="x",
    conditions=(Condition(name="plain"), Condition(name="own", graph="own"), Condition(name="true", graph="true")),
    effects=(
        Effect(name="trust", before="plain", after="own"),
        Effect(name="gap", before="plain", after="true"),
    ),
)
PICTURES = {name: f"p{place // 2}" for place, name in enumerate("abcdef")}


def test_pairs_and_missing_ones() -> None:
    plain = dict.fromkeys("abcdef", 1.0) | {"f": 0.0}
    own = {"a": 0.0, "b": 1.0, "c": 0.0, "d": 1.0}
    trust, gap = measure_effects(
        EXPERIMENT, {"plain": plain, "own": own}, PICTURES, seed=0, missing={"own": {"e", "f"}}, resamples=200
    )
    assert trust.difference is not None
    assert (trust.questions, trust.missing) == (4, 2)
    assert trust.missing_before == 0.5  # how it did on those that had no graph
    assert trust.difference.before == 1.0 and trust.difference.after == 0.5
    assert trust.difference.difference.estimate == pytest.approx(-0.5)
    assert trust.difference.difference.n_clusters == 2
    assert trust.difference.flips is not None and trust.difference.flips.lost == 2
    assert (gap.questions, gap.missing, gap.difference, gap.missing_before) == (0, 0, None, None)


def test_the_order_of_questions_does_not_matter() -> None:
    before = {name: float(place % 2) for place, name in enumerate("abcdef")}
    after = {name: float(place % 3 == 0) for place, name in enumerate("abcdef")}
    one = measure_effects(EXPERIMENT, {"plain": before, "true": after}, PICTURES, seed=0, resamples=200)
    turned = dict(reversed(after.items()))
    assert measure_effects(EXPERIMENT, {"plain": before, "true": turned}, PICTURES, seed=0, resamples=200) == one
