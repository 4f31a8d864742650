"""Parameters there and back, their rates, and rows that come and go."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.fit import FitSettings, Growth, LearningRates
from seeworthy.bench_data.fit.parameters import (
    NAMES,
    activated,
    cloud_from_parameters,
    make_optimisers,
    parameters_from_cloud,
    position_rate,
    reset_opacities,
    rows_kept_and_added,
)
from tests.bench_data.render.scenes import furnished_room


def test_a_cloud_comes_back() -> None:
    cloud = furnished_room(500)
    again = cloud_from_parameters(parameters_from_cloud(cloud))
    for name in ("means", "quats_wxyz", "scales", "opacities", "sh"):
        assert np.abs(getattr(again, name) - getattr(cloud, name)).max() <= 1e-4, name


def test_opacities_of_zero_and_one_stay_finite() -> None:
    cloud = replace(furnished_room(2), opacities=np.array([0, 1], np.float32))
    parameters = parameters_from_cloud(cloud)
    assert bool(torch.isfinite(parameters["opacities"]).all())
    assert cloud_from_parameters(parameters).opacities == pytest.approx([0, 1], abs=2e-4)


@pytest.mark.parametrize(("degree", "count"), [(0, 1), (1, 4), (2, 9), (3, 16)])
def test_bands_of_colour_are_used_up_to_a_degree(degree: int, count: int) -> None:
    assert activated(parameters_from_cloud(furnished_room(5)), degree).sh.shape == (5, count, 3)


def test_the_rate_of_positions_falls_exponentially() -> None:
    rates = LearningRates(means_first=1e-2, means_last=1e-4)
    assert position_rate(0, 101, rates, 5.0) == pytest.approx(5e-2)
    assert position_rate(50, 101, rates, 5.0) == pytest.approx(5e-3)
    assert position_rate(100, 101, rates, 5.0) == pytest.approx(5e-4)
    assert position_rate(0, 1, rates, 5.0) == pytest.approx(5e-2)


class TestRows:
    def stepped(self) -> tuple[dict[str, torch.nn.Parameter], dict[str, torch.optim.Optimizer]]:
        parameters = parameters_from_cloud(furnished_room(4))
        optimisers = make_optimisers(parameters, LearningRates())
        rng = torch.Generator().manual_seed(0)
        for name in NAMES:
            parameters[name].grad = torch.randn(parameters[name].shape, generator=rng)
            optimisers[name].step()
        return parameters, optimisers

    def test_moments_follow_their_rows_and_new_rows_have_none(self) -> None:
        parameters, optimisers = self.stepped()
        before = {name: p.detach().clone() for name, p in parameters.items()}
        moments = {name: optimisers[name].state[parameters[name]]["exp_avg"].clone() for name in NAMES}
        added = {name: p[:1] + 1 for name, p in before.items()}
        rows_kept_and_added(parameters, optimisers, torch.tensor([3, 1]), added)
        for name in NAMES:
            assert torch.equal(parameters[name], torch.cat([before[name][[3, 1]], added[name]]))
            state = optimisers[name].state[parameters[name]]
            assert torch.equal(state["exp_avg"][:2], moments[name][[3, 1]])
            assert float(state["exp_avg"][2:].abs().sum() + state["exp_avg_sq"][2:].abs().sum()) == 0
            assert float(state["step"]) == 1
            assert len(optimisers[name].state) == 1

    def test_the_optimiser_moves_the_new_rows(self) -> None:
        parameters, optimisers = self.stepped()
        rows_kept_and_added(parameters, optimisers, torch.tensor([0, 2]))
        before = parameters["means"].detach().clone()
        parameters["means"].grad = torch.ones_like(parameters["means"])
        optimisers["means"].step()
        assert float((parameters["means"].detach() - before).abs().min()) > 0

    def test_before_the_first_step_there_are_no_moments(self) -> None:
        parameters = parameters_from_cloud(furnished_room(4))
        optimisers = make_optimisers(parameters, LearningRates())
        rows_kept_and_added(parameters, optimisers, torch.tensor([2]))
        assert len(parameters["means"]) == 1
        assert len(optimisers["means"].state) == 0

    def test_a_reset_lowers_opacities_only(self) -> None:
        parameters, optimisers = self.stepped()
        means = parameters["means"].detach().clone()
        faint = torch.logit(torch.tensor(0.003))
        with torch.no_grad():
            parameters["opacities"][0] = faint
        reset_opacities(parameters, optimisers, 0.01)
        assert float(torch.sigmoid(parameters["opacities"].detach()).max()) == pytest.approx(0.01)
        assert float(parameters["opacities"].detach()[0]) == pytest.approx(float(faint))
        assert torch.equal(parameters["means"], means)
        assert float(optimisers["opacities"].state[parameters["opacities"]]["exp_avg"].abs().sum()) == 0


class TestSettings:
    @pytest.mark.parametrize(
        ("change", "word"),
        [
            ({"steps": 0}, "steps"),
            ({"max_gaussians": 0}, "max_gaussians"),
            ({"sh_degree": 4}, "sh_degree"),
            ({"sh_every": 0}, "sh_every"),
            ({"dssim_weight": 1.5}, "dssim_weight"),
            ({"depth_weight": -1.0}, "depth_weight"),
            ({"depth_weight": float("nan")}, "depth_weight"),
            ({"background": (0.0, 2.0, 0.0)}, "background"),
        ],
    )
    def test_nonsense_is_refused(self, change: dict[str, object], word: str) -> None:
        with pytest.raises(BenchDataError, match=word):
            FitSettings(**change)  # type: ignore[arg-type]

    def test_rates_and_growth_too(self) -> None:
        with pytest.raises(BenchDataError, match="quats"):
            LearningRates(quats=0.0)
        with pytest.raises(BenchDataError, match="every"):
            Growth(every=0)
        with pytest.raises(BenchDataError, match="start_share"):
            Growth(start_share=0.6, stop_share=0.5)

    def test_rounds_of_the_published_schedule(self) -> None:
        growth = Growth()
        rounds, resets = growth.rounds(30_000), growth.resets(30_000)
        assert (rounds[0], rounds[-1], rounds.step) == (600, 15_000, 100)
        assert list(resets) == [3000, 6000, 9000, 12_000, 15_000]

    def test_a_short_fit_grows_early_and_a_very_short_one_not_at_all(self) -> None:
        assert list(Growth().rounds(1000)) == [200, 300, 400, 500]
        assert list(Growth().rounds(100)) == []
        assert list(Growth().resets(1000)) == []

    def test_bands_of_colour_come_one_by_one(self) -> None:
        settings = FitSettings(sh_degree=2, sh_every=10)
        assert [settings.sh_degree_at(step) for step in (0, 9, 10, 20, 30)] == [0, 0, 1, 2, 2]
