"""Training pictures for the stress model: photographs, degraded with known severities, and drawings that are fine as
they are.

Only :mod:`.fit` uses this module. Every draw comes from SHA-256 of the picture and the seed, so that a sample stays the
same when others are added.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from ...bench_data.degrade import compose, degrade
from ...bench_data.images import Picture
from ...bench_data.stress import Stress
from .fit_faults import SYNTHETIC_FAULTS, apply_fault

__all__ = [
    "DEGRADED",
    "GRADED",
    "Sample",
    "SampleKind",
    "SampleRecord",
    "sample_rng",
    "samples_of_drawing",
    "samples_of_photograph",
]

DEGRADED: tuple[Stress, ...] = (
    Stress.LOW_LIGHT,
    Stress.OVER_EXPOSURE,
    Stress.HAZE,
    Stress.DEFOCUS,
    Stress.MOTION_BLUR,
    Stress.NOISE,
    Stress.JPEG_COMPRESSION,
    Stress.LOW_RES,
)
"""Stresses made by the degradations of :mod:`seeworthy.bench_data.degrade`."""

GRADED: tuple[Stress, ...] = (*DEGRADED, *SYNTHETIC_FAULTS)
"""All stresses that the model grades."""

_LONGER_SIDES_PX = (320, 400, 512, 640, 800)
_SEVERITIES_PER_STRESS = 2
_MIXTURES = 3

_LEFT_OPEN: Mapping[Stress, frozenset[Stress]] = {
    # A cause on the left brings the faults on the right with it to a degree that nobody labelled.
    Stress.LOW_LIGHT: frozenset({Stress.NOISE, Stress.LOW_CONTRAST, Stress.LOCAL_UNDEREXPOSURE, Stress.COLOUR_CAST}),
    Stress.OVER_EXPOSURE: frozenset({Stress.LOCAL_OVEREXPOSURE, Stress.LOW_CONTRAST}),
    Stress.HAZE: frozenset({Stress.LOW_CONTRAST}),
    Stress.LOW_CONTRAST: frozenset({Stress.HAZE}),
    Stress.LOCAL_OVEREXPOSURE: frozenset({Stress.OVER_EXPOSURE}),
    Stress.LOCAL_UNDEREXPOSURE: frozenset({Stress.LOW_LIGHT}),
    Stress.DEFOCUS: frozenset({Stress.MOTION_BLUR}),
    Stress.MOTION_BLUR: frozenset({Stress.DEFOCUS}),
    Stress.NOISE: frozenset({Stress.COLOUR_CAST}),
    # Missing pixels look like blur; which of the two it is, the score of low resolution decides.
    Stress.LOW_RES: frozenset({Stress.DEFOCUS, Stress.MOTION_BLUR}),
}


class SampleKind(StrEnum):
    CLEAN = "clean"
    SINGLE = "single"
    MIXTURE = "mixture"
    DRAWING = "drawing"


@dataclass(frozen=True)
class Sample:
    """What is wrong with one training picture.

    Args:
        origin: name of the photograph or drawing; all samples of one origin stay together when data are split.
        severities: 1 to 5 of what was applied; a stress of ``GRADED`` that is not listed is absent.
        open: stresses of which nothing is known in this picture, left out of the fit.
    """

    origin: str
    kind: SampleKind
    severities: Mapping[Stress, int] = field(default_factory=dict)
    open: frozenset[Stress] = frozenset()

    def record(self) -> SampleRecord:
        """As plain JSON values."""
        return {
            "origin": self.origin,
            "kind": self.kind.value,
            "severities": {stress.value: severity for stress, severity in self.severities.items()},
            "open": sorted(stress.value for stress in self.open),
        }

    @classmethod
    def from_record(cls, record: SampleRecord) -> Sample:
        severities = {Stress(name): severity for name, severity in record["severities"].items()}
        return cls(record["origin"], SampleKind(record["kind"]), severities, frozenset(map(Stress, record["open"])))


class SampleRecord(TypedDict):
    """What :meth:`Sample.record` writes."""

    origin: str
    kind: str
    severities: dict[str, int]
    open: list[str]


def sample_rng(*parts: str | int) -> np.random.Generator:
    """A generator that depends on the parts only."""
    digest = hashlib.sha256("/".join(str(part) for part in parts).encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "big"))


def samples_of_photograph(photograph: Picture, *, origin: str, seed: int) -> Iterator[tuple[Sample, Picture]]:
    """Two clean copies, each stress at two severities, and mixtures of two or three."""
    for copy in range(2):
        picture = _prepared(photograph, sample_rng("clean", origin, copy, seed))
        yield Sample(origin, SampleKind.CLEAN), picture
    for stress in GRADED:
        rng = sample_rng(stress, origin, seed)
        for severity in rng.choice(np.arange(1, 6), size=_SEVERITIES_PER_STRESS, replace=False):
            yield _single(photograph, origin, stress, int(severity), rng)
    for copy in range(_MIXTURES):
        yield _mixture(photograph, origin, sample_rng("mixture", origin, copy, seed))


def samples_of_drawing(drawing: Picture, *, origin: str, seed: int) -> Iterator[tuple[Sample, Picture]]:
    """Two sizes of a drawing, screenshot or painting: nothing is wrong with any of them."""
    for copy in range(2):
        yield Sample(origin, SampleKind.DRAWING), _prepared(drawing, sample_rng("drawing", origin, copy, seed))


def _single(
    photograph: Picture, origin: str, stress: Stress, severity: int, rng: np.random.Generator
) -> tuple[Sample, Picture]:
    picture = _prepared(photograph, rng)
    seed = int(rng.integers(2**31))
    if stress in SYNTHETIC_FAULTS:
        degraded = apply_fault(picture, stress, severity, rng)
    else:
        degraded = degrade(
            picture, stress, severity=severity, seed=seed, depth_m=_depth_for(stress, picture, rng)
        ).picture
    left_open = _LEFT_OPEN.get(stress, frozenset())
    return Sample(origin, SampleKind.SINGLE, {stress: severity}, left_open), degraded


def _mixture(photograph: Picture, origin: str, rng: np.random.Generator) -> tuple[Sample, Picture]:
    picture = _prepared(photograph, rng)
    pool: list[Stress] = [s for s in DEGRADED if s is not Stress.OVER_EXPOSURE and s is not Stress.NOISE]
    if rng.random() < 0.5:
        # One picture has one sensor: dark, blown or merely noisy.
        pool = [s for s in pool if s is not Stress.LOW_LIGHT]
        pool.append(Stress.OVER_EXPOSURE if rng.random() < 0.5 else Stress.NOISE)
    chosen = [pool[index] for index in rng.choice(len(pool), size=int(rng.integers(2, 4)), replace=False)]
    severities = {stress: int(rng.integers(1, 5)) for stress in chosen}
    depth_m = _depth_for(Stress.HAZE, picture, rng) if Stress.HAZE in severities else None
    composed = compose(picture, list(severities.items()), seed=int(rng.integers(2**31)), depth_m=depth_m)
    consequences = frozenset(effect for stress in chosen for effect in _LEFT_OPEN.get(stress, ()))
    left_open = (consequences - frozenset(chosen)) | frozenset(_hidden_in_mixture(severities))
    return Sample(origin, SampleKind.MIXTURE, severities, left_open), composed.picture


def _hidden_in_mixture(severities: Mapping[Stress, int]) -> Iterator[Stress]:
    """What a later step of image formation wipes out, so that its severity can no longer be told."""
    blurs = {Stress.DEFOCUS, Stress.MOTION_BLUR, Stress.LOW_RES}
    for stress in severities:
        others = set(severities) - {stress}
        if stress in blurs and others & (blurs | {Stress.JPEG_COMPRESSION, Stress.NOISE, Stress.LOW_LIGHT}):
            yield stress
        if stress is Stress.NOISE and others & (blurs | {Stress.JPEG_COMPRESSION}):
            yield stress


def _depth_for(stress: Stress, picture: Picture, rng: np.random.Generator) -> NDArray[np.float32] | None:
    """Half of the hazy pictures get a depth map of their own, so that haze is not learnt as a place in the picture."""
    if stress is not Stress.HAZE or rng.random() < 0.5:
        return None
    import cv2

    grid = rng.uniform(0, 1, size=(int(rng.integers(2, 6)), int(rng.integers(2, 6)))).astype(np.float32)
    smooth = cv2.resize(grid, picture.size, interpolation=cv2.INTER_CUBIC)
    smooth = (smooth - smooth.min()) / max(float(np.ptp(smooth)), 1e-6)
    near_m = float(rng.uniform(1, 4))
    return np.asarray(near_m + smooth * float(rng.uniform(6, 40)), dtype=np.float32)


def _prepared(photograph: Picture, rng: np.random.Generator) -> Picture:
    """The photograph at a random working size, sometimes through a good JPEG, as pictures arrive in practice."""
    import cv2

    image = photograph.image_srgb_u8
    factor = min(1.0, int(rng.choice(_LONGER_SIDES_PX)) / max(photograph.size))
    if factor < 1:
        size = (max(1, round(photograph.width * factor)), max(1, round(photograph.height * factor)))
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    if rng.random() < 0.35:
        ok, coded = cv2.imencode(".jpg", image[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(80, 96))])
        if not ok:
            raise RuntimeError(f"{photograph.source}: JPEG encoding failed")
        image = np.ascontiguousarray(np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), dtype=np.uint8)[..., ::-1])
    return Picture(image, source=photograph.source)
