"""A camera in a small JSON file, for pictures of a scene from a chosen place.

Angles are in degrees and say so. The pose is either ``world_from_camera``, or ``look_from_m`` and ``look_at_m``; the
lens either ``fx`` and ``fy`` in pixels, or ``fov_deg`` across the picture's width:

    {"width": 640, "height": 480, "fov_deg": 60, "look_from_m": [1, 1, 1.5], "look_at_m": [4, 3, 1]}
"""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from ..camera_paths import look_at
from ..cameras import Camera
from ..errors import BenchDataError

__all__ = ["camera_as_json", "read_camera"]

_Finite = Annotated[float, Field(allow_inf_nan=False)]
_Point = tuple[_Finite, _Finite, _Finite]
_Row = tuple[_Finite, _Finite, _Finite, _Finite]


class _CameraFile(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    width: int = Field(ge=1)
    height: int = Field(ge=1)
    fx: _Finite | None = Field(default=None, gt=0)
    fy: _Finite | None = Field(default=None, gt=0)
    fov_deg: _Finite | None = Field(default=None, gt=0, lt=180)
    cx: _Finite | None = None
    cy: _Finite | None = None
    world_from_camera: tuple[_Row, _Row, _Row, _Row] | None = None
    look_from_m: _Point | None = None
    look_at_m: _Point | None = None
    up: _Point = (0.0, 0.0, 1.0)
    model: Literal["pinhole", "fisheye"] = "pinhole"
    distortion: _Row = (0.0, 0.0, 0.0, 0.0)
    max_theta_deg: _Finite = Field(default=180.0, gt=0)
    near_m: _Finite = Field(default=0.01, gt=0)
    far_m: _Finite = Field(default=1e10, gt=0)

    @model_validator(mode="after")
    def _one_lens_and_one_pose(self) -> Self:
        if (self.fov_deg is None) == (self.fx is None):
            raise ValueError("give either fx (and fy), or fov_deg")
        if self.fov_deg is not None and self.model == "fisheye":
            raise ValueError("a fisheye needs fx; fov_deg is for a pinhole")
        if (self.look_from_m is None) != (self.look_at_m is None):
            raise ValueError("look_from_m and look_at_m belong together")
        if (self.world_from_camera is None) == (self.look_from_m is None):
            raise ValueError("give either world_from_camera, or look_from_m and look_at_m")
        return self


def read_camera(path: str | os.PathLike[str]) -> Camera:
    """The camera of a JSON file in the form above.

    Raises:
        BenchDataError: no such file, no JSON, or a field that is missing, unknown or out of range, by name.
    """
    place = Path(path)
    try:
        fields = _CameraFile.model_validate(json.loads(place.read_text(encoding="utf-8")))
    except OSError as error:
        raise BenchDataError(f"cannot read {place}: {error.strerror or error}") from error
    except ValidationError as error:
        wrong = "; ".join(_in_words(problem["loc"], problem["msg"]) for problem in error.errors()[:3])
        raise BenchDataError(f"{place} is no camera: {wrong}") from error
    except ValueError as error:
        raise BenchDataError(f"{place} is no JSON text: {error}") from error
    if fields.look_from_m is not None and fields.look_at_m is not None:
        pose = look_at(fields.look_from_m, fields.look_at_m, up=fields.up)
    else:
        pose = np.asarray(fields.world_from_camera, dtype=np.float64)
    fx = fields.fx
    if fx is None:
        fx = fields.width / 2 / math.tan(math.radians(fields.fov_deg or 0.0) / 2)
    return Camera(
        width=fields.width,
        height=fields.height,
        fx=fx,
        fy=fx if fields.fy is None else fields.fy,
        cx=fields.width / 2 if fields.cx is None else fields.cx,
        cy=fields.height / 2 if fields.cy is None else fields.cy,
        world_from_camera=pose,
        model=fields.model,
        distortion=fields.distortion,
        max_theta_rad=math.radians(fields.max_theta_deg),
        near_m=fields.near_m,
        far_m=fields.far_m,
    )


def camera_as_json(camera: Camera) -> str:
    """The text from which `read_camera` makes the same camera."""
    fields = {
        "width": camera.width,
        "height": camera.height,
        "fx": camera.fx,
        "fy": camera.fy,
        "cx": camera.cx,
        "cy": camera.cy,
        "world_from_camera": camera.world_from_camera.tolist(),
        "model": camera.model,
        "distortion": list(camera.distortion),
        "max_theta_deg": math.degrees(camera.max_theta_rad),
        "near_m": camera.near_m,
        "far_m": camera.far_m,
    }
    return json.dumps(fields, indent=1) + "\n"


def _in_words(place: tuple[int | str, ...], message: str) -> str:
    where = ".".join(str(part) for part in place)
    return f"{where}: {message}" if where else message.removeprefix("Value error, ")
