"""All pixels at once against the exact map of single points."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.degrade.camera_motion import CameraMotion
from seeworthy.bench_data.degrade.dense_map import TOLERANCE_PX, nominal_of_pixel_centres
from seeworthy.bench_data.degrade.distortion import DistortionParameters, distorted_camera
from seeworthy.bench_data.degrade.pixel_map import PixelMap
from seeworthy.bench_data.errors import BenchDataError

NOMINAL = Camera(width=120, height=90, fx=104, fy=101, cx=58, cy=46.5, world_from_camera=np.eye(4))
LENS = replace(NOMINAL, model="fisheye", distortion=(-0.235, 2e-4, 1.5e-4, 5e-5), max_theta_rad=1.5)
RIM = replace(LENS, fx=30, fy=31)
"""The image circle ends inside the picture, where the slope of the polynomial is zero."""
PAN = CameraMotion((0.2, -0.03, 0.05), (0.01, 0.11, -0.02))
TURN = CameraMotion((0.0, 0.0, 0.0), (0.01, 0.11, -0.02))
MAPS = {
    "nothing": PixelMap.identity(NOMINAL),
    "lens": PixelMap(NOMINAL, LENS),
    "rim": PixelMap(NOMINAL, RIM),
    "another focal length": PixelMap(NOMINAL, replace(NOMINAL, fx=80, fy=90, cx=61.25)),
    "turning readout": PixelMap(NOMINAL, NOMINAL, TURN),
    "readout of a plane": PixelMap(NOMINAL, NOMINAL, PAN, 2.5),
    "through the plane": PixelMap(NOMINAL, NOMINAL, CameraMotion((0.0, 0.0, 3.0), (0.0, 2.6, 0.0)), 1.0),
    "lens and readout": PixelMap(NOMINAL, LENS, PAN, 2.5),
    "rim and readout": PixelMap(NOMINAL, RIM, PAN, 2.5),
    "lens that sees behind itself": PixelMap(NOMINAL, replace(LENS, distortion=(0.0,) * 4, max_theta_rad=3.0, fx=20)),
    "fisheye from fisheye": PixelMap(LENS, replace(LENS, fx=90)),
}


def exact(found: PixelMap) -> np.ndarray:
    camera = found.degraded
    return found.to_nominal(camera.pixel_centres()).reshape(camera.height, camera.width, 2)


@pytest.mark.parametrize("name", MAPS)
def test_every_pixel_comes_from_where_the_exact_map_says(name: str) -> None:
    found, wanted = nominal_of_pixel_centres(MAPS[name]), exact(MAPS[name])
    np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted))
    # Sources far outside of the picture are large numbers; what is seen is within a fraction of the tolerance.
    near = (np.abs(wanted) < 1000).all(axis=2)
    assert near.any()
    assert np.abs(found - wanted)[near].max() < TOLERANCE_PX
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=TOLERANCE_PX)


def test_the_rim_is_inside_the_picture() -> None:
    assert 0.1 < np.isnan(exact(MAPS["rim"])).any(axis=2).mean() < 0.9


@settings(deadline=None, max_examples=40)
@given(
    width=st.integers(1, 90),
    height=st.integers(1, 90),
    focal_px=st.floats(5, 500),
    level=st.sampled_from([1, 3, 5, "bench"]),
    framing=st.sampled_from(["filled", "published"]),
    moves=st.booleans(),
)
def test_lenses_of_all_levels_on_pictures_of_all_sizes(
    width: int, height: int, focal_px: float, level: int, framing: str, moves: bool
) -> None:
    camera = Camera(
        width=width,
        height=height,
        fx=focal_px,
        fy=focal_px,
        cx=width / 2,
        cy=height / 2,
        world_from_camera=np.eye(4),
    )
    parameters = DistortionParameters.sample(level, np.random.default_rng(3)).model_copy(update={"framing": framing})
    try:
        lens = distorted_camera(camera, parameters, beyond_picture=False)
    except BenchDataError:
        return  # too wide a picture for this lens
    found = PixelMap(camera, lens, PAN, 3.0) if moves else PixelMap(camera, lens)
    np.testing.assert_allclose(nominal_of_pixel_centres(found), exact(found), rtol=1e-6, atol=TOLERANCE_PX)


def test_real_lenses_are_a_thousand_times_better_than_promised() -> None:
    camera = Camera(width=640, height=480, fx=554, fy=554, cx=320, cy=240, world_from_camera=np.eye(4))
    for level in (1, 3, 5, "bench"):
        parameters = DistortionParameters.sample(level, np.random.default_rng(8))  # type: ignore[arg-type]
        found = PixelMap(camera, distorted_camera(camera, parameters, beyond_picture=False))
        assert np.abs(nominal_of_pixel_centres(found) - exact(found)).max() < 1e-6


def test_a_map_that_needs_depth_says_so() -> None:
    with pytest.raises(BenchDataError, match="give depth_m"):
        nominal_of_pixel_centres(PixelMap(NOMINAL, NOMINAL, PAN))
