"""Trace pages stay within their number and bytes, and nothing else in the folder is touched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from seeworthy.agent.server import traces
from seeworthy.agent.server.traces import TraceShelf


@pytest.fixture(autouse=True)
def pages_of_1000_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traces, "trace_page", lambda result: str(result).ljust(1000))


def put(shelf: TraceShelf, words: str = "page") -> str | None:
    return shelf.put(words)  # type: ignore[arg-type]  # the page is drawn by the fixture


def on_disk(folder: Path) -> set[str]:
    return {path.stem for path in folder.glob("*.html")}


def test_the_oldest_pages_make_room(tmp_path: Path) -> None:
    shelf = TraceShelf(tmp_path, max_count=3, max_bytes=10_000)
    names = [put(shelf, f"page {index}") for index in range(5)]
    assert None not in names
    assert len(set(names)) == 5
    assert on_disk(tmp_path) == set(names[2:])
    assert [shelf.get(str(name)) is None for name in names] == [True, True, False, False, False]
    assert shelf.get(str(names[4])) == b"page 4".ljust(1000)


def test_bytes_are_bounded_too(tmp_path: Path) -> None:
    shelf = TraceShelf(tmp_path, max_count=100, max_bytes=2_500)
    for index in range(6):
        put(shelf, f"page {index}")
        assert shelf.total_bytes <= 2_500
        assert sum(path.stat().st_size for path in tmp_path.iterdir()) == shelf.total_bytes
    assert len(shelf) == 2
    assert put(shelf, "x" * 3_000) is None, "a page beyond all bounds is not kept, and pushes nothing out"
    assert len(shelf) == 2


@pytest.mark.parametrize("bounds", [{"max_count": 0, "max_bytes": 10_000}, {"max_count": 5, "max_bytes": 0}])
def test_none_are_kept_where_none_are_wanted(tmp_path: Path, bounds: dict[str, int]) -> None:
    shelf = TraceShelf(tmp_path, **bounds)
    assert put(shelf) is None
    assert on_disk(tmp_path) == set()


def test_a_new_server_counts_the_pages_of_the_last_one_and_leaves_other_files(tmp_path: Path) -> None:
    first = TraceShelf(tmp_path, max_count=10, max_bytes=10**6)
    names = [str(put(first, f"page {index}")) for index in range(4)]
    for age, name in enumerate(names):
        os.utime(tmp_path / f"{name}.html", (1_000 + age, 1_000 + age))
    (tmp_path / "notes.html").write_text("mine")
    (tmp_path / "notes.part").write_text("mine")
    (tmp_path / f"{'a' * 32}.part").write_text("half a page")
    second = TraceShelf(tmp_path, max_count=2, max_bytes=10**6)
    assert on_disk(tmp_path) == {*names[2:], "notes"}
    assert second.get(names[3]) is not None
    assert second.get("notes") is None
    assert [path.name for path in tmp_path.glob("*.part")] == ["notes.part"]


@pytest.mark.parametrize("name", ["", "../secret", "/etc/passwd", "A" * 32, "0" * 31, "0" * 33, "0" * 32 + "\n"])
def test_only_ids_name_pages(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret.html").write_text("secret")
    shelf = TraceShelf(tmp_path / "shelf", max_count=5, max_bytes=10**6)
    assert shelf.get(name) is None


def test_a_full_disk_costs_the_page_and_not_the_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = TraceShelf(tmp_path, max_count=5, max_bytes=10**6)

    def full(self: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    assert put(shelf) is None
    assert list(tmp_path.iterdir()) == []


def test_a_page_that_somebody_deleted_is_simply_gone(tmp_path: Path) -> None:
    shelf = TraceShelf(tmp_path, max_count=1, max_bytes=10**6)
    name = str(put(shelf))
    (tmp_path / f"{name}.html").unlink()
    assert shelf.get(name) is None
    assert put(shelf) is not None
