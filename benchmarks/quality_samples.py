"""Versions of real photographs whose order of quality is known: the material of fit_quality.py and measures.py."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from seeworthy.bench_data.degrade import degrade
from seeworthy.bench_data.images import Picture, linear_from_srgb, srgb_from_linear
from seeworthy.bench_data.photographs import PhotographSplit, package_photographs
from seeworthy.tools.measure.fidelity import psnr_db, ssim
from seeworthy.tools.measure.inputs import luma
from seeworthy.tools.measure.quality_features import quality_features

Image = NDArray[np.float32]

DEGRADATIONS = (
    "haze",
    "defocus",
    "motion_blur",
    "low_light",
    "noise",
    "over_exposure",
    "low_res",
    "jpeg_compression",
)
CASTS = {
    "warm": (1.0, 0.8, 0.55),
    "lamp": (1.0, 0.7, 0.4),
    "cool": (0.6, 0.85, 1.0),
    "green": (0.75, 1.0, 0.7),
    "magenta": (1.0, 0.7, 0.95),
}
_ALL_SEVERITIES = (1, 2, 3, 4, 5)
_FEWER_SEVERITIES = (1, 3, 5)


@dataclass(frozen=True)
class Sample:
    """One version of one clean picture: its features, and its fidelity to the clean one."""

    clean: str
    photograph: str
    kind: str
    """clean, degraded, halfway, repaired, overdone, cast."""
    name: str
    severity: int
    features: dict[str, float]
    ssim: float
    psnr_db: float


def collect(split: PhotographSplit, *, graded: bool) -> list[Sample]:
    """All versions of all photographs of a split; ``graded`` adds other natural looks of each as clean pictures."""
    samples: list[Sample] = []
    for seed, (clean, photograph, picture, severities) in enumerate(_clean_pictures(split, graded=graded)):
        reference = picture.image_srgb
        for kind, name, severity, image in versions(picture, seed, severities):
            samples.append(
                Sample(
                    clean=clean,
                    photograph=photograph,
                    kind=kind,
                    name=name,
                    severity=severity,
                    features=quality_features(image),
                    ssim=ssim(luma(reference), luma(image), data_range=1.0),
                    psnr_db=min(psnr_db(reference, image, data_range=1.0), 60.0),
                )
            )
        print(f"{split}: {clean}, {len(samples)} samples", flush=True)
    return samples


def _clean_pictures(split: PhotographSplit, *, graded: bool) -> Iterator[tuple[str, str, Picture, tuple[int, ...]]]:
    for photograph in package_photographs(split):
        yield photograph.name, photograph.crop_of or photograph.name, photograph.picture, _ALL_SEVERITIES
        if graded and photograph.crop_of is None:
            for look, image in _looks(photograph.picture.image_srgb):
                yield f"{photograph.name}, {look}", photograph.name, Picture.from_srgb(image), _FEWER_SEVERITIES


def _looks(image: Image) -> Iterator[tuple[str, Image]]:
    """Natural looks that the few photographs do not have: scales, exposures, saturations, a camera's own sharpening."""
    height, width = image.shape[:2]
    yield "half size", cv2.resize(image, (width // 2, height // 2), interpolation=cv2.INTER_AREA)
    yield "dim", saturated(light(image, 0.6), 0.75)
    yield "bright", saturated(image**0.8, 0.6)
    yield "vivid", saturated(steepened(image, 5.0), 1.2)
    yield "camera", light(sharpened(image, 1.2, 1.0), 1.5)
    two_thirds = cv2.resize(image, (width * 2 // 3, height * 2 // 3), interpolation=cv2.INTER_AREA)
    yield "camera, two thirds", sharpened(two_thirds, 0.8, 1.0)


def versions(
    picture: Picture, seed: int, severities: tuple[int, ...] = _ALL_SEVERITIES
) -> Iterator[tuple[str, str, int, Image]]:
    """(kind, name, severity, image) of every version of a clean picture."""
    clean = picture.image_srgb
    yield "clean", "clean", 0, clean
    for name in DEGRADATIONS:
        for severity in severities:
            spoilt = degrade(picture, name, severity=severity, seed=seed * 10 + severity).picture.image_srgb
            yield "degraded", name, severity, spoilt
            if severity in (3, 5):
                yield "halfway", name, severity, rounded((clean + spoilt) / 2)
            if severity == 3:
                for repaired in _repaired(name, spoilt):
                    yield "repaired", name, severity, repaired
            if name == "low_light" and severity in (3, 5):
                brightness = float(linear_from_srgb(clean).mean() / max(linear_from_srgb(spoilt).mean(), 1e-4))
                yield "repaired", name, severity, light(spoilt, brightness)
    for name, image in overdone(clean):
        yield "overdone", name, 0, image
    for name, colour in CASTS.items():
        yield "cast", name, 0, light(clean, np.array(colour, dtype=np.float32))


def _repaired(name: str, spoilt: Image) -> tuple[Image, ...]:
    """A fitting and an unfitting or exaggerated treatment; which is which, the fidelity to the truth decides."""
    if name in ("defocus", "motion_blur", "low_res"):
        return sharpened(spoilt, 1.5, 2.0), sharpened(spoilt, 6.0, 2.0)
    if name == "noise":
        return smoothed(spoilt, 12), sharpened(spoilt, 1.5, 1.5)
    if name == "haze":
        return dehazed(spoilt, 0.95), dehazed(spoilt, 0.8)
    if name == "jpeg_compression":
        return rounded(cv2.bilateralFilter(spoilt, 7, 0.1, 3)), sharpened(spoilt, 2.0, 1.5)
    return ()


def overdone(clean: Image) -> Iterator[tuple[str, Image]]:
    """Treatments that a clean picture did not need."""
    for amount, radius in ((2.0, 1.5), (4.0, 1.0), (2.0, 3.0), (1.5, 6.0)):
        yield f"sharpened {amount:g} at {radius:g} px", sharpened(clean, amount, radius)
    yield "saturated 1.8", saturated(clean, 1.8)
    yield "saturated 2.8", saturated(clean, 2.8)
    yield "local contrast 3", equalised(clean, 3.0)
    yield "local contrast 6", equalised(clean, 6.0)
    yield "steep contrast", steepened(clean, 10.0)
    yield "smoothed 20", smoothed(clean, 20)
    yield "deconvolved", deconvolved(clean)
    yield "dehazed", dehazed(clean, 0.95)
    yield "brightened", light(clean, 1.8)
    yield "darkened", light(clean, 0.35)
    yield "gamma 0.5", rounded(clean**0.5)


def rounded(image: Image) -> Image:
    """As an 8-bit file would hold it."""
    return (np.floor(np.clip(image, 0, 1) * 255 + 0.5) / 255).astype(np.float32)


def light(image: Image, factor: float | Image) -> Image:
    """Linear light multiplied, for all channels or each."""
    return rounded(srgb_from_linear(linear_from_srgb(image) * np.asarray(factor, dtype=np.float32)))


def sharpened(image: Image, amount: float, sigma_px: float) -> Image:
    """Unsharp masking."""
    return rounded(image + amount * (image - cv2.GaussianBlur(image, (0, 0), sigma_px)))


def saturated(image: Image, factor: float) -> Image:
    grey = luma(image)[..., None]
    return rounded(grey + factor * (image - grey))


def steepened(image: Image, slope: float) -> Image:
    """A logistic contrast curve."""
    return rounded(1 / (1 + np.exp(-slope * (image - 0.5))))


def equalised(image: Image, clip_limit: float) -> Image:
    """Contrast-limited adaptive histogram equalisation of the lightness."""
    lab = cv2.cvtColor((image * 255).astype(np.uint8), cv2.COLOR_RGB2LAB)
    lab[..., 0] = cv2.createCLAHE(clip_limit, (8, 8)).apply(lab[..., 0])
    return cv2.cvtColor(lab, cv2.COLOR_LAB2RGB).astype(np.float32) / 255


def smoothed(image: Image, strength: int) -> Image:
    """Non-local means."""
    return cv2.fastNlMeansDenoisingColored(
        (image * 255).astype(np.uint8), None, strength, strength, 5, 15
    ) / np.float32(255)


def deconvolved(image: Image, sigma_px: float = 1.6, noise_to_signal: float = 0.003) -> Image:
    """A Wiener filter for a blur; on a sharp picture it rings."""
    height, width = image.shape[:2]
    line = cv2.getGaussianKernel(31, sigma_px)
    kernel = np.zeros((height, width))
    kernel[:31, :31] = line @ line.T
    blur = np.fft.rfft2(np.roll(kernel, (-15, -15), axis=(0, 1)))
    inverse = np.conj(blur) / (np.abs(blur) ** 2 + noise_to_signal)
    planes = [np.fft.irfft2(np.fft.rfft2(image[..., c]) * inverse, s=(height, width)) for c in range(3)]
    return rounded(np.stack(planes, axis=-1).astype(np.float32))


def dehazed(image: Image, amount: float) -> Image:
    """A plain dark-channel prior (He et al. 2009)."""
    window = np.ones((15, 15), dtype=np.uint8)
    airlight = np.quantile(image.reshape(-1, 3), 0.99, axis=0).astype(np.float32)
    through = 1 - amount * cv2.erode((image / np.maximum(airlight, 0.05)).min(axis=2), window)
    through = np.clip(cv2.GaussianBlur(through, (0, 0), 10), 0.1, 1)[..., None]
    return rounded((image - airlight) / through + airlight)
