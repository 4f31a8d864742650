"""What was done to a picture, in enough detail to do it again bit for bit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

from ..images.picture import Picture
from ..render.exposure import Quadrature
from .pixel_map import PixelMap
from .registry import Severity

__all__ = ["Composition", "DegradationRecord", "Degraded", "ParameterValue", "ViewRecord", "ViewSettings"]

ParameterValue = bool | int | float | str | tuple[float, ...]


class ViewSettings(BaseModel):
    """The settings of the renderer that a view was drawn with; see `render`."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    background: tuple[float, float, float]
    sh_degree: int | None
    antialiased: bool
    max_alpha: float
    alpha_min: float


class ViewRecord(BaseModel):
    """The rendered view that was degraded.

    Args:
        cloud_sha256: of the Gaussians (see `views.identity.cloud_sha256`).
        engine: that drew it; another draws slightly other pixels.
        far_m: the depth that counts as far in the scene.
        quadrature: how many instants of an exposure were drawn, see `render.exposure_weights`.
        settings: of the renderer, without the defocus.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    cloud_sha256: str
    engine: Literal["numba", "gsplat", "reference"]
    far_m: float
    quadrature: Quadrature
    settings: ViewSettings


class DegradationRecord(BaseModel):
    """One degradation as it was applied.

    Args:
        name: the degradation.
        severity: 0 to 5, "bench", or None when the caller gave the parameters.
        parameters: the exact values; empty at severity 0.
        seed: the caller's seed; noise also depends on the name and on the picture.
        version: of the degradation's code; another version may give other pixels.
        approximations: what was assumed, in sentences ("no depth given: ...").
        picture_sha256: the picture that it was applied to; of a rendered view, as it is without any degradation.
        depth_sha256: the depth map that was given (whether or not this degradation looks at it), None without one.
        camera_sha256: the camera that was given, None without one.
        view: of a rendered view, what was drawn; None for a photograph.
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
    camera_sha256: str | None = None
    view: ViewRecord | None = None


@dataclass(frozen=True)
class Degraded:
    """A degraded picture, the record that rebuilds it, and where its pixels went."""

    picture: Picture
    record: DegradationRecord
    pixel_map: PixelMap


@dataclass(frozen=True)
class Composition:
    """A picture that went through several degradations, their records in the order in which they acted, and where its
    pixels went."""

    picture: Picture
    records: tuple[DegradationRecord, ...]
    pixel_map: PixelMap
