"""What was done to a picture, in enough detail to do it again bit for bit."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from ..images.picture import Picture
from .registry import Severity

__all__ = ["Composition", "DegradationRecord", "Degraded", "ParameterValue"]

ParameterValue = bool | int | float | str | tuple[float, ...]


class DegradationRecord(BaseModel):
    """One degradation as it was applied.

    Args:
        name: the degradation.
        severity: 0 to 5, "bench", or None when the caller gave the parameters.
        parameters: the exact values; empty at severity 0.
        seed: the caller's seed; noise also depends on the name and on the picture.
        version: of the degradation's code; another version may give other pixels.
        approximations: what was assumed, in sentences ("no depth given: ...").
        picture_sha256: the picture that it was applied to.
        depth_sha256: the depth map that was given (whether or not this degradation looks at it), None without one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    name: str
    severity: Severity | None
    parameters: dict[str, ParameterValue]
    seed: int
    version: str
    approximations: tuple[str, ...] = ()
    picture_sha256: str
    depth_sha256: str | None = None


@dataclass(frozen=True)
class Degraded:
    """A degraded picture and the record that rebuilds it."""

    picture: Picture
    record: DegradationRecord


@dataclass(frozen=True)
class Composition:
    """A picture that went through several degradations, and their records in the order in which they acted."""

    picture: Picture
    records: tuple[DegradationRecord, ...]
