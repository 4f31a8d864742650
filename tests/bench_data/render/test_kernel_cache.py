"""Compiled code from disk is never used with other sources than it was made from."""

from __future__ import annotations

import logging
import shutil
from pathlib import Path

import pytest

from seeworthy.bench_data.render import drawing, render
from seeworthy.bench_data.render.cpu import kernels
from seeworthy.bench_data.render.cpu.warm_up import warm_up
from tests.bench_data.render.scenes import a_camera, blob


def test_a_change_of_any_source_changes_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = Path(kernels.__file__).parent
    copy = tmp_path / "render" / "cpu"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(package.parent / "settings.py", copy.parent)
    monkeypatch.setattr(kernels, "__file__", str(copy / "kernels.py"))
    unchanged = kernels.hash_of_sources()
    assert unchanged == kernels.SourceAwareCache.sources
    for name in ("layout.py", "ellipse.py", "../settings.py"):
        file = copy / name
        text = file.read_text()
        file.write_text(text + "\n")
        assert kernels.hash_of_sources() != unchanged, name
        file.write_text(text)
    assert kernels.hash_of_sources() == unchanged


def test_every_kernel_keeps_its_code_under_that_key() -> None:
    assert len(kernels.KERNELS) == 9
    for compiled in kernels.KERNELS:
        (signature, *_) = compiled.signatures
        assert (
            compiled._cache._index_key(signature, compiled.targetctx.codegen())[-1] == kernels.SourceAwareCache.sources
        )


def test_a_second_warm_up_has_nothing_to_compile() -> None:
    warm_up(extras=True)
    assert warm_up(extras=True) is None


def test_compiling_is_logged_once(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    drawing._prepare_kernels.cache_clear()
    monkeypatch.setattr("seeworthy.bench_data.render.cpu.warm_up._compiled", iter(range(0, 90, 9)).__next__)
    with caplog.at_level(logging.INFO, drawing.__name__):
        for _ in range(3):
            render(blob((4.0, 3.0, 1.2)), a_camera(16, 12), engine="numba")
    [record] = caplog.records
    assert "compiled 9 kernels" in record.message
    assert "kept in" in record.message


def test_without_a_folder_to_write_to_kernels_compile_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(function: object) -> object:
        raise RuntimeError("cannot cache function 'doubled': no locator available")

    monkeypatch.setattr(kernels, "SourceAwareCache", nowhere)
    known = len(kernels.KERNELS)

    def doubled(x: float) -> float:
        return 2 * x

    with pytest.warns(UserWarning, match="NUMBA_CACHE_DIR"):
        compiled = kernels.kernel(doubled)
    del kernels.KERNELS[known:]
    assert compiled(3.0) == 6.0
