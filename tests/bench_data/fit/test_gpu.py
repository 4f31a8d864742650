"""The fit on CUDA against the one on the CPU; run by ``make gpu-check``."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from seeworthy.bench_data.fit import FitData, FitSettings, fit
from seeworthy.bench_data.fit.rasteriser import Rasterise, rasterise_cpu, rasterise_gsplat
from seeworthy.bench_data.render.engines import why_no_gsplat
from seeworthy.bench_data.render.settings import RenderSettings
from seeworthy.bench_data.render.torch_projection import CloudTensors, cloud_tensors, project
from tests.bench_data.fit.scenes import noisy_start, room_views
from tests.bench_data.render.scenes import a_camera, furnished_room

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module", autouse=True)
def _gsplat_works() -> None:
    reason = why_no_gsplat()
    if reason is not None:
        pytest.skip(f"the CUDA engine cannot run: {reason}")


def gradients(draw: Rasterise, device: str) -> list[torch.Tensor]:
    from seeworthy.bench_data.render.gsplat_engine import gsplat_max_alpha

    camera, settings = a_camera(), RenderSettings(max_alpha=gsplat_max_alpha())
    leaves = [t.requires_grad_() for t in cloud_tensors(furnished_room(3000), device=device)]
    drawn = draw(project(CloudTensors(*leaves), camera, settings), camera, settings)
    loss = (drawn.image**2).mean() + 0.1 * (drawn.depth_sum**2).mean() + (drawn.alpha**2).mean()
    loss.backward()
    return [torch.zeros_like(leaf).cpu() if leaf.grad is None else leaf.grad.cpu() for leaf in leaves]


def test_gradients_are_those_of_the_cpu() -> None:
    for name, cuda, cpu in zip(
        CloudTensors._fields, gradients(rasterise_gsplat, "cuda"), gradients(rasterise_cpu, "cpu"), strict=True
    ):
        assert float((cuda - cpu).norm() / cpu.norm()) < 1e-3, name


@pytest.mark.parametrize("grow", [False, True])
def test_a_fit_gets_as_far_as_on_the_cpu(grow: bool) -> None:
    data = FitData(views=room_views(6, depth=True))
    settings = FitSettings(steps=400, sh_degree=1, sh_every=100, max_gaussians=2000, grow=grow)
    reached = []
    for engine in ("gsplat", "numba"):
        result = fit(data, settings, initial=noisy_start(800), hold_out=0, engine=engine)
        assert len(result.cloud) <= 2000
        reached.append(np.mean([score.psnr_db for score in result.fitted]))
    assert abs(reached[0] - reached[1]) < 1.0
