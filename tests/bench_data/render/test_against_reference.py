"""Both engines' pictures against the float64 reference, within what float32 allows (see docs/rendering.md)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.render import Defocus, Render, RenderSettings, TangentLimits, render, render_many
from seeworthy.bench_data.render.reference import composite
from seeworthy.bench_data.render.torch_projection import cloud_tensors, project
from seeworthy.bench_data.splats import GaussianCloud
from tests.bench_data.render.scenes import a_camera, fisheye, fluffy_room, furnished_room


def off_centre(camera: Camera) -> Camera:
    return replace(camera, cx=0.3 * camera.width, cy=0.62 * camera.height, fy=1.1 * camera.fy)


CASES: dict[str, tuple[Callable[[], GaussianCloud], Camera, dict[str, object]]] = {
    "room": (furnished_room, a_camera(), {}),
    "another view of another room": (lambda: furnished_room(seed=5), a_camera(eye=(5.0, 1.0, 2.0)), {}),
    "fluff": (fluffy_room, a_camera(), {}),
    "off centre": (furnished_room, off_centre(a_camera()), {}),
    "fisheye": (furnished_room, fisheye(a_camera()), {}),
    "fisheye without distortion": (fluffy_room, fisheye(a_camera(), 0.0, 0.0), {}),
    "defocus": (furnished_room, a_camera(), {"defocus": Defocus(aperture_px=3.0, focus_m=3.0)}),
    "strong defocus near the focus": (fluffy_room, a_camera(), {"defocus": Defocus(aperture_px=9.0, focus_m=1.0)}),
    "defocus and fisheye": (
        furnished_room,
        fisheye(a_camera()),
        {"defocus": Defocus(aperture_px=2.0, focus_m=4.0), "antialiased": True},
    ),
    "antialiased, small, over a colour": (
        fluffy_room,
        a_camera(80, 60),
        {"antialiased": True, "background": (0.2, 0.5, 0.9)},
    ),
    "degree 1": (furnished_room, a_camera(), {"sh_degree": 1}),
    "other limits of alpha": (furnished_room, a_camera(), {"max_alpha": 0.99, "alpha_min": 1 / 1000}),
    "near and far": (furnished_room, replace(a_camera(), near_m=2.0, far_m=5.0), {}),
    "odd size": (furnished_room, a_camera(101, 67), {}),
}


@pytest.fixture(scope="module", params=CASES, ids=list(CASES))
def pair(request: pytest.FixtureRequest) -> tuple[Render, Render]:
    """The same picture from the CPU engine and from the reference."""
    make_cloud, camera, options = CASES[request.param]
    cloud = make_cloud()
    both = (
        render(cloud, camera, engine=engine, instances=True, median_depth=True, **options)  # type: ignore[arg-type]
        for engine in ("numba", "reference")
    )
    return next(both), next(both)


def test_colours(pair: tuple[Render, Render]) -> None:
    drawn, truth = pair
    difference = np.abs(drawn.image_srgb - truth.image_srgb)
    steps = np.abs(drawn.image_srgb_u8.astype(int) - truth.image_srgb_u8.astype(int))
    assert difference.mean() <= 3e-6
    assert np.quantile(difference, 0.999) <= 5e-5
    assert (steps > 1).mean() <= 1e-4
    # Alpha of one Gaussian may cross alpha_min, which is a step of 1/255.
    assert difference.max() <= 0.05


def test_coverage(pair: tuple[Render, Render]) -> None:
    drawn, truth = pair
    difference = np.abs(drawn.alpha - truth.alpha)
    assert difference.mean() <= 3e-6
    assert np.quantile(difference, 0.999) <= 5e-5


def test_depth(pair: tuple[Render, Render]) -> None:
    drawn, truth = pair
    known = (drawn.alpha >= 0.5) & (truth.alpha >= 0.5)
    assert np.isnan(drawn.depth_m[drawn.alpha < 0.5]).all()
    relative = np.abs(drawn.depth_m - truth.depth_m)[known] / truth.depth_m[known]
    assert relative.mean() <= 1e-5


def test_median_depth(pair: tuple[Render, Render]) -> None:
    drawn, truth = pair
    known = (drawn.alpha >= 0.5) & (truth.alpha >= 0.5)
    assert drawn.median_depth_m is not None
    assert truth.median_depth_m is not None
    # A transmittance within rounding of one half may be passed one Gaussian earlier.
    same = np.isclose(drawn.median_depth_m, truth.median_depth_m, rtol=1e-6)[known]
    assert same.mean() >= 0.999


@pytest.mark.parametrize("make_cloud", [furnished_room, fluffy_room], ids=["room", "fluff"])
def test_instances(make_cloud: Callable[[], GaussianCloud]) -> None:
    """Exact where one instance has more than half of a pixel, or no more than three share it."""
    import torch

    cloud, camera, settings = make_cloud(), a_camera(), RenderSettings(instances=True)
    assert cloud.instance_ids is not None
    ids, labels = np.unique(cloud.instance_ids, return_inverse=True)
    projected = project(cloud_tensors(cloud, dtype=torch.float64), camera, settings)
    weights = composite(projected, camera, settings, labels=torch.from_numpy(labels)).label_weights.numpy()
    ranked = np.sort(weights, axis=-1)
    known = weights.sum(-1) >= 0.5 + 1e-5
    majority = known & (ranked[..., -1] > (0.5 + 1e-5) * weights.sum(-1))
    few = known & ((weights > 0).sum(-1) <= 3) & (ranked[..., -1] > ranked[..., -2] + 1e-5)
    assert majority.mean() > 0.4
    assert few.sum() > 50

    drawn = render(cloud, camera, engine="numba", instances=True).instance_ids
    assert drawn is not None
    truth = ids[weights.argmax(-1)]
    assert (drawn[majority | few] == truth[majority | few]).all()
    assert (drawn[known] == truth[known]).mean() > 0.85


def test_extras_change_nothing_else(pair: tuple[Render, Render], request: pytest.FixtureRequest) -> None:
    drawn, _ = pair
    make_cloud, camera, options = CASES[request.node.callspec.params["pair"]]
    plain = render(make_cloud(), camera, engine="numba", **options)  # type: ignore[arg-type]
    assert plain.image_srgb.tobytes() == drawn.image_srgb.tobytes()
    assert plain.depth_m.tobytes() == drawn.depth_m.tobytes()
    assert plain.instance_ids is None
    assert plain.median_depth_m is None


@pytest.mark.parametrize("engine", ["numba", "reference"])
def test_rows_of_a_picture_look_as_in_the_whole(engine: str) -> None:
    # Large Gaussians whose middle is far outside the rows: a pinhole of these rows alone would linearise otherwise.
    cloud, camera = furnished_room(300), a_camera(48, 36)
    whole = next(render_many(cloud, [camera], RenderSettings(), engine=engine, threads=1))
    settings = RenderSettings(tangent_limits=TangentLimits.of(camera))
    rows = next(render_many(cloud, [camera.cropped(0, 14, 48, 3)], settings, engine=engine, threads=1))
    apart = np.abs(rows.image_srgb - whole.image_srgb[14:17])
    assert np.quantile(apart, 0.99) < 1e-5 and apart.max() < 5e-3
    alone = next(render_many(cloud, [camera.cropped(0, 14, 48, 3)], RenderSettings(), engine=engine, threads=1))
    assert np.abs(alone.image_srgb - whole.image_srgb[14:17]).max() > 10 * apart.max()
