"""Degrading pictures: one degradation, several in the order of image formation, and replay from records."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from ..cameras import Camera
from ..errors import BenchDataError
from ..images.picture import Picture
from ..stress import Stress
from .camera_hash import camera_sha256
from .formation import Step, form
from .record import Composition, DegradationRecord, Degraded
from .registry import (
    DEGRADATION_REGISTRY,
    DegradationParameters,
    Severity,
)
from .scene_depth import depth_sha256, known_depth_m
from .seeds import derived_rng
from .severity import check_severity

__all__ = ["compose", "degrade", "degrade_with", "names_on_photographs", "recorded_step", "replay", "sampled_step"]


def degrade(
    picture: Picture,
    name: str,
    *,
    severity: Severity = 3,
    seed: int,
    depth_m: NDArray[np.float32] | None = None,
    camera: Camera | None = None,
) -> Degraded:
    """Degrades a photograph.

    The parameters depend on name, severity and seed only, so that all views of a scene can share one weather, and the
    levels of one seed differ in strength only. Noise depends on the picture too: no two pictures carry the same grain.

    Args:
        picture: the clean picture.
        name: a registered degradation, a :class:`~seeworthy.bench_data.stress.Stress` value.
        severity: 0 (the same picture back) to 5, or "bench" for the published range.
        seed: any integer; another seed gives other parameters and other noise.
        depth_m: (H, W), metres along the optical axis, NaN = unknown. Haze and defocus use it; without it they state
            what they assumed in ``record.approximations``.
        camera: that took the photograph, for those that bend or move it; without it they assume one and say so.

    Raises:
        BenchDataError: unknown severity, or a depth map or camera of another size.
        RegistryError: unknown degradation.
    """
    steps = [sampled_step(name, severity, seed)]
    composition = form(picture, steps, _depth_of(picture, depth_m), _camera_of(picture, camera))
    return Degraded(composition.picture, composition.records[0], composition.pixel_map)


def degrade_with(
    picture: Picture,
    name: str,
    parameters: DegradationParameters,
    *,
    seed: int,
    depth_m: NDArray[np.float32] | None = None,
    camera: Camera | None = None,
) -> Degraded:
    """As :func:`degrade`, with parameters chosen by the caller."""
    spec = DEGRADATION_REGISTRY.get(name)
    steps = [Step(spec, None, parameters, index(seed))]
    composition = form(picture, steps, _depth_of(picture, depth_m), _camera_of(picture, camera))
    return Degraded(composition.picture, composition.records[0], composition.pixel_map)


def compose(
    picture: Picture,
    degradations: Sequence[tuple[str, Severity]],
    *,
    seed: int,
    depth_m: NDArray[np.float32] | None = None,
    camera: Camera | None = None,
) -> Composition:
    """Applies several degradations in the order of image formation, whatever order they are listed in.

    Light stays linear and unrounded from the scene to the sensor, as in a camera; there is one sensor only.

    Args:
        degradations: (name, severity) pairs; each name at most once.

    Raises:
        BenchDataError: a name twice, or two degradations that both are the sensor (low light and over-exposure).
    """
    steps = [sampled_step(name, severity, seed) for name, severity in degradations]
    return form(picture, steps, _depth_of(picture, depth_m), _camera_of(picture, camera))


def replay(
    picture: Picture,
    record: DegradationRecord | Sequence[DegradationRecord],
    *,
    depth_m: NDArray[np.float32] | None = None,
    camera: Camera | None = None,
) -> Picture:
    """Rebuilds the degraded picture from the clean one and its record or records, bit for bit.

    Raises:
        BenchDataError: another picture, depth map or camera, another version of the degradation, or bad parameters.
    """
    records = [record] if isinstance(record, DegradationRecord) else list(record)
    depth, camera = _depth_of(picture, depth_m), _camera_of(picture, camera)
    for entry in records:
        _check_same_inputs(entry, picture, depth, camera)
    return form(picture, [recorded_step(entry) for entry in records], depth, camera).picture


def sampled_step(name: str, severity: Severity, seed: int) -> Step:
    """A step whose parameters are drawn for this severity and seed."""
    spec = DEGRADATION_REGISTRY.get(name)
    severity, seed = check_severity(severity), index(seed)
    if severity == 0:
        return Step(spec, severity, None, seed)
    # Severity is left out, so that the levels of one seed differ in strength only: same direction, same airlight.
    rng = derived_rng("parameters", spec.name.value, seed)
    return Step(spec, severity, spec.parameters.sample(severity, rng), seed)


def recorded_step(record: DegradationRecord) -> Step:
    """The step that a record tells of.

    Raises:
        BenchDataError: another version of the degradation, or bad parameters.
    """
    spec = DEGRADATION_REGISTRY.get(record.name)
    if spec.version != record.version:
        raise BenchDataError(
            f"cannot replay {record.name!r}: the record is of version {record.version}, the code of {spec.version}; "
            "use the release that wrote the record"
        )
    if record.severity == 0:
        return Step(spec, 0, None, record.seed)
    try:
        parameters = spec.parameters.model_validate(record.parameters)
    except ValidationError as error:
        problem = error.errors()[0]
        where = ".".join(str(part) for part in problem["loc"])
        raise BenchDataError(
            f"cannot replay {record.name!r}: bad parameters in the record: {where}: {problem['msg']}, got "
            f"{problem['input']!r}; was the record edited?"
        ) from error
    return Step(spec, record.severity, parameters, record.seed)


def _check_same_inputs(
    record: DegradationRecord, picture: Picture, depth: NDArray[np.float32] | None, camera: Camera | None
) -> None:
    if record.view is not None:
        raise BenchDataError(f"cannot replay {record.name!r}: the record is of a rendered view; use replay_view()")
    if record.picture_sha256 != picture.sha256:
        raise BenchDataError(
            f"cannot replay {record.name!r} on {picture.source}: this is picture {picture.sha256[:12]}, the record is "
            f"of {record.picture_sha256[:12]}; to treat another picture alike use degrade_with()"
        )
    if record.depth_sha256 != depth_sha256(depth):
        given = "no depth map" if depth is None else "another depth map"
        wanted = "none" if record.depth_sha256 is None else f"map {record.depth_sha256[:12]}"
        raise BenchDataError(
            f"cannot replay {record.name!r}: {given} was given, the record used {wanted}; pass that one"
        )
    if record.camera_sha256 != (None if camera is None else camera_sha256(camera)):
        given = "no camera" if camera is None else "another camera"
        wanted = "none" if record.camera_sha256 is None else f"camera {record.camera_sha256[:12]}"
        raise BenchDataError(
            f"cannot replay {record.name!r}: {given} was given, the record used {wanted}; pass that one"
        )


def _depth_of(picture: Picture, depth_m: NDArray[np.float32] | None) -> NDArray[np.float32] | None:
    return None if depth_m is None else known_depth_m(depth_m, picture)


def _camera_of(picture: Picture, camera: Camera | None) -> Camera | None:
    if camera is not None and (camera.width, camera.height) != picture.size:
        raise BenchDataError(
            f"{picture.source}: the camera is of {camera.width}x{camera.height} pixels, the picture {picture.size}; "
            "use camera.resized()"
        )
    return camera


def names_on_photographs() -> tuple[Stress, ...]:
    """The degradations that run on a plain photograph, in the order of image formation."""
    specs = sorted((spec for _, spec in DEGRADATION_REGISTRY.specs()), key=lambda spec: spec.formation_order)
    return tuple(spec.name for spec in specs)
