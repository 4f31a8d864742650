"""What a stress detector says: findings with severity, confidence and the evidence for them."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from ..bench_data.stress import Stress

__all__ = ["Detection", "Region", "StressFinding"]


class Region(BaseModel):
    """A rectangle in continuous pixel coordinates of the examined picture: ``x0 <= x < x1``, ``y0 <= y < y1``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    x0: float
    y0: float
    x1: float
    y1: float


class StressFinding(BaseModel):
    """One stress that a detector believes to see.

    Attributes:
        severity: on the scale of the degradations, 0 (absent) to 5 (as bad as it gets); a measured quantity, so not
            rounded. Below 1 it is not worth naming.
        confidence: probability in [0, 1] that the stress is really there.
        parameters: physical quantities estimated from the picture, with the unit in the key (``sigma_px``,
            ``noise_std``, ``jpeg_quality``).
        evidence: the feature values that decided, for the trace.
        region: where, if it is local.
        source: which detector said so.
        reason: one sentence for people.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    stress: Stress
    severity: float = Field(ge=0.0, le=5.0)
    confidence: float = Field(ge=0.0, le=1.0)
    parameters: dict[str, float] = Field(default_factory=dict)
    evidence: dict[str, float] = Field(default_factory=dict)
    region: Region | None = None
    source: str
    reason: str = ""


class Detection(BaseModel):
    """All findings on one picture, the most severe first, and the measured features behind them.

    ``failed`` says in words why a detector could not look (a model call that went wrong); it is never an empty list
    of findings in disguise. ``notes`` names what a detector had to drop or repair on the way.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    detector: str
    version: str
    picture_sha256: str
    findings: tuple[StressFinding, ...] = ()
    features: dict[str, float] = Field(default_factory=dict)
    failed: str | None = None
    notes: tuple[str, ...] = ()
    model_calls: int = 0

    def of(self, stress: Stress) -> StressFinding | None:
        """The finding for ``stress``, if any."""
        return next((finding for finding in self.findings if finding.stress is stress), None)
