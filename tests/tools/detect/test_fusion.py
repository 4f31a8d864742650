"""Fusing detections: who decides, and that order and repetition do not matter."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seeworthy.bench_data.stress import Stress
from seeworthy.tools.detect.fusion import MEASURABLE, Reliability, fuse
from seeworthy.tools.errors import ToolError
from seeworthy.tools.findings import Detection, Region, StressFinding


def _finding(
    stress: Stress, confidence: float = 0.9, severity: float = 3.0, source: str = "x", **extra: object
) -> StressFinding:
    return StressFinding.model_validate(
        {"stress": stress, "severity": severity, "confidence": confidence, "source": source, **extra}
    )


def _detection(detector: str, *findings: StressFinding, failed: str | None = None, **extra: object) -> Detection:
    return Detection.model_validate(
        {"detector": detector, "version": "1", "picture_sha256": "p", "findings": findings, "failed": failed, **extra}
    )


STATISTICS_HAZE = _detection("statistics", _finding(Stress.HAZE, source="statistics"))
MODEL_HAZE = _detection("model:a/b", _finding(Stress.HAZE, source="model:a/b", severity=5.0), model_calls=1)
MODEL_NOTHING = _detection("model:a/b", model_calls=1)
STATISTICS_NOTHING = _detection("statistics")


def test_measurement_decides_signal_faults() -> None:
    assert fuse([STATISTICS_HAZE, MODEL_NOTHING]).of(Stress.HAZE) is not None
    assert fuse([STATISTICS_NOTHING, MODEL_HAZE]).of(Stress.HAZE) is None


def test_the_model_decides_what_is_in_the_scene() -> None:
    seen = _detection("model:a/b", _finding(Stress.OCCLUSION, 0.8))
    finding = fuse([STATISTICS_NOTHING, seen]).of(Stress.OCCLUSION)
    assert finding is not None
    # The statistics do not look for it, so their silence changes nothing.
    assert finding.confidence == pytest.approx(0.8)


def test_agreement_raises_confidence_by_the_documented_formula() -> None:
    finding = fuse([STATISTICS_HAZE, MODEL_HAZE]).of(Stress.HAZE)
    assert finding is not None
    prior, said = math.log(0.1 / 0.9), math.log(0.9 / 0.1)
    expected = prior + 1.0 * (said - prior) + 0.35 * (said - prior)
    assert finding.confidence == pytest.approx(1 / (1 + math.exp(-expected)))
    assert 3.0 < finding.severity < 4.0
    assert finding.source == "model:a/b+statistics"


def test_without_measurement_the_model_decides_everything() -> None:
    gone = _detection("statistics", failed="no pixels")
    fused = fuse([gone, MODEL_HAZE])
    finding = fused.of(Stress.HAZE)
    assert finding is not None
    assert finding.confidence == pytest.approx(0.9)
    assert fused.failed is None
    assert fused.notes == ("statistics failed: no pixels",)


def test_all_failed_is_failed() -> None:
    fused = fuse([_detection("statistics", failed="a"), _detection("model:m", failed="b")])
    assert fused.failed is not None
    assert "statistics failed: a" in fused.failed
    assert "model:m failed: b" in fused.failed
    assert fused.findings == ()


def test_the_silence_of_an_unknown_detector_means_nothing() -> None:
    plugin = _detection("plugin")
    finding = fuse([STATISTICS_HAZE, plugin]).of(Stress.HAZE)
    assert finding is not None
    assert finding.confidence == pytest.approx(0.9)
    rain = fuse([STATISTICS_NOTHING, _detection("plugin", _finding(Stress.RAIN, 0.7))]).of(Stress.RAIN)
    assert rain is not None
    assert rain.confidence == pytest.approx(0.7)


def test_parameters_region_and_calls_are_kept() -> None:
    region = Region(x0=0, y0=0, x1=4, y1=4)
    ours = _detection("statistics", _finding(Stress.NOISE, parameters={"noise_std": 0.1}, evidence={"e": 1.0}))
    theirs = _detection(
        "model:m", _finding(Stress.NOISE, parameters={"noise_std": 9.0, "other": 1.0}, region=region), model_calls=2
    )
    fused = fuse([theirs, ours])
    finding = fused.of(Stress.NOISE)
    assert finding is not None
    assert finding.parameters == {"noise_std": 0.1, "other": 1.0}
    assert finding.region == region
    assert finding.evidence["e"] == 1.0
    assert fused.model_calls == 2


def test_custom_reliabilities() -> None:
    trusted = {"statistics": Reliability(0.2, 0.0), "model": Reliability(1.0, 1.0)}
    assert fuse([STATISTICS_NOTHING, MODEL_HAZE], reliabilities=trusted).of(Stress.HAZE) is not None


@pytest.mark.parametrize(
    ("detections", "why"),
    [
        ([], "nothing to fuse"),
        ([STATISTICS_HAZE, MODEL_HAZE.model_copy(update={"picture_sha256": "q"})], "different pictures"),
        ([fuse([STATISTICS_HAZE, MODEL_HAZE]), MODEL_NOTHING], "twice"),
    ],
)
def test_what_cannot_be_fused(detections: list[Detection], why: str) -> None:
    with pytest.raises(ToolError, match=why):
        fuse(detections)


def _findings() -> st.SearchStrategy[list[StressFinding]]:
    one = st.builds(
        _finding,
        st.sampled_from(sorted(Stress)),
        st.floats(0, 1),
        st.floats(0, 5),
        st.sampled_from(["s", "t"]),
    )
    return st.lists(one, max_size=4, unique_by=lambda finding: finding.stress)


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.builds(
            lambda name, findings: _detection(name, *findings),
            st.sampled_from(["statistics", "model:a", "model:b", "plugin"]),
            _findings(),
        ),
        min_size=1,
        max_size=3,
    )
)
def test_order_and_repetition_do_not_matter(detections: list[Detection]) -> None:
    once = fuse(detections)
    for permuted in itertools.permutations(detections):
        assert fuse(permuted) == once
    assert fuse([*detections, *detections]) == once
    assert fuse([once]) == once
    assert fuse([once, once]) == once
    assert all(0 <= finding.confidence <= 1 and 0 <= finding.severity <= 5 for finding in once.findings)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(MEASURABLE)), st.floats(0.02, 0.98), st.floats(0.02, 0.98), st.floats(0.02, 0.98))
def test_more_confidence_in_is_never_less_out(stress: Stress, ours: float, low: float, high: float) -> None:
    low, high = min(low, high), max(low, high)

    def fused(model_confidence: float) -> float:
        finding = fuse(
            [
                _detection("statistics", _finding(stress, ours)),
                _detection("model:m", _finding(stress, model_confidence)),
            ]
        ).of(stress)
        return finding.confidence if finding is not None else 0.0

    assert fused(low) <= fused(high) + 1e-12
