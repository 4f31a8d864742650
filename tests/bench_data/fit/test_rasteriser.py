"""Pictures and gradients of the numba rasteriser against a dense float64 renderer that torch differentiates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from torch import Tensor

from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.fit.rasteriser import Drawn, rasterise_cpu
from seeworthy.bench_data.render.reference import composite
from seeworthy.bench_data.render.settings import RenderSettings
from seeworthy.bench_data.render.torch_projection import CloudTensors, Projected, cloud_tensors, project
from seeworthy.bench_data.splats import GaussianCloud
from tests.bench_data.fit.scenes import cloud_of_dots
from tests.bench_data.render.scenes import a_camera, a_cloud, blob, fisheye, fluffy_room, furnished_room

DEFAULT = RenderSettings()
SMOOTH = RenderSettings(alpha_min=1e-7, max_alpha=0.9999)
"""No step of 1/255 at the rim of a Gaussian, which finite differences would trip over."""


def oracle(projected: Projected, camera: Camera, settings: RenderSettings) -> Drawn:
    drawn = composite(projected, camera, settings)
    # Where nothing is drawn the picture is a constant, which torch refuses to differentiate.
    return Drawn(drawn.image + 0 * projected.colours.sum(), drawn.depth_sum, drawn.alpha)


def a_loss(drawn: Drawn) -> Tensor:
    """Any smooth function of everything that is drawn, in which no two pixels weigh the same."""
    height, width = drawn.alpha.shape
    rng = torch.Generator().manual_seed(7)
    weights = torch.rand(height, width, 5, generator=rng, dtype=torch.float64) - 0.4
    image = (drawn.image * weights[..., :3]).sum() + (drawn.image**2).mean()
    return image + 0.3 * (drawn.depth_sum * weights[..., 3]).sum() + (drawn.alpha * weights[..., 4]).sum()


def gradients(
    cloud: GaussianCloud,
    camera: Camera,
    settings: RenderSettings,
    draw: Callable[..., Drawn] = rasterise_cpu,
) -> tuple[Drawn, list[Tensor]]:
    """What is drawn, and the derivatives of `a_loss` by everything in the cloud."""
    leaves = [tensor.double().requires_grad_() for tensor in cloud_tensors(cloud)]
    drawn = draw(project(CloudTensors(*leaves), camera, settings), camera, settings)
    a_loss(drawn).backward()
    return drawn, [leaf.grad if leaf.grad is not None else torch.zeros_like(leaf) for leaf in leaves]


CASES: dict[str, tuple[Callable[[], GaussianCloud], Camera, RenderSettings]] = {
    "room": (lambda: furnished_room(2500), a_camera(), DEFAULT),
    "fluff": (lambda: fluffy_room(2500), a_camera(97, 71), DEFAULT),
    "fisheye": (lambda: furnished_room(2500), fisheye(a_camera(96, 72)), DEFAULT),
    "off centre, antialiased": (
        lambda: furnished_room(2500),
        replace(a_camera(80, 60), cx=20.0),
        RenderSettings(antialiased=True),
    ),
    "other limits": (lambda: furnished_room(2500), a_camera(80, 60), RenderSettings(alpha_min=1e-3, max_alpha=0.7)),
    "smaller than a tile": (lambda: furnished_room(2500), a_camera(13, 11), DEFAULT),
}


@pytest.mark.parametrize(("make_cloud", "camera", "settings"), CASES.values(), ids=list(CASES))
def test_pictures_and_gradients_agree_with_the_oracle(
    make_cloud: Callable[[], GaussianCloud], camera: Camera, settings: RenderSettings
) -> None:
    cloud = make_cloud()
    ours, our_gradients = gradients(cloud, camera, settings)
    true, true_gradients = gradients(cloud, camera, settings, oracle)
    assert float((ours.image - true.image).detach().abs().mean()) <= 2e-7
    assert float((ours.alpha - true.alpha).detach().abs().mean()) <= 2e-7
    assert float((ours.depth_sum - true.depth_sum).detach().abs().mean()) <= 2e-6
    for name, got, wanted in zip(CloudTensors._fields, our_gradients, true_gradients, strict=True):
        # A pixel where alpha crosses its minimum in float32 only is off by 1/255 of its part.
        assert float((got - wanted).norm() / wanted.norm()) <= 1e-4, name


def test_gradients_agree_with_finite_differences() -> None:
    camera = a_camera(33, 21)
    cloud = cloud_of_dots(np.random.default_rng(3), 12, camera)
    _, found = gradients(cloud, camera, SMOOTH)
    leaves = [tensor.double() for tensor in cloud_tensors(cloud)]
    step = 1e-6

    def loss_at(kind: int, index: tuple[int, ...], shift: float) -> float:
        moved = [leaf.clone() for leaf in leaves]
        moved[kind][index] += shift
        return float(a_loss(oracle(project(CloudTensors(*moved), camera, SMOOTH), camera, SMOOTH)))

    rng = np.random.default_rng(0)
    for kind, name in enumerate(CloudTensors._fields):
        largest = float(found[kind].abs().max())
        for _ in range(6):
            index = tuple(int(rng.integers(side)) for side in leaves[kind].shape)
            slope = (loss_at(kind, index, step) - loss_at(kind, index, -step)) / (2 * step)
            assert float(found[kind][index]) == pytest.approx(slope, abs=2e-5 * largest + 1e-6), (name, index)


@hypothesis_settings(max_examples=25, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 2**32 - 1),
    count=st.integers(1, 60),
    width=st.integers(1, 70),
    height=st.integers(1, 50),
    opacity=st.floats(0.05, 1.0),
)
def test_any_cloud_agrees_with_the_oracle(seed: int, count: int, width: int, height: int, opacity: float) -> None:
    camera = a_camera(width, height)
    cloud = cloud_of_dots(np.random.default_rng(seed), count, camera, opacity=opacity)
    ours, our_gradients = gradients(cloud, camera, SMOOTH)
    true, true_gradients = gradients(cloud, camera, SMOOTH, oracle)
    assert float((ours.image - true.image).detach().abs().max()) <= 2e-5 * max(
        1.0, float(true.image.detach().abs().max())
    )
    for name, got, wanted in zip(CloudTensors._fields, our_gradients, true_gradients, strict=True):
        # Float32 keeps this much of a sum in which terms cancel: relative to all, not to each.
        assert float((got - wanted).abs().max()) <= 3e-4 * float(wanted.abs().max()) + 1e-6, name


class TestOpaque:
    def test_what_is_behind_a_finished_pixel_has_no_gradient(self) -> None:
        # 0.03, 0.03^2, and then 0.03^3, which is below what ends a pixel.
        layers = [blob((4.0 + 0.1 * i, 3.0, 1.2), scale=90.0, opacity=0.97, colour=(0.2, 0.4, 0.9)) for i in range(6)]
        _, [means, _, _, opacities, sh] = gradients(a_cloud(*layers), a_camera(32, 24), DEFAULT)
        for gradient in (means, opacities, sh):
            assert float(gradient[2:].abs().sum()) == 0
        assert float(opacities[:2].abs().min()) > 0

    def test_alpha_at_its_maximum_does_not_depend_on_the_opacity(self) -> None:
        camera = a_camera(32, 24)
        one = blob((4.0, 3.0, 1.2), scale=50.0, opacity=1.0, colour=(0.2, 0.4, 0.9))
        _, [_, _, scales, opacities, sh] = gradients(one, camera, RenderSettings(max_alpha=0.5))
        assert float(opacities.abs().sum() + scales.abs().sum()) == 0
        assert float(sh.abs().min()) > 0


class TestNothing:
    def test_an_empty_cloud(self) -> None:
        drawn, _ = gradients(GaussianCloud.empty(), a_camera(40, 30), DEFAULT)
        assert float(drawn.image.detach().abs().max()) == 0
        assert drawn.alpha.shape == (30, 40)

    @pytest.mark.parametrize("mean", [(-4.0, 3.0, 1.2), (1.0, 1.0, 90.0)], ids=["behind", "beside"])
    def test_a_gaussian_out_of_sight(self, mean: tuple[float, float, float]) -> None:
        drawn, found = gradients(blob(mean), a_camera(40, 30), DEFAULT)
        assert float(drawn.alpha.detach().max()) == 0
        assert all(float(gradient.abs().max()) == 0 for gradient in found)

    def test_a_transparent_gaussian(self) -> None:
        drawn, found = gradients(blob((4.0, 3.0, 1.2), opacity=1 / 256), a_camera(40, 30), DEFAULT)
        assert float(drawn.alpha.detach().max()) == 0
        assert all(float(gradient.abs().max()) == 0 for gradient in found)


def test_bytes_do_not_depend_on_threads() -> None:
    cloud, camera = furnished_room(3000), a_camera()
    results = []
    for threads in (1, 2, 5):
        drawn, found = gradients(cloud, camera, DEFAULT, lambda *given, n=threads: rasterise_cpu(*given, threads=n))
        results.append([tensor.detach().numpy().tobytes() for tensor in (*drawn, *found)])
    assert results[0] == results[1] == results[2]


def test_single_precision_stays_single() -> None:
    tensors = [tensor.requires_grad_() for tensor in cloud_tensors(furnished_room(500))]
    drawn = rasterise_cpu(project(CloudTensors(*tensors), a_camera(40, 30), DEFAULT), a_camera(40, 30), DEFAULT)
    drawn.image.sum().backward()
    assert drawn.image.dtype == torch.float32
    assert tensors[0].grad is not None
    assert tensors[0].grad.dtype == torch.float32
    assert bool(torch.isfinite(tensors[0].grad).all())
