"""Density control against gsplat's own, which is plain torch and runs without CUDA."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from seeworthy.bench_data.fit import FitSettings, Growth
from seeworthy.bench_data.fit.growing import DensityControl, Grower, threshold_for_room
from seeworthy.bench_data.fit.gsplat_growing import GsplatGrower
from seeworthy.bench_data.fit.parameters import NAMES, activated, make_optimisers, parameters_from_cloud
from seeworthy.bench_data.fit.rasteriser import rasterise_cpu
from seeworthy.bench_data.render.settings import RenderSettings
from seeworthy.bench_data.render.torch_projection import project
from tests.bench_data.render.scenes import a_camera, furnished_room

EVERY = 3
EXTENT_M = 2.0
Parameters = dict[str, torch.nn.Parameter]


def settings_for(most: int = 10**6, **change: float) -> FitSettings:
    growth = Growth(every=EVERY, start_share=0, latest_start=0, stop_share=1, **change)  # type: ignore[arg-type]
    return FitSettings(steps=EVERY, max_gaussians=most, growth=growth, sh_degree=3)


def run_round(kind: type[DensityControl] | type[GsplatGrower], settings: FitSettings) -> tuple[Parameters, Grower]:
    """A few steps at which everything is pulled at, up to the first round of growth."""
    cloud = furnished_room(800)
    # One is nearly transparent, for certain.
    cloud = replace(cloud, opacities=np.where(np.arange(800) == 5, 0.003, np.maximum(cloud.opacities, 0.05)))
    parameters = parameters_from_cloud(cloud)
    optimisers = make_optimisers(parameters, settings.rates)
    grower: Grower = kind(parameters, optimisers, settings, EXTENT_M)
    for step in range(1, EVERY + 1):
        camera = a_camera(48, 36, eye=(1.0 + 0.2 * step, 1.0, 1.5))
        projected = grower.watched(project(activated(parameters, 3), camera, RenderSettings()))
        drawn = rasterise_cpu(projected, camera, RenderSettings(), threads=1)
        ((drawn.image - 0.5) ** 2).mean().backward()
        for name in NAMES:
            # The rates are nought, so that both see the same cloud whatever came before.
            optimisers[name].param_groups[0]["lr"] = 0.0
            optimisers[name].step()
            optimisers[name].zero_grad()
        grower.after_step(step, projected, camera)
    return parameters, grower


def rows(parameters: Parameters, *names: str) -> NDArray[np.float64]:
    """(N, C) rows of some parameters, in an order that does not depend on theirs."""
    table = torch.cat([parameters[name].detach().reshape(len(parameters[name]), -1) for name in names], 1)
    values = table.double().numpy()
    return values[np.lexsort(values.round(3).T)]


@pytest.mark.parametrize("large_share", [0.005, 0.3, 10.0], ids=["mostly split", "both", "all copied"])
def test_the_same_ones_are_copied_split_and_removed_as_by_gsplat(large_share: float) -> None:
    settings = settings_for(gradient=1e-6, large_share=large_share)
    ours, _ = run_round(DensityControl, settings)
    theirs, _ = run_round(GsplatGrower, settings)
    assert len(ours["means"]) > 830
    # Where a split half lies is chance; everything else is not.
    names = ("quats", "scales", "opacities", "sh0")
    assert rows(ours, *names) == pytest.approx(rows(theirs, *names), abs=1e-5)
    if large_share == 10.0:
        assert rows(ours, "means") == pytest.approx(rows(theirs, "means"), abs=1e-5)


def test_halves_lie_where_the_whole_was() -> None:
    settings = settings_for(gradient=0.0, large_share=1e-6)
    before = parameters_from_cloud(furnished_room(800))
    after, _ = run_round(DensityControl, settings)
    largest = torch.exp(before["scales"]).amax().item()
    distances = torch.cdist(after["means"].detach(), before["means"].detach()).amin(1)
    assert 0 < float(distances.max()) < 5 * largest
    shrunk = torch.exp(after["scales"].detach()).amax()
    assert float(shrunk) <= largest


def test_splits_depend_on_the_seed_only() -> None:
    settings = settings_for(gradient=1e-5, large_share=1e-6)
    first, again = (run_round(DensityControl, settings)[0] for _ in range(2))
    other, _ = run_round(DensityControl, replace(settings, seed=1))
    assert first["means"].detach().numpy().tobytes() == again["means"].detach().numpy().tobytes()
    assert first["means"].detach().numpy().tobytes() != other["means"].detach().numpy().tobytes()


@pytest.mark.parametrize("kind", [DensityControl, GsplatGrower])
@pytest.mark.parametrize("most", [700, 800, 830])
def test_there_are_never_more_than_allowed(kind: type[DensityControl] | type[GsplatGrower], most: int) -> None:
    parameters, _ = run_round(kind, settings_for(most, gradient=1e-5))
    assert len(parameters["means"]) <= max(most, 800)
    if most == 830:
        assert len(parameters["means"]) == 829  # one was transparent


@pytest.mark.parametrize("kind", [DensityControl, GsplatGrower])
def test_opacities_are_reset_when_it_is_time(kind: type[DensityControl] | type[GsplatGrower]) -> None:
    parameters, _ = run_round(kind, settings_for(gradient=1.0, reset_every=EVERY))
    assert float(torch.sigmoid(parameters["opacities"].detach()).max()) == pytest.approx(0.01, rel=1e-3)


def test_state_goes_round() -> None:
    settings = replace(settings_for(gradient=1e-4), steps=10 * EVERY)
    _, grower = run_round(DensityControl, settings)
    kept = {name: tensor.clone() for name, tensor in grower.state().items()}
    _, other = run_round(DensityControl, settings)
    other.restore(kept)
    assert all(torch.equal(kept[name], other.state()[name]) for name in kept)


class TestThreshold:
    pull = torch.tensor([0.1, 0.5, 0.3, 0.3, 0.2])

    def test_it_stays_where_there_is_room(self) -> None:
        assert threshold_for_room(self.pull, 0.15, 4) == 0.15

    @pytest.mark.parametrize("room", [0, -3])
    def test_nothing_grows_without_room(self, room: int) -> None:
        assert not (self.pull > threshold_for_room(self.pull, 0.0, room)).any()

    @pytest.mark.parametrize("room", [1, 2, 3, 4])
    def test_no_more_exceed_it_than_there_is_room_also_with_ties(self, room: int) -> None:
        assert 0 < int((self.pull > threshold_for_room(self.pull, 0.0, room)).sum()) <= room
