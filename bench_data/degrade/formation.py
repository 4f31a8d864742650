"""The order of image formation: light first, then the sensor, then the 8-bit picture; and what was done to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ..cameras import Camera
from ..errors import BenchDataError
from ..images.colour import linear_from_u8, srgb_from_linear, u8_from_srgb
from ..images.picture import Picture
from .camera_hash import camera_sha256
from .photograph_camera import assumed_pinhole, depth_along
from .pixel_map import PixelMap
from .record import Composition, DegradationRecord, ViewRecord
from .registry import DegradationParameters, DegradationSpec, FormationStage, SceneLight, Severity
from .scene_depth import depth_sha256
from .seeds import derived_rng

__all__ = ["Formation", "RecordedInputs", "Step", "form", "formed_picture", "in_order", "read_only"]


@dataclass(frozen=True)
class Step:
    """One degradation ready to run; ``parameters`` is None at severity 0."""

    spec: DegradationSpec
    severity: Severity | None
    parameters: DegradationParameters | None
    seed: int


@dataclass(frozen=True)
class RecordedInputs:
    """What the records say of the input; see `DegradationRecord`."""

    picture_sha256: str
    depth_sha256: str | None = None
    camera_sha256: str | None = None
    view: ViewRecord | None = None


@dataclass
class Formation:
    """Runs steps and keeps what they assumed.

    Args:
        subject: what noise is drawn for, besides the seed: the hash of the picture or of the view.
    """

    subject: str
    assumed: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def on_light(self, step: Step, light: SceneLight) -> tuple[SceneLight, PixelMap | None]:
        """Light after one step, and where it put the pixels."""
        function, name = step.spec.on_light, step.spec.name.value
        if function is None or step.parameters is None:
            raise BenchDataError(f"degradation {name!r} does not act on light; register it for its stage")
        effect = function(light, step.parameters, self._noise_rng(step))
        image = effect.image_linear
        if image.shape != light.image_linear.shape or not np.isfinite(image).all():
            raise BenchDataError(
                f"degradation {name!r} returned shape {image.shape} or values that are not finite; "
                f"it must keep {light.image_linear.shape} and stay finite"
            )
        self.assumed[name] = effect.approximations
        after = replace(light, image_linear=read_only(np.asarray(image, dtype=np.float32)))
        if effect.pixel_map is not None:
            depth_m = depth_along(light.depth_m, effect.pixel_map)
            after = replace(after, depth_m=read_only_or_none(depth_m), camera=effect.pixel_map.degraded)
        return after, effect.pixel_map

    def on_encoded(self, step: Step, encoded: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The 8-bit picture (H, W, 3) after one step."""
        function, name = step.spec.on_encoded, step.spec.name.value
        if function is None or step.parameters is None:
            raise BenchDataError(f"degradation {name!r} does not act on 8-bit values; register it so")
        effect = function(encoded, step.parameters, self._noise_rng(step))
        if effect.image_srgb_u8.shape != encoded.shape or effect.image_srgb_u8.dtype != np.uint8:
            raise BenchDataError(
                f"degradation {name!r} returned {effect.image_srgb_u8.shape} of "
                f"{effect.image_srgb_u8.dtype}; it must keep {encoded.shape} of uint8"
            )
        self.assumed[name] = effect.approximations
        return effect.image_srgb_u8

    def records(self, ordered: Sequence[Step], inputs: RecordedInputs) -> tuple[DegradationRecord, ...]:
        """One record a step."""
        return tuple(
            DegradationRecord(
                name=step.spec.name.value,
                severity=step.severity,
                parameters={} if step.parameters is None else step.parameters.model_dump(exclude_none=True),
                seed=step.seed,
                version=step.spec.version,
                approximations=self.assumed.get(step.spec.name.value, ()),
                picture_sha256=inputs.picture_sha256,
                depth_sha256=inputs.depth_sha256,
                camera_sha256=inputs.camera_sha256,
                view=inputs.view,
            )
            for step in ordered
        )

    def _noise_rng(self, step: Step) -> np.random.Generator:
        return derived_rng("noise", step.spec.name.value, step.spec.version, step.seed, self.subject)


def form(
    picture: Picture, steps: list[Step], depth: NDArray[np.float32] | None, camera: Camera | None = None
) -> Composition:
    """Runs the steps on a photograph in the order of image formation.

    Args:
        depth: (H, W) float32 in metres, NaN = unknown, of the picture's size; None without.
        camera: that took the photograph; None where it is not known.

    Raises:
        BenchDataError: a name twice, two sensors, or a degradation that breaks its promises.
    """
    ordered = in_order(steps)
    acting = [step for step in ordered if step.parameters is not None]
    formation = Formation(picture.sha256)
    encoded, pixel_map = picture.image_srgb_u8, None
    light_steps = [step for step in acting if step.spec.stage.is_light]
    if light_steps:
        light = SceneLight(read_only(linear_from_u8(picture.image_srgb_u8)), read_only_or_none(depth), camera)
        for step in light_steps:
            light, moved = formation.on_light(step, light)
            if moved is not None:
                pixel_map = moved if pixel_map is None else pixel_map.then(moved)
        encoded = u8_from_srgb(srgb_from_linear(light.image_linear))
    if pixel_map is None:
        pixel_map = PixelMap.identity(camera or assumed_pinhole(picture.width, picture.height))
    for step in acting:
        if not step.spec.stage.is_light:
            encoded = formation.on_encoded(step, encoded)
    inputs = RecordedInputs(picture.sha256, depth_sha256(depth), None if camera is None else camera_sha256(camera))
    degraded = formed_picture(encoded, picture, acting) if acting else picture
    return Composition(degraded, formation.records(ordered, inputs), pixel_map)


def formed_picture(encoded: NDArray[np.uint8], clean: Picture, acting: Sequence[Step]) -> Picture:
    """The degraded pixels (H, W, 3) as a picture whose notes tell what was done."""
    done = ", ".join(f"{step.spec.name.value} {step.severity or 'custom'}" for step in acting)
    return Picture(encoded, source=clean.source, notes=(*clean.notes, f"degraded: {done}"))


def in_order(steps: Sequence[Step]) -> list[Step]:
    """The steps in the order in which they act.

    Raises:
        BenchDataError: a name twice, or two sensors.
    """
    names = [step.spec.name for step in steps]
    for name in names:
        if names.count(name) > 1:
            raise BenchDataError(f"degradation {name.value!r} is listed twice; one picture is formed once")
    ordered = sorted(steps, key=lambda step: step.spec.formation_order)
    sensors = [step.spec.name.value for step in ordered if step.spec.stage is FormationStage.SENSOR and step.parameters]
    if len(sensors) > 1:
        raise BenchDataError(
            f"{' and '.join(sensors)} are both models of the sensor, and a picture has one; keep one of them"
        )
    return ordered


def read_only(array: NDArray[np.float32]) -> NDArray[np.float32]:
    """A view of the array that cannot be written."""
    view = np.ascontiguousarray(array).view()
    view.setflags(write=False)
    return view


def read_only_or_none(array: NDArray[np.float32] | None) -> NDArray[np.float32] | None:
    return None if array is None else read_only(array)
