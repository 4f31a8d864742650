"""One Gaussian against its definition: o exp(-d^T S^-1 d / 2), with S from a numerical derivative of the camera."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.render import Defocus, render
from seeworthy.bench_data.rotations import matrix_from_quat
from seeworthy.bench_data.splats import GaussianCloud, sh_colours
from tests.bench_data.render.scenes import blob

ALPHA_MIN = 1 / 255


def plain_camera(width: int = 48, height: int = 40) -> Camera:
    return Camera(
        width=width,
        height=height,
        fx=40.0,
        fy=44.0,
        cx=width / 2 + 1.3,
        cy=height / 2 - 0.7,
        world_from_camera=np.eye(4),
    )


def projected_covariance(cloud: GaussianCloud, camera: Camera) -> NDArray[np.float64]:
    """(2, 2) J S J^T in pixels, J by central differences of `Camera.project`."""
    mean, step = cloud.means[0].astype(np.float64), 1e-5
    columns = []
    for axis in np.eye(3) * step:
        ahead, behind = camera.project([mean + axis, mean - axis]).points_px
        columns.append((ahead - behind) / (2 * step))
    J = np.stack(columns, axis=1)
    M = J @ (matrix_from_quat(cloud.quats_wxyz[0]) * cloud.scales[0].astype(np.float64))
    return np.asarray(M @ M.T)


def alpha_by_definition(
    cloud: GaussianCloud, camera: Camera, *, defocus: Defocus | None = None, antialiased: bool = False
) -> NDArray[np.float64]:
    """(H, W)."""
    seen = camera.project(cloud.means.astype(np.float64))
    sharp = projected_covariance(cloud, camera)
    filtered = sharp + 0.3 * np.eye(2)
    opacity = float(cloud.opacities[0])
    if antialiased:
        opacity *= np.sqrt(np.linalg.det(sharp) / np.linalg.det(filtered))
    spread = filtered
    if defocus is not None:
        z = seen.depth_m[0]
        coc = min(defocus.aperture_px * abs(z - defocus.focus_m) / z, 0.25 * camera.width)
        spread = filtered + coc**2 * np.eye(2)
        opacity *= np.sqrt(np.linalg.det(filtered) / np.linalg.det(spread))
    v, u = np.mgrid[: camera.height, : camera.width] + 0.5
    d = np.stack([u, v], axis=-1) - seen.points_px[0]
    sigma = 0.5 * np.einsum("hwi,ij,hwj->hw", d, np.linalg.inv(spread), d)
    alpha = np.minimum(0.999, opacity * np.exp(-sigma))
    return np.where(alpha >= ALPHA_MIN, alpha, 0.0)


def assert_same_alpha(drawn: NDArray[np.float32], truth: NDArray[np.float64]) -> None:
    """Equal to float32, except where alpha is within rounding of its minimum."""
    certain = np.abs(truth - ALPHA_MIN) > 1e-5
    assert np.abs(drawn - truth)[certain].max() < 2e-5


ENGINES = ("numba", "reference")
TURNED = (0.8, 0.3, -0.4, 0.33166248)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("model", ["pinhole", "fisheye"])
@pytest.mark.parametrize(
    ("defocus", "antialiased"),
    [
        (None, False),
        (None, True),
        (Defocus(aperture_px=4.0, focus_m=1.0), False),
        (Defocus(aperture_px=50, focus_m=9), True),
    ],
    ids=["sharp", "antialiased", "defocus", "defocus at its limit"],
)
@pytest.mark.parametrize("mean", [(0.1, -0.2, 2.0), (-0.9, 0.6, 1.9), (0.0, 0.0, 3.0)])
def test_alpha_is_the_definition(
    mean: tuple[float, float, float], defocus: Defocus | None, antialiased: bool, model: str, engine: str
) -> None:
    camera = plain_camera()
    if model == "fisheye":
        camera = replace(camera, model="fisheye", distortion=(-0.1, 0.02, 0.003, -0.001))
    cloud = blob(mean, scale=(0.25, 0.02, 0.1), quat=TURNED, opacity=0.9)
    drawn = render(cloud, camera, engine=engine, defocus=defocus, antialiased=antialiased)
    assert_same_alpha(drawn.alpha, alpha_by_definition(cloud, camera, defocus=defocus, antialiased=antialiased))


@settings(max_examples=60, deadline=None)
@given(
    x=st.floats(-1.2, 1.2),
    y=st.floats(-1.0, 1.0),
    z=st.floats(0.5, 6.0),
    scales=st.tuples(*[st.floats(0.003, 0.6)] * 3),
    quat=st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda q: sum(v * v for v in q) > 0.1),
    opacity=st.floats(0.01, 1.0),
    fisheye=st.booleans(),
)
def test_any_gaussian_is_drawn_where_it_should_be(
    x: float,
    y: float,
    z: float,
    scales: tuple[float, float, float],
    quat: tuple[float, float, float, float],
    opacity: float,
    fisheye: bool,
) -> None:
    camera = plain_camera()
    if fisheye:
        camera = replace(camera, model="fisheye", distortion=(-0.1, 0.02, 0.003, -0.001))
    else:
        # Outside of 1.3 times the field of view the linearisation is taken at its edge, not at the mean.
        assume(abs(x / z - 1.3 / 40 * -1) < 0.6 and abs(y / z) < 0.45)
    unit = tuple(np.asarray(quat) / np.linalg.norm(quat))
    cloud = blob((x, y, z), scale=scales, quat=unit, opacity=opacity)  # type: ignore[arg-type]
    drawn = render(cloud, camera, engine="numba", threads=1)
    assert_same_alpha(drawn.alpha, alpha_by_definition(cloud, camera))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_colour_is_that_of_its_side(engine: str, degree: int, rng_seed: int = 3) -> None:
    rng = np.random.default_rng(rng_seed)
    base = blob((0.3, -0.2, 2.0), scale=0.3, opacity=1.0)
    cloud = replace(base, sh=rng.normal(0, 0.15, (1, 16, 3)).astype(np.float32))
    pose = np.eye(4)
    pose[:3, 3] = (0.5, 0.1, -0.4)
    camera = plain_camera().with_pose(pose)
    drawn = render(cloud, camera, engine=engine, sh_degree=degree)
    direction = cloud.means[0] - camera.centre_m
    direction = direction / np.linalg.norm(direction)
    truth = sh_colours(cloud.sh[:, : (degree + 1) ** 2], direction[None])[0]
    v, u = (int(value) for value in camera.project(cloud.means).points_px[0][::-1])
    seen = drawn.image_srgb[v, u] / drawn.alpha[v, u]
    assert np.allclose(seen, truth, atol=2e-6)


@pytest.mark.parametrize("engine", ENGINES)
def test_outside_the_monotone_angle_a_fisheye_sees_nothing(engine: str) -> None:
    """The polynomial turns back at 1.191 rad and would show a ghost of what lies beyond."""
    camera = replace(plain_camera(200, 200), model="fisheye", distortion=(-0.235, 0.0, 0.0, 0.0), max_theta_rad=1.5)
    for theta, visible in ((1.0, True), (1.18, True), (1.25, False), (1.45, False)):
        cloud = blob((3 * np.sin(theta), 0.0, 3 * np.cos(theta)), scale=0.05)
        assert bool(render(cloud, camera, engine=engine).alpha.max() > 0.1) is visible


@pytest.mark.parametrize("engine", ENGINES)
def test_defocus_keeps_the_light_and_zero_aperture_changes_nothing(engine: str) -> None:
    cloud, camera = blob((0.0, 0.0, 2.0), scale=0.05, opacity=0.3), plain_camera(160, 160)
    sharp = render(cloud, camera, engine=engine, alpha_min=1e-5)
    off = render(cloud, camera, engine=engine, alpha_min=1e-5, defocus=Defocus(aperture_px=0.0, focus_m=1.0))
    spread = render(cloud, camera, engine=engine, alpha_min=1e-5, defocus=Defocus(aperture_px=6.0, focus_m=1.0))
    assert np.array_equal(off.image_srgb, sharp.image_srgb)
    assert spread.alpha.max() < 0.3 * sharp.alpha.max()
    assert spread.alpha.sum() == pytest.approx(sharp.alpha.sum(), rel=5e-3)
