"""Stress detectors: synchronous looks at one picture, and the registry that holds them.

A plug-in registers through the entry-point group ``seeworthy.detectors``. Model-backed detection is asynchronous and
takes a model, so it is not one of these; see :func:`seeworthy.tools.detect.model_prompt.detect_by_model`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...bench_data.images import Picture
from ...bench_data.registry import Registry
from ...bench_data.stress import Stress
from ..errors import ToolError
from ..findings import Detection

__all__ = ["DETECTORS", "Detect", "DetectorSpec", "apply_detector", "check_detector", "detector"]

Detect = Callable[[Picture], Detection]


@dataclass(frozen=True)
class DetectorSpec:
    """A detector with its declarations.

    Args:
        covers: what it looks for. Its silence about one of these counts as a "no" when detections are fused.
        version: changes whenever the same picture may get other findings.
    """

    name: str
    summary: str
    covers: frozenset[Stress]
    version: str
    detect: Detect


DETECTORS: Registry[DetectorSpec] = Registry(
    "detector", package="seeworthy.tools.detect", entry_point_group="seeworthy.detectors"
)


def detector(name: str, *, summary: str, covers: frozenset[Stress], version: str) -> Callable[[Detect], Detect]:
    """Registers a function ``Picture -> Detection`` as a detector."""

    def register(function: Detect) -> Detect:
        DETECTORS.add(name, DetectorSpec(name, summary, covers, version, function))
        return function

    return register


def apply_detector(spec: DetectorSpec, picture: Picture) -> Detection:
    """Runs a detector and checks what it promises; nothing it returns is trusted.

    Raises:
        ToolError: no Detection, of another picture or by another name or version, a stress that it does not cover, a
            stress twice, or both findings and ``failed``.
    """
    detection = spec.detect(picture)
    who = f"detector {spec.name!r}"
    if not isinstance(detection, Detection):
        raise ToolError(f"{who} returned {type(detection).__name__}; it must return Detection")
    if detection.picture_sha256 != picture.sha256:
        raise ToolError(f"{who} returned picture_sha256 {detection.picture_sha256[:12]}, it saw {picture.sha256[:12]}")
    if (detection.detector, detection.version) != (spec.name, spec.version):
        raise ToolError(
            f"{who} of version {spec.version!r} signed as {detection.detector!r} {detection.version!r}; "
            "it must use its own name and version"
        )
    stresses = [finding.stress for finding in detection.findings]
    uncovered = sorted({stress.value for stress in stresses} - {stress.value for stress in spec.covers})
    if uncovered:
        raise ToolError(f"{who} found {uncovered}, which it does not declare in covers")
    if len(set(stresses)) < len(stresses):
        raise ToolError(f"{who} lists one stress twice; merge the findings and give the worst region")
    if detection.failed is not None and detection.findings:
        raise ToolError(f"{who} says that it failed ({detection.failed!r}) and still lists findings")
    return detection


def check_detector(spec: DetectorSpec) -> tuple[str, ...]:
    """Tries a detector on awkward pictures; returns what is wrong with it, one sentence each, nothing when it is fine.

    For the tests of a plug-in: ``assert check_detector(DETECTORS.get("mine")) == ()``.
    """
    problems = [] if spec.covers else [f"detector {spec.name!r} covers no stress"]
    for what, picture in _awkward_pictures():
        before = picture.sha256
        try:
            first = apply_detector(spec, picture)
            again = apply_detector(spec, Picture(picture.image_srgb_u8.copy()))
        except Exception as error:  # noqa: BLE001 - a plug-in may raise anything; that is the finding
            problems.append(f"{what}: {type(error).__name__}: {error}")
            continue
        if first != again:
            problems.append(f"{what}: the same picture twice gives two detections")
        if Picture(picture.image_srgb_u8).sha256 != before:
            problems.append(f"{what}: the picture was changed")
    return tuple(problems)


def _awkward_pictures() -> tuple[tuple[str, Picture], ...]:
    rng = np.random.default_rng(0)
    grain = rng.integers(0, 256, size=(48, 64, 3), dtype=np.uint8)
    ramp = np.repeat(np.linspace(0, 255, 160).astype(np.uint8)[None, :, None], 120, axis=0).repeat(3, axis=2)
    return (
        ("one pixel", Picture(np.full((1, 1, 3), 128, np.uint8))),
        ("one row", Picture(grain[:1])),
        ("one column", Picture(grain[:, :1])),
        ("black", Picture(np.zeros((64, 64, 3), np.uint8))),
        ("white", Picture(np.full((64, 64, 3), 255, np.uint8))),
        ("noise", Picture(grain)),
        ("ramp", Picture(ramp)),
    )
