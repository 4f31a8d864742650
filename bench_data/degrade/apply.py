"""Degrading pictures: one degradation, several in the order of image formation, and replay from records."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from ..errors import BenchDataError
from ..images.colour import linear_from_srgb, srgb_from_linear, u8_from_srgb
from ..images.picture import Picture
from ..stress import Stress
from .record import Composition, DegradationRecord, Degraded
from .registry import (
    DEGRADATION_REGISTRY,
    DegradationParameters,
    DegradationSpec,
    FormationStage,
    SceneLight,
    Severity,
)
from .seeds import derived_rng
from .severity import check_severity

__all__ = ["compose", "degrade", "degrade_with", "names_on_photographs", "replay"]


@dataclass(frozen=True)
class _Step:
    """One degradation ready to run; ``parameters`` is None at severity 0."""

    spec: DegradationSpec
    severity: Severity | None
    parameters: DegradationParameters | None
    seed: int


def degrade(
    picture: Picture,
    name: str,
    *,
    severity: Severity = 3,
    seed: int,
    depth_m: NDArray[np.float32] | None = None,
) -> Degraded:
    """Degrades a photograph.

    The parameters depend on name, severity and seed only, so that all views of a scene can share one weather; the
    noise depends on the picture too, so that two pictures never carry the same grain.

    Args:
        picture: the clean picture.
        name: a registered degradation, a :class:`~seeworthy.bench_data.stress.Stress` value.
        severity: 0 (the same picture back) to 5, or "bench" for the published range.
        seed: any integer; another seed gives other parameters and other noise.
        depth_m: (H, W), metres along the optical axis, NaN = unknown. Haze and defocus use it; without it they state
            what they assumed in ``record.approximations``.

    Raises:
        BenchDataError: unknown severity, or a depth map of another size.
        RegistryError: unknown degradation.
    """
    composition = _run(picture, [_sampled(name, severity, seed)], depth_m)
    return Degraded(composition.picture, composition.records[0])


def degrade_with(
    picture: Picture,
    name: str,
    parameters: DegradationParameters,
    *,
    seed: int,
    depth_m: NDArray[np.float32] | None = None,
) -> Degraded:
    """As :func:`degrade`, with parameters chosen by the caller."""
    spec = DEGRADATION_REGISTRY.get(name)
    composition = _run(picture, [_Step(spec, None, parameters, seed)], depth_m)
    return Degraded(composition.picture, composition.records[0])


def compose(
    picture: Picture,
    degradations: Sequence[tuple[str, Severity]],
    *,
    seed: int,
    depth_m: NDArray[np.float32] | None = None,
) -> Composition:
    """Applies several degradations in the order of image formation, whatever order they are listed in.

    Light stays linear and unrounded from the scene to the sensor, as in a camera; there is one sensor only.

    Args:
        degradations: (name, severity) pairs; each name at most once.

    Raises:
        BenchDataError: a name twice, or two degradations that both are the sensor (low light and over-exposure).
    """
    return _run(picture, [_sampled(name, severity, seed) for name, severity in degradations], depth_m)


def replay(
    picture: Picture,
    record: DegradationRecord | Sequence[DegradationRecord],
    *,
    depth_m: NDArray[np.float32] | None = None,
) -> Picture:
    """Rebuilds the degraded picture from the clean one and its record or records, bit for bit.

    Raises:
        BenchDataError: another picture, another depth map, another version of the degradation, or bad parameters.
    """
    records = [record] if isinstance(record, DegradationRecord) else list(record)
    for entry in records:
        _check_same_inputs(entry, picture, depth_m)
    return _run(picture, [_recorded(entry) for entry in records], depth_m).picture


def _sampled(name: str, severity: Severity, seed: int) -> _Step:
    spec = DEGRADATION_REGISTRY.get(name)
    severity = check_severity(severity)
    if severity == 0:
        return _Step(spec, severity, None, seed)
    rng = derived_rng("parameters", spec.name.value, str(severity), seed)
    return _Step(spec, severity, spec.parameters.sample(severity, rng), seed)


def _recorded(record: DegradationRecord) -> _Step:
    spec = DEGRADATION_REGISTRY.get(record.name)
    if spec.version != record.version:
        raise BenchDataError(
            f"cannot replay {record.name!r}: the record is of version {record.version}, the code of {spec.version}; "
            "use the release that wrote the record"
        )
    if record.severity == 0:
        return _Step(spec, 0, None, record.seed)
    try:
        parameters = spec.parameters.model_validate(record.parameters)
    except ValidationError as error:
        raise BenchDataError(f"cannot replay {record.name!r}: bad parameters in the record: {error}") from error
    return _Step(spec, record.severity, parameters, record.seed)


def _check_same_inputs(record: DegradationRecord, picture: Picture, depth_m: NDArray[np.float32] | None) -> None:
    if record.picture_sha256 != picture.sha256:
        raise BenchDataError(
            f"cannot replay {record.name!r} on {picture.source}: the record is of picture "
            f"{record.picture_sha256[:12]}, this is {picture.sha256[:12]}; to treat another picture alike use degrade_with()"
        )
    if record.depth_sha256 != _depth_sha256(depth_m):
        given = "no depth map" if depth_m is None else "another depth map"
        wanted = "none" if record.depth_sha256 is None else f"map {record.depth_sha256[:12]}"
        raise BenchDataError(
            f"cannot replay {record.name!r}: {given} was given, the record used {wanted}; pass that one"
        )


def _run(picture: Picture, steps: list[_Step], depth_m: NDArray[np.float32] | None) -> Composition:
    depth = _checked_depth(picture, depth_m)
    ordered = sorted(steps, key=lambda step: (step.spec.stage, step.spec.name.value))
    _check_compatible(ordered)
    acting = [step for step in ordered if step.parameters is not None]
    assumed: dict[str, tuple[str, ...]] = {}

    encoded = picture.image_srgb_u8
    light_steps = [step for step in acting if step.spec.stage.is_light]
    if light_steps:
        light = SceneLight(_read_only(linear_from_srgb(picture.image_srgb)), depth)
        for step in light_steps:
            light = _apply_to_light(step, light, picture, assumed)
        encoded = u8_from_srgb(srgb_from_linear(light.image_linear))
    for step in acting:
        if not step.spec.stage.is_light:
            encoded = _apply_to_encoded(step, encoded, picture, assumed)

    depth_hash = _depth_sha256(depth)
    records = tuple(_record(step, picture, depth_hash, assumed.get(step.spec.name.value, ())) for step in ordered)
    if not acting:
        return Composition(picture, records)
    done = ", ".join(f"{step.spec.name.value} {step.severity or 'custom'}" for step in acting)
    return Composition(Picture(encoded, source=picture.source, notes=(*picture.notes, f"degraded: {done}")), records)


def _apply_to_light(
    step: _Step, light: SceneLight, picture: Picture, assumed: dict[str, tuple[str, ...]]
) -> SceneLight:
    function = step.spec.on_light
    if function is None or step.parameters is None:
        raise BenchDataError(f"degradation {step.spec.name.value!r} does not act on light; register it for its stage")
    effect = function(light, step.parameters, _noise_rng(step, picture))
    image = effect.image_linear
    if image.shape != light.image_linear.shape or not np.isfinite(image).all():
        raise BenchDataError(
            f"degradation {step.spec.name.value!r} returned shape {image.shape} or values that are not finite; "
            f"it must keep {light.image_linear.shape} and stay finite"
        )
    assumed[step.spec.name.value] = effect.approximations
    return SceneLight(_read_only(np.asarray(image, dtype=np.float32)), light.depth_m)


def _apply_to_encoded(
    step: _Step, encoded: NDArray[np.uint8], picture: Picture, assumed: dict[str, tuple[str, ...]]
) -> NDArray[np.uint8]:
    function = step.spec.on_encoded
    if function is None or step.parameters is None:
        raise BenchDataError(f"degradation {step.spec.name.value!r} does not act on 8-bit values; register it so")
    effect = function(encoded, step.parameters, _noise_rng(step, picture))
    if effect.image_srgb_u8.shape != encoded.shape or effect.image_srgb_u8.dtype != np.uint8:
        raise BenchDataError(
            f"degradation {step.spec.name.value!r} returned {effect.image_srgb_u8.shape} of "
            f"{effect.image_srgb_u8.dtype}; it must keep {encoded.shape} of uint8"
        )
    assumed[step.spec.name.value] = effect.approximations
    return effect.image_srgb_u8


def _noise_rng(step: _Step, picture: Picture) -> np.random.Generator:
    return derived_rng("noise", step.spec.name.value, step.spec.version, step.seed, picture.sha256)


def _record(
    step: _Step, picture: Picture, depth_sha256: str | None, approximations: tuple[str, ...]
) -> DegradationRecord:
    return DegradationRecord(
        name=step.spec.name.value,
        severity=step.severity,
        parameters={} if step.parameters is None else step.parameters.model_dump(exclude_none=True),
        seed=step.seed,
        version=step.spec.version,
        approximations=approximations,
        picture_sha256=picture.sha256,
        depth_sha256=depth_sha256,
    )


def _check_compatible(steps: list[_Step]) -> None:
    names = [step.spec.name for step in steps]
    for name in names:
        if names.count(name) > 1:
            raise BenchDataError(f"degradation {name.value!r} is listed twice; one picture is formed once")
    sensors = [step.spec.name.value for step in steps if step.spec.stage is FormationStage.SENSOR and step.parameters]
    if len(sensors) > 1:
        raise BenchDataError(
            f"{' and '.join(sensors)} are both models of the sensor, and a picture has one; keep one of them"
        )


def _checked_depth(picture: Picture, depth_m: NDArray[np.float32] | None) -> NDArray[np.float32] | None:
    if depth_m is None:
        return None
    depth = np.asarray(depth_m, dtype=np.float32)
    if depth.shape != (picture.height, picture.width):
        raise BenchDataError(
            f"{picture.source}: the depth map is {depth.shape}, the picture {(picture.height, picture.width)}; "
            "resample the depth (nearest) to the picture first"
        )
    # Zero, negative and infinite depths mean "nothing measured" in every depth format.
    depth = np.where(np.isfinite(depth) & (depth > 0), depth, np.float32(np.nan))
    if np.isnan(depth).all():
        raise BenchDataError(f"{picture.source}: the depth map has no valid value (> 0, finite); leave it out")
    return _read_only(depth)


def _depth_sha256(depth_m: NDArray[np.float32] | None) -> str | None:
    if depth_m is None:
        return None
    depth = np.ascontiguousarray(depth_m, dtype=np.float32)
    depth = np.where(np.isfinite(depth) & (depth > 0), depth, np.float32(np.nan))
    return hashlib.sha256(f"{depth.shape}".encode() + depth.tobytes()).hexdigest()


def _read_only(array: NDArray[np.float32]) -> NDArray[np.float32]:
    view = np.ascontiguousarray(array).view()
    view.setflags(write=False)
    return view


def names_on_photographs() -> tuple[Stress, ...]:
    """The degradations that run on a plain photograph, in the order of image formation."""
    specs = sorted((spec for _, spec in DEGRADATION_REGISTRY.specs()), key=lambda spec: (spec.stage, spec.name.value))
    return tuple(spec.name for spec in specs)
