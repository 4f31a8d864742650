"""The allocator settings are applied once, and nowhere but on glibc."""

from __future__ import annotations

import ctypes
import platform
from collections.abc import Iterator

import pytest

from seeworthy.bench_data import memory


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    memory.tune_glibc_malloc.cache_clear()
    yield
    memory.tune_glibc_malloc.cache_clear()


class FakeLibrary:
    """Stands for the C library; remembers what mallopt was told."""

    def __init__(self, answers: list[int]) -> None:
        self.calls: list[tuple[int, int]] = []
        answers = list(answers)

        def mallopt(option: int, value: int) -> int:
            self.calls.append((option, value))
            return answers.pop(0)

        self.mallopt = mallopt


def use(monkeypatch: pytest.MonkeyPatch, library: object, libc: str = "glibc") -> None:
    monkeypatch.setattr(platform, "libc_ver", lambda: (libc, "2.39"))
    monkeypatch.setattr(ctypes, "CDLL", lambda name: library)


def test_sets_both_options_once(monkeypatch: pytest.MonkeyPatch) -> None:
    library = FakeLibrary([1, 1])
    use(monkeypatch, library)
    assert memory.tune_glibc_malloc() is True
    assert memory.tune_glibc_malloc() is True
    # The numbers of M_MMAP_MAX and M_TRIM_THRESHOLD in glibc's malloc.h.
    assert library.calls == [(-4, 0), (-1, 2**31 - 1)]


@pytest.mark.parametrize("answers", [[0, 1], [1, 0], [0, 0]])
def test_says_when_an_option_was_refused(monkeypatch: pytest.MonkeyPatch, answers: list[int]) -> None:
    library = FakeLibrary(answers)
    use(monkeypatch, library)
    assert memory.tune_glibc_malloc() is False
    assert len(library.calls) == 2


@pytest.mark.parametrize("libc", ["", "musl", "libc"])
def test_leaves_other_systems_alone(monkeypatch: pytest.MonkeyPatch, libc: str) -> None:
    library = FakeLibrary([1, 1])
    use(monkeypatch, library, libc)
    assert memory.tune_glibc_malloc() is False
    assert library.calls == []


def test_survives_a_library_without_mallopt(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, object())
    assert memory.tune_glibc_malloc() is False


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="needs glibc")
def test_the_real_library_accepts_it() -> None:
    assert memory.tune_glibc_malloc() is True
