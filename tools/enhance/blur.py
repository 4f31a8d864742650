"""Blur: the kernel is read off the spectrum and undone, or the picture is sharpened a little, within bounds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...bench_data.images import linear_from_srgb, srgb_from_linear
from ...bench_data.stress import Stress
from ..registry import Cost, Rectified, RectifyHint, Stage, rectifier
from .filtering.blur_fit import BlurFit, fit_blur
from .filtering.deconvolution import deconvolve, disc_kernel, gaussian_kernel, line_kernel
from .filtering.enlargement import find_enlargement
from .filtering.hints import STRENGTH, STRENGTH_HELP, blend, option, ramp, strength_of
from .filtering.jpeg_trace import find_jpeg
from .filtering.noise_level import measure_noise
from .filtering.planes import luma, luminance
from .filtering.spatial import box_mean, gaussian_blur, gradient_magnitude, local_maximum, local_minimum

__all__ = ["deblur", "sharpen_mild"]

Image = NDArray[np.float32]

# Fidelity of the deconvolution over the width of the kernel (best mean PSNR over blurred photographs): a motion is
# never quite straight and even, so a line is trusted half as much as a disc, and a longer one ever less.
_FIDELITY_OF_LINE, _FIDELITY_OF_DISC = 18_000.0, 36_000.0
_FIDELITY_POWER = 1.43
_MOST_FIDELITY = 6000.0
# Noise of sRGB values beyond the rounding of 8 bits lowers the fidelity with its variance.
_QUIET_STD = 0.5 / 255
# Below this libjpeg quality the file's blocks show in the spectrum.
_COARSE_JPEG_QUALITY = 60
# A kernel wider than this share of the shorter side leaves too little to work with.
_WIDEST_KERNEL = 0.15

# Local standard deviation of the luma at which a blurred picture is flat, and at which it has structure to restore.
_FLAT_STD, _STRUCTURED_STD = 1.5 / 255, 4.0 / 255

_SHARPEN_SIGMA_PX, _SHARPEN_GAIN = 1.0, 0.6
# Sharpening must not raise noise: differences below twice its standard deviation are left alone.
_CORING = 2.0
# What a blur of one pixel leaves of the strongest edges: 0.50 to 0.66 in sharp photographs, 0.72 to 0.95 in soft ones.
_SHARP, _SOFT = 0.6, 0.74


@rectifier(
    "deblur",
    summary="Finds a defocus or straight motion blur in the spectrum and undoes it; otherwise does nothing",
    treats=(Stress.DEFOCUS, Stress.MOTION_BLUR),
    stage=Stage.LENS,
    cost=Cost.SECONDS,
    options={STRENGTH: STRENGTH_HELP},
)
def deblur(image_srgb: Image, hint: RectifyHint) -> Rectified:
    """Deconvolution in linear light with the fitted kernel (``filtering.blur_fit``, ``filtering.deconvolution``).

    When the spectrum shows no kernel, the picture stays: a guess rings, and rings look like structure.
    """
    light = linear_from_srgb(image_srgb)
    if find_enlargement(image_srgb.mean(axis=2, dtype=np.float32)) is not None:
        # Its softness is missing resolution, and deconvolution would only sharpen the interpolation.
        return Rectified(image_srgb.copy(), parameters={"strength": 0.0}, note="an enlarged picture; left as it is")
    trace = find_jpeg(image_srgb)
    if trace is not None and trace.quality < _COARSE_JPEG_QUALITY:
        # Its blocks make stripes in the spectrum, as a motion does.
        return Rectified(
            image_srgb.copy(), parameters={"strength": 0.0}, note="blocks of JPEG hide the blur; deblock first"
        )
    fit = fit_blur(luminance(light))
    strength = strength_of(hint, fit.confidence)
    parameters = {
        "size_px": fit.size_px,
        "angle_deg": float(np.rad2deg(fit.angle_rad)),
        "confidence": fit.confidence,
        "strength": strength,
    }
    kernel = _kernel(fit)
    unclear = fit.confidence == 0 or max(kernel.shape) > _WIDEST_KERNEL * min(image_srgb.shape[:2])
    if strength == 0 or unclear:
        return Rectified(
            image_srgb.copy(),
            parameters=parameters | {"strength": 0.0},
            note="no blur of a known shape; left as it is",
        )
    fidelity = _fidelity(fit, measure_noise(luma(image_srgb)).typical_std)
    sharp = srgb_from_linear(deconvolve(light, kernel, fidelity=fidelity))
    sharp = _without_rings(image_srgb, sharp, max(kernel.shape) // 2)
    return Rectified(
        blend(image_srgb, sharp, strength),
        parameters=parameters | {"fidelity": fidelity},
        note=f"undid a {fit.kind} blur of {fit.size_px:.1f} px",
    )


def _without_rings(blurred: Image, sharp: Image, reach_px: int) -> Image:
    """Keeps the picture where it is flat as far as the kernel reaches: whatever appears there is ringing.

    The local prior of Shan, Jia and Agarwala, "High-quality motion deblurring from a single image" (SIGGRAPH 2008), as
    a blend afterwards. Judged on display values, for in dark shadows a ring of little light shows most.
    """
    grey = luma(blurred)
    variance = box_mean(np.square(grey), reach_px) - np.square(box_mean(grey, reach_px))
    deviation = np.sqrt(np.maximum(variance, 0))
    structured = np.clip((deviation - _FLAT_STD) / (_STRUCTURED_STD - _FLAT_STD), 0, 1)[..., None]
    return np.asarray(blurred + structured * (sharp - blurred), dtype=np.float32)


def _kernel(fit: BlurFit) -> NDArray[np.float32]:
    if fit.kind == "line":
        return line_kernel(fit.size_px, fit.angle_rad)
    if fit.kind == "disc":
        return disc_kernel(fit.size_px)
    return gaussian_kernel(max(fit.size_px, 0.1))


def _fidelity(fit: BlurFit, noise_std: float) -> float:
    if fit.kind == "line":
        scale, width_px = _FIDELITY_OF_LINE, fit.size_px
    else:
        # A Gaussian has the spread of a disc of twice its standard deviation.
        scale, width_px = _FIDELITY_OF_DISC, fit.size_px * (2 if fit.kind == "disc" else 4)
    noise = (_QUIET_STD / max(noise_std, _QUIET_STD)) ** 2
    return float(min(_MOST_FIDELITY, scale * width_px**-_FIDELITY_POWER) * noise)


@rectifier(
    "sharpen_mild",
    summary="Sharpens edges a little without overshoot and without raising noise",
    treats=(Stress.DEFOCUS, Stress.MOTION_BLUR, Stress.LOW_RES, Stress.TRANSPARENT),
    stage=Stage.LENS,
    cost=Cost.MILLISECONDS,
    options={STRENGTH: STRENGTH_HELP, "gain": "how much of the detail is added, 0 to 2 (default 0.6)"},
)
def sharpen_mild(image_srgb: Image, hint: RectifyHint) -> Rectified:
    """Unsharp masking of the luma, cored at the noise and kept between the darkest and brightest neighbour."""
    gain = option(hint, "gain", _SHARPEN_GAIN, low=0.0, high=2.0)
    grey = luma(image_srgb)
    softness = _softness(grey)
    strength = strength_of(hint, ramp(softness, _SHARP, _SOFT))
    parameters = {"softness": softness, "strength": strength, "gain": gain}
    if strength * gain == 0:
        return Rectified(image_srgb.copy(), parameters=parameters, note="sharp enough; left as it is")
    detail = grey - gaussian_blur(grey, _SHARPEN_SIGMA_PX)
    core = np.float32(_CORING * measure_noise(grey).typical_std)
    detail = np.sign(detail) * np.maximum(np.abs(detail) - core, 0)
    bounded = np.clip(grey + np.float32(strength * gain) * detail, local_minimum(grey, 1), local_maximum(grey, 1))
    return Rectified(
        np.clip(image_srgb + (bounded - grey)[..., None], 0, 1), parameters=parameters, note="sharpened within bounds"
    )


def _softness(grey: NDArray[np.float32]) -> float:
    """What is left of the strongest edges after a blur of one pixel; 0 for a picture without any."""
    before, after = gradient_magnitude(grey), gradient_magnitude(gaussian_blur(grey, 1.0))
    strong = before >= np.quantile(before, 0.97)
    total = float(before[strong].sum())
    return float(after[strong].sum()) / total if total > 1e-6 else 0.0
