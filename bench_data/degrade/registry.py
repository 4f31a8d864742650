"""What a degradation is: its parameters, its place in image formation, its function, and the registry of all.

A picture is formed in a fixed order: light leaves the scene, crosses the air, passes the lens, is collected over the
exposure time, becomes numbers in the sensor, and is then resampled and coded. Everything up to the sensor works on
linear light; what comes later works on the 8-bit sRGB picture. :class:`FormationStage` is that order.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from ..cameras import Camera
from ..errors import BenchDataError
from ..registry import Registry
from ..stress import Stress
from .pixel_map import PixelMap
from .view_plan import ViewPlan

__all__ = [
    "DEGRADATION_REGISTRY",
    "DegradationParameters",
    "DegradationSpec",
    "EncodedEffect",
    "FormationStage",
    "LightEffect",
    "OnEncoded",
    "OnLight",
    "OnView",
    "SceneLight",
    "Severity",
    "codec_degradation",
    "light_degradation",
]

Severity = int | Literal["bench"]
"""0 (identity), 1 (mild) to 5 (near the published range), or "bench" (the published range)."""


class FormationStage(IntEnum):
    """Where in image formation a degradation acts; compositions run in this order."""

    SCENE = 0
    ATMOSPHERE = 1
    LENS = 2
    MOTION = 3
    SENSOR = 4
    RESAMPLING = 5
    CODEC = 6

    @property
    def is_light(self) -> bool:
        """True up to the sensor: the degradation acts on linear light, not on 8-bit values."""
        return self <= FormationStage.SENSOR


class DegradationParameters(BaseModel):
    """Physical parameters of one degradation. Units stand in the field names."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @classmethod
    @abstractmethod
    def sample(cls, severity: Severity, rng: np.random.Generator) -> Self:
        """Draws parameters for severity 1 to 5 or "bench"; severity 0 has none, it leaves the picture alone."""


@dataclass(frozen=True)
class SceneLight:
    """What a degradation of light is given.

    Args:
        image_linear: (H, W, 3) float32, linear light, 1 = display white; may exceed 1 before the sensor. Read-only.
        depth_m: (H, W) float32, depth along the optical axis in metres, NaN = unknown; None when there is none.
        camera: that took the picture, for the angle of view; None for a photograph whose camera is not known.
        far_m: the depth that counts as far in this scene (its 95th percentile), shared by all its views; None to take
            it from the picture's own depth.
    """

    image_linear: NDArray[np.float32]
    depth_m: NDArray[np.float32] | None = None
    camera: Camera | None = None
    far_m: float | None = None


@dataclass(frozen=True)
class LightEffect:
    """The light afterwards, (H, W, 3) float32, what had to be assumed to compute it, and where pixels went.

    ``pixel_map`` starts from the camera that was given, or an assumed one; None when pixels stayed where they were.
    """

    image_linear: NDArray[np.float32]
    approximations: tuple[str, ...] = ()
    pixel_map: PixelMap | None = None


@dataclass(frozen=True)
class EncodedEffect:
    """The picture afterwards, (H, W, 3) uint8, and what had to be assumed to compute it."""

    image_srgb_u8: NDArray[np.uint8]
    approximations: tuple[str, ...] = ()


ParametersT = TypeVar("ParametersT", bound=DegradationParameters)
OnLight = Callable[[SceneLight, ParametersT, np.random.Generator], LightEffect]
OnView = Callable[[ViewPlan, ParametersT], ViewPlan]
OnEncoded = Callable[[NDArray[np.uint8], ParametersT, np.random.Generator], EncodedEffect]


@dataclass(frozen=True)
class DegradationSpec:
    """One registered degradation. Exactly one of ``on_light`` and ``on_encoded`` is set, as ``stage`` says.

    ``on_view`` is how it acts on a scene when it changes the rendering instead. ``per_pixel`` tells that a pixel
    depends on its own light and depth only, so that on a scene it acts in every instant of the exposure; it is given no
    camera there, and perhaps only some rows.
    """

    name: Stress
    summary: str
    stage: FormationStage
    version: str
    parameters: type[DegradationParameters]
    on_light: OnLight[DegradationParameters] | None = None
    on_encoded: OnEncoded[DegradationParameters] | None = None
    on_view: OnView[DegradationParameters] | None = None
    per_pixel: bool = False

    @property
    def formation_order(self) -> tuple[float, str]:
        """What degradations are sorted by before they act.

        What sits on the lens (drops, flare) comes after the motion: it moves along with the camera, so that motion
        neither smears nor shears it.
        """
        on_the_lens = self.stage is FormationStage.LENS and self.on_view is None
        return (FormationStage.MOTION + 0.5 if on_the_lens else float(self.stage)), self.name.value


DEGRADATION_REGISTRY: Registry[DegradationSpec] = Registry(
    "degradation", package="seeworthy.bench_data.degrade", entry_point_group="seeworthy.degradations"
)


def light_degradation(
    name: Stress,
    *,
    summary: str,
    stage: FormationStage,
    parameters: type[ParametersT],
    version: str = "1",
    on_view: OnView[ParametersT] | None = None,
    per_pixel: bool = False,
) -> Callable[[OnLight[ParametersT]], OnLight[ParametersT]]:
    """Registers a function ``(light, parameters, rng) -> LightEffect`` that acts before or in the sensor.

    Args:
        on_view: ``(plan, parameters) -> plan`` for scenes, where the function is not called; see `DegradationSpec`.
        per_pixel: see `DegradationSpec`.
    """
    if not stage.is_light:
        raise BenchDataError(
            f"degradation {name.value!r}: stage {stage.name} comes after the sensor; use codec_degradation"
        )
    if per_pixel and (stage > FormationStage.ATMOSPHERE or on_view is not None):
        raise BenchDataError(
            f"degradation {name.value!r}: only what happens before the lens and is not part of the rendering acts in "
            "every instant; leave per_pixel out"
        )

    def register(function: OnLight[ParametersT]) -> OnLight[ParametersT]:
        def act_on_light(light: SceneLight, values: DegradationParameters, rng: np.random.Generator) -> LightEffect:
            return function(light, _expect(name, values, parameters), rng)

        def act_on_view(plan: ViewPlan, values: DegradationParameters) -> ViewPlan:
            return plan if on_view is None else on_view(plan, _expect(name, values, parameters))

        spec = DegradationSpec(
            name,
            summary,
            stage,
            version,
            parameters,
            on_light=act_on_light,
            on_view=None if on_view is None else act_on_view,
            per_pixel=per_pixel,
        )
        DEGRADATION_REGISTRY.add(name.value, spec)
        return function

    return register


def codec_degradation(
    name: Stress, *, summary: str, stage: FormationStage, parameters: type[ParametersT], version: str = "1"
) -> Callable[[OnEncoded[ParametersT]], OnEncoded[ParametersT]]:
    """Registers a function ``(image_srgb_u8, parameters, rng) -> EncodedEffect`` that acts after the sensor."""
    if stage.is_light:
        raise BenchDataError(
            f"degradation {name.value!r}: stage {stage.name} is before the codec; use light_degradation"
        )

    def register(function: OnEncoded[ParametersT]) -> OnEncoded[ParametersT]:
        def on_encoded(
            image_srgb_u8: NDArray[np.uint8], values: DegradationParameters, rng: np.random.Generator
        ) -> EncodedEffect:
            return function(image_srgb_u8, _expect(name, values, parameters), rng)

        DEGRADATION_REGISTRY.add(
            name.value, DegradationSpec(name, summary, stage, version, parameters, on_encoded=on_encoded)
        )
        return function

    return register


def _expect(name: Stress, values: DegradationParameters, kind: type[ParametersT]) -> ParametersT:
    if not isinstance(values, kind):
        raise BenchDataError(
            f"degradation {name.value!r} takes {kind.__name__}, got {type(values).__name__}; build it from that class"
        )
    return values
