"""Which engine draws, and that the reason is said."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Iterator

import pytest

from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.render import RenderSettings, engines, render
from seeworthy.bench_data.render.engines import choose_engine, why_no_gsplat
from tests.bench_data.render.scenes import a_camera, blob


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    for memo in (why_no_gsplat, engines._say_once):
        memo.cache_clear()
    yield
    for memo in (why_no_gsplat, engines._say_once):
        memo.cache_clear()


@pytest.fixture
def cuda(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine on which CUDA and gsplat work, as far as the choice can see."""
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(engines, "_has_cuda_driver", lambda: True)
    monkeypatch.setattr(engines.importlib.util, "find_spec", lambda name: object())
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr("seeworthy.bench_data.render.gsplat_engine.draw_test_pattern", lambda: None)
    monkeypatch.setattr("seeworthy.bench_data.render.gsplat_engine.version", lambda name: "1.5.3")


def test_without_a_driver_the_cpu_draws_and_says_why_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(engines, "_has_cuda_driver", lambda: False)
    with caplog.at_level(logging.INFO, "seeworthy.bench_data.render.engines"):
        for _ in range(3):
            assert choose_engine("auto", RenderSettings()).engine == "numba"
    assert [record.message for record in caplog.records] == ["CPU engine: no CUDA driver"]


def test_without_a_driver_torch_is_not_even_imported() -> None:
    code = (
        "import sys\n"
        "from seeworthy.bench_data.render import RenderSettings, engines\n"
        "engines._has_cuda_driver = lambda: False\n"
        "assert engines.choose_engine('auto', RenderSettings()).engine == 'numba'\n"
        "assert not {'torch', 'gsplat', 'numba'} & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.usefixtures("cuda")
def test_gsplat_draws_where_it_works() -> None:
    assert choose_engine("auto", RenderSettings()).engine == "gsplat"
    assert choose_engine("gsplat", RenderSettings()).engine == "gsplat"
    assert choose_engine("numba", RenderSettings()).engine == "numba"


@pytest.mark.usefixtures("cuda")
@pytest.mark.parametrize(
    ("settings", "why"),
    [
        (RenderSettings(instances=True), "instance ids"),
        (RenderSettings(median_depth=True), "median depth"),
        (RenderSettings(alpha_min=1e-3), "alpha_min"),
        (RenderSettings(max_alpha=0.99), "max_alpha 0.999"),
    ],
)
def test_what_gsplat_cannot_draw_the_cpu_does(settings: RenderSettings, why: str) -> None:
    choice = choose_engine("auto", settings)
    assert choice.engine == "numba"
    assert why in choice.why
    with pytest.raises(BenchDataError, match=why):
        choose_engine("gsplat", settings)


@pytest.mark.usefixtures("cuda")
@pytest.mark.parametrize(
    ("failure", "why"),
    [
        (ImportError("cannot build: nvcc not found\nlong log"), "nvcc not found"),
        (RuntimeError("a test picture is wrong: alpha 0.1"), "test picture is wrong"),
        (OSError(), "no message"),
        (AttributeError("'NoneType' object has no attribute 'intersect_tile'"), "intersect_tile"),
    ],
)
def test_a_gsplat_that_fails_is_not_used(failure: Exception, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise failure

    monkeypatch.setattr("seeworthy.bench_data.render.gsplat_engine.draw_test_pattern", fail)
    choice = choose_engine("auto", RenderSettings())
    assert choice.engine == "numba"
    assert why in choice.why
    assert "\n" not in choice.why


@pytest.mark.usefixtures("cuda")
def test_a_newer_gsplat_needs_its_own_limit_of_alpha(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seeworthy.bench_data.render.gsplat_engine.version", lambda name: "1.6.0")
    assert "0.99" in choose_engine("auto", RenderSettings()).why
    assert choose_engine("auto", RenderSettings(max_alpha=0.99)).engine == "gsplat"


def test_torch_without_cuda_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(engines, "_has_cuda_driver", lambda: True)
    monkeypatch.setattr(engines.importlib.util, "find_spec", lambda name: object())
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert "torch sees no CUDA device" in choose_engine("auto", RenderSettings()).why


@pytest.mark.parametrize("missing", ["torch", "gsplat"])
def test_a_missing_package_is_said(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "_has_cuda_driver", lambda: True)
    monkeypatch.setattr(engines.importlib.util, "find_spec", lambda name: None if name == missing else object())
    assert f"{missing} is not installed" in choose_engine("auto", RenderSettings()).why


def test_the_reference_without_torch_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(BenchDataError, match="pip install"):
        choose_engine("reference", RenderSettings())


def test_a_render_names_its_engine() -> None:
    drawn = render(blob((4.0, 3.0, 1.2)), a_camera(16, 12), engine="reference")
    assert drawn.engine == "reference"
    assert drawn.max_alpha == 0.999
