"""Scores, rules, quadrants and probabilities on evidence made by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seeworthy.diagnostics.diagnosis import ADVICE, MEANING, Evidence, Mode, Quadrant, Score, Thresholds, diagnose
from seeworthy.diagnostics.diagnosis.evidence import scores_of, terms_of
from seeworthy.diagnostics.diagnosis.modes import modes_of, quadrants_of
from seeworthy.diagnostics.errors import DiagnosticsError


def evidence(count: int = 60, **changes: float | None) -> list[Evidence]:
    """Questions with four options of which all is right, unless changed."""
    fields: dict[str, float | None] = {
        "chance": 0.25,
        "direct": 1.0,
        "derived": 1.0,
        "agreement": 1.0,
        "agreement_chance": 0.25,
        "same_wrong": 0.0,
        "same_wrong_chance": 0.0,
        "blind": 0.25,
        "own": 1.0,
        "true": 1.0,
        "shuffled": 0.25,
    }
    return [Evidence(picture=f"p{n // 2}", **{**fields, **changes}) for n in range(count)]  # type: ignore[arg-type]


def mode(**changes: float | None) -> Mode:
    return diagnose(evidence(**changes), seed=0, resamples=200).mode


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, Mode.GROUNDED),
        ({"own": 0.85}, Mode.TRUST_BIAS),
        ({"own": 0.95}, Mode.GROUNDED),
        ({"derived": 0.5}, Mode.SEMANTIC_SHORTCUT),
        ({"direct": 0.5, "own": 0.5}, Mode.DISCONNECTION),
        ({"same_wrong": 0.2, "same_wrong_chance": 0.05}, Mode.CONSISTENT_HALLUCINATION),
        ({"same_wrong": 0.2, "same_wrong_chance": 0.15}, Mode.GROUNDED),
        ({"direct": 0.5, "derived": 0.5, "own": 0.5}, Mode.WEAK_SIGHT),
        ({"blind": 0.95}, Mode.GROUNDED),
        ({"direct": 0.9, "derived": 0.9, "own": 0.9, "blind": 0.85}, Mode.WEAK_SIGHT),
        ({"agreement": 0.3}, Mode.MIXED),
        # what an intervention showed comes before what scores suggest
        ({"own": 0.5, "derived": 0.3}, Mode.TRUST_BIAS),
    ],
)
def test_rules(changes: dict[str, float | None], expected: Mode) -> None:
    assert mode(**changes) is expected


def test_scores_by_hand() -> None:
    found = diagnose(evidence(direct=0.75, derived=0.5, blind=0.5, own=0.7, true=0.9), seed=0, resamples=100).scores
    assert found[Score.ANSWERS].estimate == pytest.approx(2 / 3)
    assert found[Score.GRAPH].estimate == pytest.approx(1 / 3)
    assert found[Score.SIGHT].estimate == pytest.approx(0.5)
    assert found[Score.TRUST].estimate == pytest.approx(-0.05)
    assert found[Score.PERCEPTION_GAP].estimate == pytest.approx(0.15)
    assert found[Score.GROUNDING].estimate == pytest.approx(0.65)
    assert found[Score.CONSISTENCY].estimate == 1


def test_what_was_not_asked_is_neither_scored_nor_blamed() -> None:
    unasked = {"own": None, "blind": None, "true": None, "shuffled": None, "same_wrong": None}
    found = diagnose(evidence(**unasked), seed=0, resamples=100)
    assert set(found.scores) == {Score.ANSWERS, Score.GRAPH, Score.CONSISTENCY}
    tested = {one.mode: one.tested for one in found.modes}
    assert not tested[Mode.TRUST_BIAS] and not tested[Mode.CONSISTENT_HALLUCINATION] and tested[Mode.DISCONNECTION]
    assert len(found.warnings) == 3
    assert found.mode is Mode.GROUNDED
    assert diagnose(evidence(direct=0.3, derived=0.3, **unasked), seed=0, resamples=100).mode is Mode.WEAK_SIGHT


def test_few_pictures_are_warned_of() -> None:
    assert any("few" in one for one in diagnose(evidence(10), seed=0, resamples=100).warnings)
    assert not any("few" in one for one in diagnose(evidence(80), seed=0, resamples=100).warnings)
    single = diagnose([evidence(1)[0]], seed=0, resamples=100)
    assert single.scores[Score.ANSWERS].low is None


def test_probabilities_tell_how_sure_it_is() -> None:
    clear = diagnose(evidence(derived=0.4), seed=0)
    assert clear.probability == 1
    rng = np.random.default_rng(0)
    unclear = [
        Evidence(picture=f"p{n}", chance=0.0, direct=1.0, derived=float(rng.random() < 0.8), agreement=1.0,
                 agreement_chance=0.0, blind=0.0)
        for n in range(40)
    ]  # fmt: skip
    found = diagnose(unclear, seed=0)
    assert 0.2 < found.probability < 0.9  # a gap of 0.2 is right at the threshold
    assert sum(one.probability for one in found.modes) == pytest.approx(1)
    assert found == diagnose(unclear, seed=0)


@pytest.mark.parametrize(
    ("direct", "derived", "quadrant"),
    [
        (1.0, 1.0, Quadrant.UNDERSTANDING),
        (1.0, 0.3, Quadrant.SHORTCUT),
        (0.3, 1.0, Quadrant.DISCONNECTED),
        (0.3, 0.3, Quadrant.UNGROUNDED),
    ],
)
def test_quadrants(direct: float, derived: float, quadrant: Quadrant) -> None:
    assert diagnose(evidence(direct=direct, derived=derived), seed=0, resamples=100).quadrant is quadrant


def test_every_mode_has_one_plain_sentence_each() -> None:
    for one in Mode:
        assert MEANING[one].endswith(".") and ADVICE[one].endswith(".")
        assert MEANING[one].count(".") == ADVICE[one].count(".") == 1


share = st.floats(0, 1)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(*[share] * 6), min_size=1, max_size=12))
def test_exactly_one_mode_and_one_quadrant(rows: list[tuple[float, ...]]) -> None:
    given_rows = [
        Evidence(picture="p", chance=0.25, direct=a, derived=b, agreement=c, agreement_chance=0.3 * d, blind=e, own=f)
        for a, b, c, d, e, f in rows
    ]
    scores = scores_of(terms_of(given_rows).sum(axis=0)[None, :])
    limits = Thresholds()
    assert sum(int(holds[0]) for holds in modes_of(scores, limits).values()) == 1
    assert sum(int(holds[0]) for holds in quadrants_of(scores, limits).values()) == 1


def test_no_evidence_and_wrong_sums() -> None:
    with pytest.raises(DiagnosticsError, match="at least one"):
        diagnose([], seed=0)
    with pytest.raises(DiagnosticsError, match="sums"):
        scores_of(np.zeros(3))
