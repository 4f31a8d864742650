"""The registry of detectors and the check that a plug-in author can run."""

from __future__ import annotations

import numpy as np
import pytest

from seeworthy.bench_data.images import Picture
from seeworthy.bench_data.stress import Stress
from seeworthy.tools.detect.registry import DETECTORS, DetectorSpec, apply_detector, check_detector
from seeworthy.tools.errors import ToolError
from seeworthy.tools.findings import Detection, StressFinding

PICTURE = Picture(np.full((4, 4, 3), 9, np.uint8))


def _spec(detect: object, covers: frozenset[Stress] = frozenset({Stress.RAIN})) -> DetectorSpec:
    return DetectorSpec("mine", "for the test", covers, "1", detect)  # type: ignore[arg-type]


def _says(picture: Picture, *stresses: Stress, **changed: object) -> Detection:
    findings = tuple(StressFinding(stress=s, severity=1, confidence=1, source="mine") for s in stresses)
    fields = {"detector": "mine", "version": "1", "picture_sha256": picture.sha256, "findings": findings}
    return Detection.model_validate({**fields, **changed})


def test_the_built_in_detector_is_registered_and_passes_the_check() -> None:
    assert "statistics" in DETECTORS.names()
    assert check_detector(DETECTORS.get("statistics")) == ()


def test_a_good_plug_in_passes() -> None:
    spec = _spec(lambda picture: _says(picture, Stress.RAIN))
    assert check_detector(spec) == ()
    assert apply_detector(spec, PICTURE).of(Stress.RAIN) is not None


@pytest.mark.parametrize(
    ("detect", "why"),
    [
        (lambda picture: None, "NoneType"),
        (lambda picture: _says(picture, picture_sha256="other"), "picture_sha256"),
        (lambda picture: _says(picture, detector="theirs"), "signed as 'theirs'"),
        (lambda picture: _says(picture, version="2"), "signed as 'mine' '2'"),
        (lambda picture: _says(picture, Stress.SNOW), "does not declare"),
        (lambda picture: _says(picture, Stress.RAIN, Stress.RAIN), "twice"),
        (lambda picture: _says(picture, Stress.RAIN, failed="no"), "still lists findings"),
    ],
)
def test_broken_promises_are_named(detect: object, why: str) -> None:
    with pytest.raises(ToolError, match=why):
        apply_detector(_spec(detect), PICTURE)
    assert check_detector(_spec(detect))


def test_the_check_reports_crashes_moods_and_empty_claims() -> None:
    count = iter(range(1000))

    def moody(picture: Picture) -> Detection:
        return _says(picture, features={"n": float(next(count))})

    def crashes(picture: Picture) -> Detection:
        return _says(picture, features={"corner": float(picture.image_srgb_u8[1, 1, 0])})

    assert any("two detections" in problem for problem in check_detector(_spec(moody)))
    assert any("one pixel: IndexError" in problem for problem in check_detector(_spec(crashes)))
    assert check_detector(_spec(lambda picture: _says(picture), frozenset()))[0].endswith("covers no stress")
