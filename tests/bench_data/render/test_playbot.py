"""A scene that others made, read from its file and drawn: nobody's colours, sizes and harmonics but its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from seeworthy.bench_data.camera_formats import Z_UP_FROM_Y_DOWN
from seeworthy.bench_data.render import Render, render
from seeworthy.bench_data.render.views import overview
from seeworthy.bench_data.splats import GaussianCloud, read_splats

SCENES = Path(__file__).resolve().parents[4] / "shared" / "data" / "splats"
pytestmark = pytest.mark.skipif(not SCENES.is_dir(), reason=f"the PLAYBOT scene is not at {SCENES}")


def picture(level: int, engine: str = "numba", azimuth_rad: float = -np.pi / 3) -> tuple[GaussianCloud, Render]:
    cloud = read_splats(SCENES / f"playbot_lod{level}_sog")
    camera = overview(
        cloud, width=240, height=180, azimuth_rad=azimuth_rad, elevation_rad=0.15, z_up_from_world=Z_UP_FROM_Y_DOWN
    )
    return cloud, render(cloud, camera, engine=engine, background=(1.0, 1.0, 1.0))


def test_both_engines_draw_it_alike() -> None:
    (_, drawn), (_, truth) = (picture(5, engine) for engine in ("numba", "reference"))
    difference = np.abs(drawn.image_srgb - truth.image_srgb)
    assert difference.mean() <= 3e-6
    assert np.quantile(difference, 0.999) <= 5e-5


def test_it_is_a_bright_robot_over_dark_ground_under_white_sky() -> None:
    _, drawn = picture(3)
    red, green, blue = drawn.image_srgb[drawn.alpha > 0.95].T
    orange = (red > 0.55) & (green > 0.25) & (green < 0.75 * red) & (blue < 0.5 * red)
    assert 0.01 < orange.mean() < 0.3
    height = drawn.alpha.shape[0]
    # Sky above, ground below, and the ground is dark and nearer towards the bottom.
    assert drawn.alpha[: height // 20].mean() < 0.3
    ground = drawn.alpha > 0.95
    rows = np.where(ground.any(axis=1))[0]
    low, high = rows[-10], rows[-40]
    assert drawn.image_srgb[low][ground[low]].mean() < 0.4
    assert np.nanmedian(drawn.depth_m[low]) < np.nanmedian(drawn.depth_m[high])


def test_a_coarser_level_of_detail_is_the_same_picture_with_less_in_it() -> None:
    (fine_cloud, fine), (coarse_cloud, coarse) = picture(3), picture(5)
    assert len(fine_cloud) > 5 * len(coarse_cloud)
    overlap = (fine.alpha > 0.5) & (coarse.alpha > 0.5)
    assert overlap.sum() > 0.85 * (fine.alpha > 0.5).sum()
    error = np.sqrt(np.mean((fine.image_srgb - coarse.image_srgb)[overlap] ** 2))
    assert error < 0.12
