"""Stress detection from image statistics alone: no model, no network, the same answer every time."""

from __future__ import annotations

from collections.abc import Mapping

from ...bench_data.images import Picture
from ...bench_data.stress import Stress
from ..findings import Detection, Region, StressFinding
from .edges import LEAST_EDGES
from .features import PictureFeatures, measure_features
from .fusion import MEASURABLE
from .grading import Grade, StressModel, package_stress_model
from .ordering import ordered_findings
from .physical import physical_parameters
from .reasons import reason_for
from .registry import detector

__all__ = ["STATISTICS_VERSION", "detect_by_statistics", "grade_picture"]

STATISTICS_VERSION = "3"

_NAME = "statistics"
_EVIDENCE = 4
"""Features shown as evidence: those that moved the score most."""

_LEAST_FAINT_SHARE, _LEAST_FAINT_SEVERITY = 0.02, 4.0
"""Of a picture without edges, so many pixels must be off a smooth surface, and haze so thick that it explains this."""

_DARK_WHITE_LINEAR = 0.003
"""Without content only what is darker than this is called low light; any other plain colour is just a colour."""

_BLURS = (Stress.DEFOCUS, Stress.MOTION_BLUR)
_LOCAL_OF = {Stress.LOCAL_UNDEREXPOSURE: Stress.LOW_LIGHT, Stress.LOCAL_OVEREXPOSURE: Stress.OVER_EXPOSURE}


@detector(
    _NAME,
    summary="image statistics: light, air, sharpness, noise, coding, colour",
    covers=MEASURABLE,
    version=STATISTICS_VERSION,
)
def detect_by_statistics(picture: Picture) -> Detection:
    """Finds what pixels alone can tell, in a picture of any size; deterministic.

    Finds low light, over-exposure, both in one part of the picture, haze, defocus, motion blur, noise, JPEG
    compression, low resolution, colour cast and low contrast. Severity is on the scale of the degradations: what
    ``degrade`` makes at severity 3 reads about 3. Confidence is the probability under the pictures that the model was
    fitted on.

    Number marks are no part of the picture and are left out.

    The first finding is the main stress: the most severe, but a cause before its effects (low light before its noise).
    Of defocus and motion blur the likelier is named; when the other is nearly as likely, the reason says so. A picture
    with nothing wrong, a drawing or a plain colour gives no findings.
    """
    features = measure_features(picture)
    grades = grade_picture(features, package_stress_model())
    named = _named(grades, package_stress_model())
    findings = (_finding(stress, grades, features) for stress in named)
    return Detection(
        detector=_NAME,
        version=STATISTICS_VERSION,
        picture_sha256=picture.sha256,
        findings=ordered_findings(findings),
        features=features.flat(),
    )


def grade_picture(features: PictureFeatures, model: StressModel) -> dict[Stress, Grade]:
    """Probability and severity of every stress that the model knows and the picture can show."""
    flat = features.flat()
    judged = set(model.stresses)
    is_blank = features.edges.found < LEAST_EDGES
    if is_blank:
        judged &= {Stress.NOISE, *_stresses_of_blanks(features)}
    grades = {stress: score.grade(flat) for stress, score in model.stresses.items() if stress in judged}
    if is_blank and Stress.HAZE in grades and grades[Stress.HAZE].severity < _LEAST_FAINT_SEVERITY:
        del grades[Stress.HAZE]
    return grades


def _stresses_of_blanks(features: PictureFeatures) -> set[Stress]:
    """What could have left no edge in a picture: the dark, or haze through which things show by a shade."""
    if features.exposure.white_linear < _DARK_WHITE_LINEAR:
        return {Stress.LOW_LIGHT}
    return {Stress.HAZE} if features.faint_share >= _LEAST_FAINT_SHARE else set()


def _named(grades: Mapping[Stress, Grade], model: StressModel) -> list[Stress]:
    """What is believed: one kind of blur, none where pixels are missing, and no part where the whole is named."""
    named = {stress for stress, grade in grades.items() if grade.confidence >= model.stresses[stress].confidence_floor}
    blurs = named.intersection(_BLURS)
    if len(blurs) == 2:
        named.discard(min(_BLURS, key=lambda blur: grades[blur].confidence))
    if Stress.LOW_RES in named:
        named.difference_update(_BLURS)
    for part, whole in _LOCAL_OF.items():
        if whole in named:
            named.discard(part)
    return sorted(named)


def _finding(stress: Stress, grades: Mapping[Stress, Grade], features: PictureFeatures) -> StressFinding:
    grade = grades[stress]
    flat = features.flat()
    strongest = sorted(grade.contributions, key=lambda name: (-abs(grade.contributions[name]), name))[:_EVIDENCE]
    parameters = physical_parameters(stress, features, grade.severity)
    return StressFinding(
        stress=stress,
        severity=round(grade.severity, 3),
        confidence=round(grade.confidence, 4),
        parameters=parameters,
        evidence={name: flat[name] for name in strongest},
        region=_region(stress, features),
        source=_NAME,
        reason=reason_for(stress, features, parameters),
    )


def _region(stress: Stress, features: PictureFeatures) -> Region | None:
    if stress is Stress.LOCAL_UNDEREXPOSURE:
        return features.exposure.dark_patch.region
    if stress is Stress.LOCAL_OVEREXPOSURE:
        return features.exposure.bright_patch.region
    return None
