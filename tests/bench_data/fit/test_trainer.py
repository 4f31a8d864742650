"""The optimisation: it gets better, it is reproducible, and it can be stopped anywhere."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from seeworthy.bench_data.errors import BenchDataError, OutputError
from seeworthy.bench_data.fit import Fit, FitData, FitSettings, Growth, LearningRates, Trainer, fit
from seeworthy.bench_data.fit.checkpoint import read_checkpoint, write_checkpoint
from seeworthy.bench_data.splats import GaussianCloud
from tests.bench_data.fit.scenes import noisy_start, room_views

VIEWS = room_views(6)
QUICK = FitSettings(
    steps=40,
    sh_degree=1,
    sh_every=15,
    max_gaussians=700,
    random_background=True,
    growth=Growth(
        every=10, start_share=0, stop_share=0.8, latest_start=0, gradient=1e-6, reset_every=25, most_share=99.0
    ),
)
"""Short, but with every kind of thing that must survive a stop: growth, a reset, another band, chance."""


def bytes_of(cloud: GaussianCloud) -> bytes:
    return b"".join(a.tobytes() for a in (cloud.means, cloud.quats_wxyz, cloud.scales, cloud.opacities, cloud.sh))


def test_a_fit_draws_its_views_and_those_between_them() -> None:
    result = fit(
        FitData(views=VIEWS),
        FitSettings(steps=160, sh_degree=0, max_gaussians=1200),
        hold_out=3,
        initial=noisy_start(800),
        engine="numba",
    )
    assert result.finished
    assert [score.name for score in result.held_out] == ["0.png", "3.png"]
    before = Trainer(VIEWS, noisy_start(800), FitSettings(), engine="numba").scores(VIEWS)
    assert np.mean([score.psnr_db for score in before]) < 15
    assert np.mean([score.psnr_db for score in result.fitted]) > 21
    assert np.mean([score.psnr_db for score in result.held_out]) > 18
    assert np.mean([score.ssim for score in result.fitted]) > 0.8


def test_depth_is_learnt_where_it_is_measured() -> None:
    views = room_views(3, depth=True)

    def error_m(depth_weight: float) -> float:
        settings = FitSettings(steps=50, sh_degree=0, grow=False, depth_weight=depth_weight)
        trainer = Trainer(views, noisy_start(800), settings, engine="numba")
        for _ in range(settings.steps):
            trainer.advance()
        from seeworthy.bench_data.render import render

        off = [np.abs(render(trainer.cloud(), v.camera, engine="numba").depth_m - v.depth_m) for v in views]
        return float(np.nanmedian(np.concatenate(off)))

    with_depth, without = error_m(0.5), error_m(0.0)
    assert with_depth < 0.6 * without


@pytest.fixture(scope="module")
def whole() -> Fit:
    """A fit in one go."""
    return fit(FitData(views=VIEWS), QUICK, hold_out=3, initial=noisy_start(300), engine="numba")


class TestReproducible:
    def run(self, *, threads: int = 1, seed: int = 0) -> bytes:
        trainer = Trainer(VIEWS, noisy_start(300), replace(QUICK, seed=seed), engine="numba", threads=threads)
        for _ in range(QUICK.steps):
            trainer.advance()
        assert len(trainer) > 400
        return bytes_of(trainer.cloud())

    def test_same_seed_same_bytes_whatever_the_threads(self) -> None:
        before = torch.get_num_threads()
        try:
            torch.set_num_threads(2)
            first = self.run(threads=2)
            assert torch.get_num_threads() == 2
        finally:
            torch.set_num_threads(before)
        assert first == self.run()

    def test_another_seed_other_bytes(self) -> None:
        assert self.run() != self.run(seed=1)

    @pytest.mark.parametrize("stop", [1, 10, 23, 39])
    def test_stopped_and_resumed_is_the_same_as_in_one_go(self, stop: int, tmp_path: Path, whole: Fit) -> None:
        data, path = FitData(views=VIEWS), tmp_path / "fit.npz"
        common = {"hold_out": 3, "initial": noisy_start(300), "engine": "numba", "checkpoint": path}
        steps: list[int] = []
        part = fit(
            data,
            QUICK,
            on_step=lambda report: steps.append(report.step),
            should_stop=lambda: len(steps) == stop,
            **common,  # type: ignore[arg-type]
        )
        assert (part.finished, part.steps_done, part.fitted) == (False, stop, ())
        resumed = fit(data, QUICK, resume=True, **common)  # type: ignore[arg-type]
        assert bytes_of(resumed.cloud) == bytes_of(whole.cloud)
        assert resumed.report() == whole.report()
        # The last checkpoint stays until the result is stored, and gives it again without a step.
        again = fit(data, QUICK, resume=True, on_step=lambda report: pytest.fail("all was done"), **common)  # type: ignore[arg-type]
        assert bytes_of(again.cloud) == bytes_of(whole.cloud)


class TestCheckpoint:
    def stopped(self, path: Path) -> FitData:
        data = FitData(views=VIEWS)
        fit(data, QUICK, initial=noisy_start(300), engine="numba", checkpoint=path, should_stop=lambda: True)
        return data

    def test_other_settings_or_pictures_are_named(self, tmp_path: Path) -> None:
        path = tmp_path / "fit.npz"
        data = self.stopped(path)
        start = noisy_start(300)
        with pytest.raises(BenchDataError, match=r"another steps, seed;"):
            fit(data, replace(QUICK, steps=50, seed=4), initial=start, checkpoint=path, resume=True, engine="numba")
        with pytest.raises(BenchDataError, match=r"another hold_out;"):
            fit(data, QUICK, initial=start, checkpoint=path, resume=True, engine="numba", hold_out=2)
        with pytest.raises(BenchDataError, match=r"another start;"):
            fit(data, QUICK, initial=noisy_start(300, 1), checkpoint=path, resume=True, engine="numba")
        with pytest.raises(BenchDataError, match=r"another data"):
            fit(FitData(views=VIEWS[:5]), QUICK, initial=start, checkpoint=path, resume=True, engine="numba")

    def test_a_damaged_one_is_reported(self, tmp_path: Path) -> None:
        path = tmp_path / "fit.npz"
        data, options = self.stopped(path), {"initial": noisy_start(300), "checkpoint": path, "resume": True}
        whole = path.read_bytes()
        for damaged in (whole[: len(whole) // 2], b"", b"PK\x03\x04 nonsense", whole[:200] + bytes(100) + whole[300:]):
            path.write_bytes(damaged)
            with pytest.raises(BenchDataError, match="checkpoint"):
                fit(data, QUICK, engine="numba", **options)  # type: ignore[arg-type]
        path.unlink()
        with pytest.raises(BenchDataError, match="No such file"):
            fit(data, QUICK, engine="numba", **options)  # type: ignore[arg-type]

    def test_another_version_or_state_is_reported(self, tmp_path: Path) -> None:
        path = tmp_path / "fit.npz"
        write_checkpoint(path, {"a": np.arange(3)}, {"x": 1})
        arrays, meta = read_checkpoint(path)
        assert arrays["a"].tolist() == [0, 1, 2]
        assert meta["x"] == 1
        write_checkpoint(path, {}, {"format": 99})
        with pytest.raises(BenchDataError, match="another version"):
            read_checkpoint(path)
        trainer = Trainer(VIEWS, noisy_start(50), QUICK, engine="numba")
        with pytest.raises(BenchDataError, match="not the state of a fit"):
            trainer.restore({})
        other = Trainer(VIEWS, noisy_start(50), replace(QUICK, sh_degree=2), engine="numba")
        with pytest.raises(BenchDataError, match="SH degree"):
            trainer.restore(other.state())

    def test_resuming_needs_a_checkpoint(self) -> None:
        with pytest.raises(BenchDataError, match="resume"):
            fit(FitData(views=VIEWS), QUICK, initial=noisy_start(50), engine="numba", resume=True)

    def test_a_write_that_fails_leaves_the_old_one(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = tmp_path / "fit.npz"
        write_checkpoint(path, {"a": np.arange(3)}, {})
        before = path.read_bytes()

        def full_disk(descriptor: int) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("os.fsync", full_disk)
        with pytest.raises(OutputError, match=r"cannot write .*fit\.npz: .*space"):
            write_checkpoint(path, {"a": np.zeros(100)}, {})
        assert path.read_bytes() == before
        assert list(tmp_path.iterdir()) == [path]


class TestTrouble:
    def test_an_empty_start(self) -> None:
        with pytest.raises(BenchDataError, match="one Gaussian"):
            Trainer(VIEWS, GaussianCloud.empty(), QUICK, engine="numba")

    def test_engines_that_cannot_fit(self) -> None:
        with pytest.raises(BenchDataError, match="reference"):
            Trainer(VIEWS, noisy_start(10), QUICK, engine="reference")
        with pytest.raises(BenchDataError, match="engine"):
            Trainer(VIEWS, noisy_start(10), QUICK, engine="warp")

    def test_a_loss_that_explodes_is_reported_with_the_picture(self) -> None:
        rates = LearningRates(means_first=1e30, means_last=1e30, sh0=1e38)
        trainer = Trainer(VIEWS, noisy_start(200), replace(QUICK, rates=rates, grow=False), engine="numba")
        with pytest.raises(BenchDataError, match=r"the loss is .* at step \d+ \(\d\.png\)"):
            for _ in range(5):
                trainer.advance()

    def test_all_gone(self) -> None:
        growth = Growth(every=1, start_share=0, stop_share=1, latest_start=0, least_opacity=0.9)
        trainer = Trainer(VIEWS, noisy_start(200), replace(QUICK, growth=growth), engine="numba")
        with pytest.raises(BenchDataError, match="no Gaussian is left"):
            for _ in range(5):
                trainer.advance()


def test_a_kept_state_does_not_change_with_later_steps() -> None:
    trainer = Trainer(VIEWS, noisy_start(50), QUICK, engine="numba")
    trainer.advance()
    kept = trainer.state()
    copies = {name: array.copy() for name, array in kept.items()}
    trainer.advance()
    assert all(np.array_equal(kept[name], copies[name]) for name in kept)


def test_every_view_comes_once_before_any_comes_again() -> None:
    trainer = Trainer(VIEWS, noisy_start(50), QUICK, engine="numba")
    names = [trainer._view_at(step).name for step in range(18)]
    for epoch in range(3):
        assert sorted(names[6 * epoch : 6 * epoch + 6]) == [view.name for view in VIEWS]
    assert names[:6] != names[6:12]
