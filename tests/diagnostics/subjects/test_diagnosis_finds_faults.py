"""The diagnosis names the fault of each calibration subject, in twenty of twenty draws of forty pictures."""

import pytest

from seeworthy.diagnostics.diagnosis import Mode, Quadrant, Score, diagnose
from seeworthy.diagnostics.subjects import SubjectKind
from tests.diagnostics.subjects.pool import examined, pool

FAULTS = {
    SubjectKind.SHORTCUT: Mode.SEMANTIC_SHORTCUT,
    SubjectKind.DISCONNECTED: Mode.DISCONNECTION,
    SubjectKind.TRUSTING: Mode.TRUST_BIAS,
    SubjectKind.BLIND: Mode.WEAK_SIGHT,
    SubjectKind.HALLUCINATING: Mode.CONSISTENT_HALLUCINATION,
}
SEEDS = range(20)


def test_there_are_enough_pictures_to_draw_from() -> None:
    assert len(pool()) >= 50


@pytest.mark.parametrize("kind", FAULTS, ids=lambda kind: kind.value)
def test_half_a_fault_is_found_every_time(kind: SubjectKind) -> None:
    found = {seed: diagnose(examined(kind, 0.5, seed=seed), seed=seed, resamples=200).mode for seed in SEEDS}
    assert {seed: mode for seed, mode in found.items() if mode is not FAULTS[kind]} == {}


@pytest.mark.parametrize("kind", FAULTS, ids=lambda kind: kind.value)
def test_stronger_faults_are_found_too(kind: SubjectKind) -> None:
    for seed, strength in ((100, 0.75), (101, 1.0)):
        assert diagnose(examined(kind, strength, seed=seed), seed=seed, resamples=200).mode is FAULTS[kind]


def test_the_grounded_one_is_never_accused() -> None:
    for seed in SEEDS:
        found = diagnose(examined(SubjectKind.GROUNDED, 0.03, seed=seed), seed=seed, resamples=200)
        assert found.mode is Mode.GROUNDED and found.quadrant is Quadrant.UNDERSTANDING
        assert found.probability > 0.9


@pytest.mark.parametrize("kind", [*FAULTS], ids=lambda kind: kind.value)
def test_a_fault_that_never_shows_is_not_found(kind: SubjectKind) -> None:
    assert diagnose(examined(kind, 0.0, seed=7), seed=7, resamples=200).mode is Mode.GROUNDED


def test_the_dial_turns_the_score_that_the_fault_shows_in() -> None:
    def score(kind: SubjectKind, strength: float, name: Score) -> float:
        return diagnose(examined(kind, strength, seed=3, pictures=20), seed=3, resamples=100).scores[name].estimate

    for kind, name in (
        (SubjectKind.SHORTCUT, Score.GRAPH),
        (SubjectKind.DISCONNECTED, Score.ANSWERS),
        (SubjectKind.TRUSTING, Score.TRUST),
        (SubjectKind.BLIND, Score.SIGHT),
    ):
        values = [score(kind, strength, name) for strength in (0.1, 0.9)]
        assert values[0] > values[1] + 0.3
