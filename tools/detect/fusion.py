"""Fusing detections of one picture into one.

For each stress that anybody named, the sources that looked for it are pooled in log-odds against a common prior,

    logit p = logit prior + sum over sources i of weight_i * (logit p_i - logit prior),

where a source that covers the stress and did not name it counts with a small p_i (Genest and Zidek, "Combining
probability distributions: a critique and an annotated bibliography", 1986: the logarithmic pool; a weight below 1
discounts a source that is over-confident). The weights say who decides: measurement on signal faults, a model on
what is in the scene.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ...bench_data.stress import Stress
from ..errors import ToolError
from ..findings import Detection, Region, StressFinding
from .ordering import ordered_findings

__all__ = ["DEFAULT_RELIABILITIES", "FUSED", "MEASURABLE", "Reliability", "fuse"]

FUSED = "fused"
_VERSION = "1"
_PRIOR = 0.1
_SILENT = 0.04
"""Probability of a stress that a source looked for and did not name."""

_CERTAIN = 0.995
"""No source is believed beyond this, so that none can outvote all others."""

_NAMED_FROM = 0.5

MEASURABLE: frozenset[Stress] = frozenset(
    {
        Stress.LOW_LIGHT,
        Stress.OVER_EXPOSURE,
        Stress.LOCAL_UNDEREXPOSURE,
        Stress.LOCAL_OVEREXPOSURE,
        Stress.HAZE,
        Stress.DEFOCUS,
        Stress.MOTION_BLUR,
        Stress.NOISE,
        Stress.JPEG_COMPRESSION,
        Stress.LOW_RES,
        Stress.COLOUR_CAST,
        Stress.LOW_CONTRAST,
    }
)
"""What pixels alone can tell; the rest needs an understanding of the scene."""


@dataclass(frozen=True)
class Reliability:
    """How much a source counts.

    Args:
        measurable: weight, 0 to 1, on stresses of ``MEASURABLE``.
        scene: weight on all others. With 0 the source's silence there means nothing.
    """

    measurable: float
    scene: float

    def weight(self, stress: Stress) -> float:
        """Weight on one stress."""
        return self.measurable if stress in MEASURABLE else self.scene


DEFAULT_RELIABILITIES: Mapping[str, Reliability] = {
    "statistics": Reliability(measurable=1.0, scene=0.0),
    "model": Reliability(measurable=0.35, scene=1.0),
}
"""By detector name up to the first colon."""

_OTHERS = Reliability(measurable=0.5, scene=0.5)
"""A detector that is not listed: what it looks for is not known, so its silence means nothing."""


def fuse(
    detections: Iterable[Detection], *, reliabilities: Mapping[str, Reliability] = DEFAULT_RELIABILITIES
) -> Detection:
    """One detection out of several of the same picture.

    The order of the detections does not matter, repeating one changes nothing, and a single one (also a fused one)
    comes back as it is. Failed detections say nothing; when all failed, so has the result.

    Args:
        reliabilities: by detector name up to the first colon; a detector that is not listed counts half on what it
            names.

    Raises:
        ToolError: no detections, detections of different pictures, or a fused one among others (fuse the parts once).
    """
    parts = _distinct(detections)
    _check_fusable(parts)
    if len(parts) == 1:
        return parts[0]
    looked = [part for part in parts if part.failed is None]
    notes = tuple(f"{part.detector} failed: {part.failed}" for part in parts if part.failed is not None)
    whole = Detection(
        detector=FUSED,
        version=_VERSION + "+" + ",".join(f"{part.detector}@{part.version}" for part in parts),
        picture_sha256=parts[0].picture_sha256,
        features={name: value for part in reversed(parts) for name, value in sorted(part.features.items())},
        model_calls=sum(part.model_calls for part in parts),
        notes=notes + tuple(f"{part.detector}: {note}" for part in looked for note in part.notes),
    )
    if not looked:
        return whole.model_copy(update={"failed": "; ".join(notes)})
    named = sorted({finding.stress for part in looked for finding in part.findings})
    pooled = [_pooled(stress, looked, reliabilities) for stress in named]
    return whole.model_copy(update={"findings": ordered_findings(finding for finding in pooled if finding is not None)})


def _distinct(detections: Iterable[Detection]) -> list[Detection]:
    """Each detection once, in an order that does not depend on the caller's."""
    by_content = {detection.model_dump_json(): detection for detection in detections}
    return [by_content[content] for content in sorted(by_content)]


def _check_fusable(parts: list[Detection]) -> None:
    if not parts:
        raise ToolError("nothing to fuse: pass at least one detection")
    pictures = sorted({part.picture_sha256[:12] for part in parts})
    if len(pictures) > 1:
        raise ToolError(
            f"these detections are of different pictures ({', '.join(pictures)}); fuse one picture's at a time"
        )
    if len(parts) > 1 and any(part.detector == FUSED for part in parts):
        raise ToolError("a fused detection already holds its parts and would count them twice; fuse all parts at once")


def _pooled(stress: Stress, looked: list[Detection], reliabilities: Mapping[str, Reliability]) -> StressFinding | None:
    """The pooled finding, None when the pool does not believe it."""
    named = [(part.of(stress), _weight(part, stress, reliabilities)) for part in looked]
    heaviest = max(weight for _, weight in named)
    voices = sorted(
        ((finding, weight) for finding, weight in named if finding is not None),
        key=lambda voice: (-voice[1], -voice[0].confidence, voice[0].source),
    )
    # If the one who decides did not look, the best of those who did decides.
    scale = 1 / heaviest if heaviest > 0 else 0.0
    log_odds = _logit(_PRIOR)
    for finding, weight in named:
        believed = _SILENT if finding is None else min(max(finding.confidence, 1 - _CERTAIN), _CERTAIN)
        log_odds += weight * scale * (_logit(believed) - _logit(_PRIOR))
    confidence = 1 / (1 + math.exp(-log_odds))
    if confidence < _NAMED_FROM:
        return None
    shares = [weight * finding.confidence + 1e-9 for finding, weight in voices]
    severity = sum(share * voice[0].severity for share, voice in zip(shares, voices, strict=True)) / sum(shares)
    return StressFinding(
        stress=stress,
        severity=min(max(severity, 0.0), 5.0),
        confidence=confidence,
        parameters=_first_wins(finding.parameters for finding, _ in voices),
        evidence={
            **_first_wins(finding.evidence for finding, _ in voices),
            **{f"{finding.source}.confidence": finding.confidence for finding, _ in voices},
        },
        region=_first_region(finding for finding, _ in voices),
        source="+".join(sorted({finding.source for finding, _ in voices})),
        reason="; ".join(dict.fromkeys(finding.reason for finding, _ in voices if finding.reason)),
    )


def _weight(part: Detection, stress: Stress, reliabilities: Mapping[str, Reliability]) -> float:
    reliability = reliabilities.get(part.detector.partition(":")[0])
    if reliability is None:
        return _OTHERS.weight(stress) if part.of(stress) is not None else 0.0
    return reliability.weight(stress)


def _logit(probability: float) -> float:
    return math.log(probability / (1 - probability))


def _first_wins(tables: Iterable[Mapping[str, float]]) -> dict[str, float]:
    merged: dict[str, float] = {}
    for table in tables:
        for name, value in table.items():
            merged.setdefault(name, value)
    return merged


def _first_region(findings: Iterable[StressFinding]) -> Region | None:
    return next((finding.region for finding in findings if finding.region is not None), None)
