"""Rectifiers: the tools that try to undo a stress, and the registry that holds them.

A rectifier is a plain function. The decorator says what it treats, whether pixels stay where they were, what it costs
and whether it repeats itself; the agent chooses by these declarations alone, so a plug-in's tool is used like a
built-in one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from ..bench_data.registry import Registry
from ..bench_data.stress import Stress
from .coordinates import PixelMap
from .errors import ToolError
from .findings import Region
from .under_marks import UnderMarks

__all__ = [
    "RECTIFIERS",
    "Alignment",
    "Cost",
    "Rectified",
    "RectifierSpec",
    "RectifyHint",
    "Stage",
    "apply_rectifier",
    "rectifier",
]

ImageSrgb = NDArray[np.float32]


class Alignment(StrEnum):
    """What a rectifier does to the place of things."""

    PIXEL = "pixel"
    """Every pixel stays where it was."""
    MAPPED = "mapped"
    """Things move by a map that is returned and exact (crop, zoom, undistortion)."""
    UNCERTAIN = "uncertain"
    """Things may move in ways that only a measurement can tell (generative editing)."""


class Cost(StrEnum):
    """Order of magnitude for a 640x480 picture on one core."""

    MILLISECONDS = "milliseconds"
    TENTHS = "tenths of a second"
    SECONDS = "seconds"
    MINUTES = "minutes"


class Stage(StrEnum):
    """Where in image formation the stress arose. Repairs run in the reverse order: codec first, scene last."""

    CODEC = "codec"
    SENSOR = "sensor"
    EXPOSURE = "exposure"
    LENS = "lens"
    ATMOSPHERE = "atmosphere"
    SCENE = "scene"


@dataclass(frozen=True)
class RectifyHint:
    """What is known when a rectifier is called.

    Args:
        severity: 0 to 5 as found, None when nobody measured it; a tool then measures for itself.
        parameters: physical estimates from the detector (``sigma_px``, ``noise_std``, ``jpeg_quality`` ...).
        region: the part of the picture that matters, in pixels, for crop and zoom.
        options: settings by name that a user or plan chose; an unknown one is an error.
        seed: for tools that draw random numbers.
    """

    severity: float | None = None
    parameters: Mapping[str, float] = field(default_factory=dict)
    region: Region | None = None
    options: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0


@dataclass(frozen=True)
class Rectified:
    """What a rectifier returns.

    Args:
        image_srgb: (H, W, 3) float32 in [0, 1].
        pixel_map: None when pixels stay in place.
        parameters: the exact values that were used, enough to do it again.
        note: one sentence for people.
    """

    image_srgb: ImageSrgb
    pixel_map: PixelMap | None = None
    parameters: Mapping[str, float] = field(default_factory=dict)
    note: str = ""


Rectify = Callable[[ImageSrgb, RectifyHint], Rectified]


@dataclass(frozen=True)
class RectifierSpec:
    """A rectifier with its declarations."""

    name: str
    summary: str
    treats: frozenset[Stress]
    stage: Stage
    alignment: Alignment
    cost: Cost
    deterministic: bool
    faithful: bool
    """True when it can only change tone, colour and sharpness, never what is in the scene."""
    version: str
    options: Mapping[str, str]
    """Option name to a line of help."""
    rectify: Rectify


RECTIFIERS: Registry[RectifierSpec] = Registry(
    "rectifier", package="seeworthy.tools.enhance", entry_point_group="seeworthy.tools"
)


def rectifier(
    name: str,
    *,
    summary: str,
    treats: tuple[Stress, ...],
    stage: Stage,
    alignment: Alignment = Alignment.PIXEL,
    cost: Cost = Cost.TENTHS,
    deterministic: bool = True,
    faithful: bool = True,
    version: str = "2",
    options: Mapping[str, str] | None = None,
) -> Callable[[Rectify], Rectify]:
    """Registers a function ``(image_srgb, hint) -> Rectified`` as a rectifier."""

    def register(function: Rectify) -> Rectify:
        spec = RectifierSpec(
            name=name,
            summary=summary,
            treats=frozenset(treats),
            stage=stage,
            alignment=alignment,
            cost=cost,
            deterministic=deterministic,
            faithful=faithful,
            version=version,
            options=dict(options or {}),
            rectify=function,
        )
        RECTIFIERS.add(name, spec)
        return function

    return register


def apply_rectifier(spec: RectifierSpec, image_srgb: ImageSrgb, hint: RectifyHint | None = None) -> Rectified:
    """Runs a rectifier and checks at the boundary everything that it promises; nothing it returns is trusted.

    Number marks are no part of what is repaired: a tool that leaves pixels in place sees the picture with them painted
    over, and they are laid over its result as they were.

    Raises:
        ToolError: unknown option, or the result has the wrong type, shape, range or size, or is not finite, or pixels
            moved without a map.
    """
    hint = hint or RectifyHint()
    unknown = set(hint.options) - set(spec.options)
    if unknown:
        raise ToolError(
            f"rectifier {spec.name!r} has no option {sorted(unknown)}; it knows {sorted(spec.options) or 'none'}"
        )
    source = np.ascontiguousarray(image_srgb, dtype=np.float32)
    if source.ndim != 3 or source.shape[2] != 3:
        raise ToolError(f"rectifier {spec.name!r} needs (H, W, 3), got {source.shape}")
    if spec.alignment is not Alignment.PIXEL:
        return _checked(spec, source, hint)
    marks = UnderMarks.of(source)
    result = _checked(spec, marks.image_srgb, hint)
    return replace(result, image_srgb=marks.laid_over(result.image_srgb))


def _checked(spec: RectifierSpec, source: ImageSrgb, hint: RectifyHint) -> Rectified:
    guarded = source.copy()
    guarded.setflags(write=False)
    result = spec.rectify(guarded, hint)
    _check(spec, source, result)
    return result


def _check(spec: RectifierSpec, source: ImageSrgb, result: Rectified) -> None:
    who = f"rectifier {spec.name!r}"
    if not isinstance(result, Rectified):
        raise ToolError(f"{who} returned {type(result).__name__}; it must return Rectified")
    image = result.image_srgb
    if not isinstance(image, np.ndarray) or image.ndim != 3 or image.shape[2] != 3:
        shape = getattr(image, "shape", None)
        raise ToolError(f"{who} returned field image_srgb of shape {shape}; it must be (H, W, 3)")
    if image.dtype != np.float32:
        raise ToolError(f"{who} returned field image_srgb as {image.dtype}; it must be float32")
    if not np.isfinite(image).all():
        raise ToolError(f"{who} returned NaN or infinite values in image_srgb")
    low, high = float(image.min()), float(image.max())
    if low < -1e-4 or high > 1 + 1e-4:
        raise ToolError(f"{who} returned image_srgb in [{low:.3f}, {high:.3f}]; it must stay in [0, 1]")
    for key, value in result.parameters.items():
        if not isinstance(key, str) or isinstance(value, np.generic) or not isinstance(value, int | float):
            raise ToolError(f"{who} returned parameters[{key!r}] as {type(value).__name__}; use plain int or float")
    size = (image.shape[1], image.shape[0])
    source_size = (source.shape[1], source.shape[0])
    if result.pixel_map is None:
        if size != source_size:
            raise ToolError(f"{who} turned {source_size} into {size} without a pixel_map")
        return
    if spec.alignment is Alignment.PIXEL and not result.pixel_map.is_identity:
        raise ToolError(f"{who} declares alignment 'pixel' but returned a pixel_map that moves things")
    if result.pixel_map.rectified_size != size or result.pixel_map.original_size != source_size:
        raise ToolError(
            f"{who} returned a pixel_map from {result.pixel_map.rectified_size} to {result.pixel_map.original_size}; "
            f"the pictures are {size} and {source_size}"
        )
