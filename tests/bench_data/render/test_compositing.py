"""How Gaussians cover each other, pixel by pixel, worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.render import Defocus, Render, RenderSettings, render
from seeworthy.bench_data.splats import GaussianCloud
from tests.bench_data.render.scenes import a_camera, a_cloud, blob, furnished_room

ENGINES = ("numba", "reference")
RED, GREEN, BLUE = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def camera(width: int = 33, height: int = 33) -> Camera:
    """Looks along z; the middle of the middle pixel is on the axis."""
    return Camera(
        width=width, height=height, fx=20.0, fy=20.0, cx=width / 2, cy=height / 2, world_from_camera=np.eye(4)
    )


def wall(z: float, opacity: float, colour: tuple[float, float, float], instance: int = -1) -> GaussianCloud:
    """A Gaussian so wide that its alpha is its opacity all over the picture."""
    return blob((0.0, 0.0, z), scale=(3e3, 3e3, 0.01), opacity=opacity, colour=colour, instance=instance)


def middle(drawn: Render) -> tuple[np.ndarray, float, float]:
    return drawn.image_srgb[16, 16], float(drawn.alpha[16, 16]), float(drawn.depth_m[16, 16])


@pytest.mark.parametrize("engine", ENGINES)
def test_near_covers_far_whatever_their_order_in_the_cloud(engine: str) -> None:
    near, far = wall(2.0, 0.6, RED), wall(4.0, 0.5, GREEN)
    for cloud in (a_cloud(near, far), a_cloud(far, near)):
        colour, alpha, depth_m = middle(render(cloud, camera(), engine=engine))
        assert np.allclose(colour, [0.6, 0.4 * 0.5, 0.0], atol=1e-6)
        assert alpha == pytest.approx(0.8, abs=1e-6)
        assert depth_m == pytest.approx((0.6 * 2 + 0.2 * 4) / 0.8, abs=1e-5)


@pytest.mark.parametrize("engine", ENGINES)
def test_equal_depths_keep_the_order_of_the_cloud(engine: str) -> None:
    colour, _, _ = middle(render(a_cloud(wall(2.0, 0.9, RED), wall(2.0, 0.9, GREEN)), camera(), engine=engine))
    assert np.allclose(colour, [0.9, 0.09, 0.0], atol=1e-6)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_gaussian_that_would_use_up_the_light_is_dropped(engine: str) -> None:
    # 0.1 and 0.01 of the light are left; the third would leave 1e-5, so it and the fourth are not drawn.
    cloud = a_cloud(wall(1.0, 0.9, RED), wall(2.0, 0.9, RED), wall(3.0, 0.999, GREEN), wall(4.0, 0.1, BLUE))
    colour, alpha, _ = middle(render(cloud, camera(), engine=engine))
    assert np.allclose(colour, [0.99, 0.0, 0.0], atol=1e-6)
    assert alpha == pytest.approx(0.99, abs=1e-6)


@pytest.mark.parametrize("engine", ENGINES)
def test_limits_of_alpha(engine: str) -> None:
    opaque = wall(2.0, 1.0, RED)
    assert render(opaque, camera(), engine=engine).alpha.max() == pytest.approx(0.999, abs=1e-6)
    assert render(opaque, camera(), engine=engine, max_alpha=0.99).alpha.max() == pytest.approx(0.99, abs=1e-6)
    faint = wall(2.0, 0.5 / 255, RED)
    assert render(faint, camera(), engine=engine).alpha.max() == 0
    assert render(faint, camera(), engine=engine, alpha_min=0.1 / 255).alpha.max() == pytest.approx(0.5 / 255, rel=1e-4)


@pytest.mark.parametrize("engine", ENGINES)
def test_background_shows_through(engine: str) -> None:
    drawn = render(wall(2.0, 0.6, RED), camera(), engine=engine, background=(0.5, 1.0, 0.25))
    assert np.allclose(middle(drawn)[0], [0.6 + 0.4 * 0.5, 0.4, 0.1], atol=1e-6)


@pytest.mark.parametrize("engine", ENGINES)
def test_colours_end_at_one(engine: str) -> None:
    drawn = render(wall(2.0, 0.9, (3.0, -2.0, 0.5)), camera(), engine=engine)
    assert np.allclose(middle(drawn)[0], [1.0, 0.0, 0.45], atol=1e-6)


@pytest.mark.parametrize("engine", ENGINES)
def test_depth_is_unknown_where_less_than_half_is_covered(engine: str) -> None:
    for opacity, known in ((0.49, False), (0.51, True)):
        drawn = render(wall(2.0, opacity, RED, 7), camera(), engine=engine, instances=True, median_depth=True)
        assert drawn.median_depth_m is not None
        assert drawn.instance_ids is not None
        assert np.isfinite(drawn.depth_m).all() == known
        assert np.isfinite(drawn.median_depth_m).all() == known
        assert (drawn.instance_ids == (7 if known else -1)).all()


@pytest.mark.parametrize("engine", ENGINES)
def test_median_depth_is_that_of_a_thing_and_expected_depth_lies_between(engine: str) -> None:
    cloud = a_cloud(wall(2.0, 0.4, RED), wall(6.0, 0.5, GREEN), wall(9.0, 0.9, BLUE))
    drawn = render(cloud, camera(), engine=engine, median_depth=True)
    assert drawn.median_depth_m is not None
    assert drawn.median_depth_m[16, 16] == pytest.approx(6.0)
    assert 2.0 < drawn.depth_m[16, 16] < 6.0


@pytest.mark.parametrize("engine", ENGINES)
def test_the_instance_with_the_larger_sum_wins_over_the_largest_single_weight(engine: str) -> None:
    cloud = a_cloud(wall(1.0, 0.35, RED, 4), *(wall(2.0 + i, 0.3, GREEN, 9) for i in range(5)))
    drawn = render(cloud, camera(), engine=engine, instances=True)
    assert drawn.instance_ids is not None
    assert (drawn.instance_ids == 9).all()


def test_an_instance_with_more_than_half_is_always_found() -> None:
    """Many strangers before, between and after; 2^30 is beyond what a float32 tells apart."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        strangers = rng.permutation(12) + 2**30
        parts = [wall(1.0 + i, float(rng.uniform(0.02, 0.06)), RED, int(name)) for i, name in enumerate(strangers)]
        parts.insert(int(rng.integers(0, 8)), wall(0.5 + float(rng.uniform(0, 8)), 0.8, GREEN, 2**30 + 50))
        drawn = render(a_cloud(*parts), camera(), engine="numba", instances=True)
        assert drawn.instance_ids is not None
        assert (drawn.instance_ids == 2**30 + 50).all()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("cloud", [GaussianCloud.empty(3), wall(-2.0, 0.9, RED), wall(0.005, 0.9, RED)])
def test_nothing_to_see_is_the_background(cloud: GaussianCloud, engine: str) -> None:
    drawn = render(cloud, camera(), engine=engine, background=(0.1, 0.2, 0.3))
    assert np.allclose(drawn.image_srgb, [0.1, 0.2, 0.3])
    assert drawn.alpha.max() == 0
    assert np.isnan(drawn.depth_m).all()


@pytest.mark.parametrize(("width", "height"), [(1, 1), (1, 100), (31, 33), (32, 32), (65, 7), (640, 2)])
def test_any_size(width: int, height: int) -> None:
    small = camera(width, height)
    cloud = blob((0.0, 0.0, 2.0), scale=0.3, opacity=0.9)
    drawn, truth = (render(cloud, small, engine=engine) for engine in ENGINES)
    assert drawn.image_srgb.shape == (height, width, 3)
    assert np.abs(drawn.image_srgb - truth.image_srgb).max() < 0.5 / 255


@pytest.mark.parametrize("scale", [1e-30, 1e-6, 1e3, 1e10, 1e20, 3e38])
@pytest.mark.parametrize("mean", [(0.0, 0.0, 0.011), (0.0, 0.0, 1e9), (1e30, 0.0, 1.0), (-3e38, 3e38, 3e38)])
def test_absurd_numbers_neither_crash_nor_leave_the_range(scale: float, mean: tuple[float, float, float]) -> None:
    for shape in (scale, (scale, 1e-9, 1e-9), (1e-9, scale, scale)):
        for lens in (None, Defocus(aperture_px=1e6, focus_m=1e6)):
            for view in (camera(), replace(camera(), model="fisheye")):
                cloud = blob(mean, scale=shape, opacity=1.0, quat=(0.5, 0.5, -0.5, 0.5))
                drawn = render(cloud, view, engine="numba", defocus=lens)
                assert ((drawn.image_srgb >= 0) & (drawn.image_srgb <= 1)).all()
                assert ((drawn.alpha >= 0) & (drawn.alpha < 1)).all()


def test_arrays_that_cannot_be_written_to_draw_the_same() -> None:
    cloud = furnished_room(500)
    assert not cloud.means.flags.writeable
    assert render(cloud, a_camera(40, 30), engine="numba").alpha.mean() > 0.2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"background": (0.0, 0.5)}, "background"),
        ({"background": "white"}, "background"),
        ({"background": (0.0, 0.5, 1.5)}, "background"),
        ({"background": (0.0, 0.5, float("nan"))}, "background"),
        ({"sh_degree": 4}, "sh_degree"),
        ({"sh_degree": -1}, "sh_degree"),
        ({"max_alpha": 1.0}, "max_alpha"),
        ({"max_alpha": 0.0}, "max_alpha"),
        ({"alpha_min": 0.0}, "alpha_min"),
        ({"alpha_min": float("nan")}, "alpha_min"),
        ({"threads": 0}, "threads"),
        ({"engine": "opengl"}, "engine"),
    ],
)
def test_bad_settings_are_named(options: dict[str, object], message: str) -> None:
    with pytest.raises(BenchDataError, match=message):
        render(blob((0, 0, 2)), camera(), **{"engine": "numba", **options})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"aperture_px": -1.0, "focus_m": 1.0}, "aperture_px"),
        ({"aperture_px": float("inf"), "focus_m": 1.0}, "aperture_px"),
        ({"aperture_px": 1.0, "focus_m": 0.0}, "focus_m"),
        ({"aperture_px": 1.0, "focus_m": float("nan")}, "focus_m"),
        ({"aperture_px": 1.0, "focus_m": 1.0, "largest_coc_share": -0.1}, "largest_coc_share"),
    ],
)
def test_bad_lenses_are_named(fields: dict[str, float], message: str) -> None:
    with pytest.raises(BenchDataError, match=message):
        Defocus(**fields)


def test_instances_of_a_cloud_without_any_are_refused() -> None:
    cloud = blob((0, 0, 2)).with_instance_ids(None)
    with pytest.raises(BenchDataError, match="with_instance_ids"):
        render(cloud, camera(), engine="numba", instances=True)


def test_settings_are_values() -> None:
    assert RenderSettings() == RenderSettings(background=(0.0, 0.0, 0.0))
    assert hash(RenderSettings()) == hash(RenderSettings())
