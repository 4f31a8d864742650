"""The order of image formation: light first, then the sensor, then the 8-bit picture; and what was done to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import BenchDataError
from ..images.colour import linear_from_srgb, srgb_from_linear, u8_from_srgb
from ..images.picture import Picture
from .record import Composition, DegradationRecord
from .registry import DegradationParameters, DegradationSpec, FormationStage, SceneLight, Severity
from .scene_depth import depth_sha256
from .seeds import derived_rng

__all__ = ["Step", "form"]


@dataclass(frozen=True)
class Step:
    """One degradation ready to run; ``parameters`` is None at severity 0."""

    spec: DegradationSpec
    severity: Severity | None
    parameters: DegradationParameters | None
    seed: int


def form(picture: Picture, steps: list[Step], depth: NDArray[np.float32] | None) -> Composition:
    """Runs the steps in the order of image formation.

    Args:
        depth: (H, W) float32 in metres, NaN = unknown, of the picture's size; None without.

    Raises:
        BenchDataError: a name twice, two sensors, or a degradation that breaks its promises.
    """
    ordered = sorted(steps, key=lambda step: (step.spec.stage, step.spec.name.value))
    _check_compatible(ordered)
    acting = [step for step in ordered if step.parameters is not None]
    assumed: dict[str, tuple[str, ...]] = {}

    encoded = picture.image_srgb_u8
    light_steps = [step for step in acting if step.spec.stage.is_light]
    if light_steps:
        known_depth = None if depth is None else _read_only(depth)
        light = SceneLight(_read_only(linear_from_srgb(picture.image_srgb)), known_depth)
        for step in light_steps:
            light = _apply_to_light(step, light, picture, assumed)
        encoded = u8_from_srgb(srgb_from_linear(light.image_linear))
    for step in acting:
        if not step.spec.stage.is_light:
            encoded = _apply_to_encoded(step, encoded, picture, assumed)

    depth_hash = depth_sha256(depth)
    records = tuple(_record(step, picture, depth_hash, assumed.get(step.spec.name.value, ())) for step in ordered)
    if not acting:
        return Composition(picture, records)
    done = ", ".join(f"{step.spec.name.value} {step.severity or 'custom'}" for step in acting)
    return Composition(Picture(encoded, source=picture.source, notes=(*picture.notes, f"degraded: {done}")), records)


def _apply_to_light(step: Step, light: SceneLight, picture: Picture, assumed: dict[str, tuple[str, ...]]) -> SceneLight:
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
    step: Step, encoded: NDArray[np.uint8], picture: Picture, assumed: dict[str, tuple[str, ...]]
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


def _noise_rng(step: Step, picture: Picture) -> np.random.Generator:
    return derived_rng("noise", step.spec.name.value, step.spec.version, step.seed, picture.sha256)


def _record(step: Step, picture: Picture, depth_hash: str | None, approximations: tuple[str, ...]) -> DegradationRecord:
    return DegradationRecord(
        name=step.spec.name.value,
        severity=step.severity,
        parameters={} if step.parameters is None else step.parameters.model_dump(exclude_none=True),
        seed=step.seed,
        version=step.spec.version,
        approximations=approximations,
        picture_sha256=picture.sha256,
        depth_sha256=depth_hash,
    )


def _check_compatible(steps: list[Step]) -> None:
    names = [step.spec.name for step in steps]
    for name in names:
        if names.count(name) > 1:
            raise BenchDataError(f"degradation {name.value!r} is listed twice; one picture is formed once")
    sensors = [step.spec.name.value for step in steps if step.spec.stage is FormationStage.SENSOR and step.parameters]
    if len(sensors) > 1:
        raise BenchDataError(
            f"{' and '.join(sensors)} are both models of the sensor, and a picture has one; keep one of them"
        )


def _read_only(array: NDArray[np.float32]) -> NDArray[np.float32]:
    view = np.ascontiguousarray(array).view()
    view.setflags(write=False)
    return view
