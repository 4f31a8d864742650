"""The order of findings: the most severe first, but a cause before what it explains."""

from __future__ import annotations

from collections.abc import Iterable

from ...bench_data.stress import Stress
from ..findings import StressFinding

__all__ = ["flattened_by", "ordered_findings"]

_EXPLAINS: dict[Stress, frozenset[Stress]] = {
    # Few photons: the noise is the darkness's, and brightening comes before denoising in every judgement of it.
    Stress.LOW_LIGHT: frozenset({Stress.NOISE, Stress.LOW_CONTRAST, Stress.LOCAL_UNDEREXPOSURE}),
    Stress.OVER_EXPOSURE: frozenset({Stress.LOW_CONTRAST, Stress.LOCAL_OVEREXPOSURE}),
    Stress.HAZE: frozenset({Stress.LOW_CONTRAST}),
    Stress.LOW_RES: frozenset({Stress.DEFOCUS, Stress.MOTION_BLUR}),
}


def flattened_by(findings: Iterable[StressFinding]) -> frozenset[Stress]:
    """Those of the findings that take contrast from a picture, so that repairing them gives it back."""
    return frozenset(one.stress for one in findings if Stress.LOW_CONTRAST in _EXPLAINS.get(one.stress, ()))


def ordered_findings(findings: Iterable[StressFinding]) -> tuple[StressFinding, ...]:
    """By severity, highest first; a finding that another one explains stands after it; ties by name.

    The result depends on the set of findings only.
    """
    by_stress = {finding.stress: finding for finding in findings}

    def rank(finding: StressFinding) -> tuple[float, int, float, str]:
        causes = [
            by_stress[cause].severity
            for cause, effects in _EXPLAINS.items()
            if finding.stress in effects and cause in by_stress
        ]
        # An effect is as high as its mildest cause at most, and right behind it.
        height = min([finding.severity, *causes])
        return (-height, len(causes), -finding.severity, finding.stress.value)

    return tuple(sorted(by_stress.values(), key=rank))
