"""Stores keep pictures and calls whole, and notice damage."""

from pathlib import Path

import numpy as np
import pytest

from seeworthy.agent.errors import SolverError
from seeworthy.agent.store import FolderCalls, FolderPictures, MemoryCalls, MemoryPictures
from seeworthy.bench_data.images import Picture


def picture(seed: int = 0) -> Picture:
    return Picture(np.random.default_rng(seed).integers(0, 256, (13, 17, 3), dtype=np.uint8))


def test_a_picture_comes_back_pixel_for_pixel_in_another_process(tmp_path: Path) -> None:
    sha256 = FolderPictures(tmp_path).put(picture())
    again = FolderPictures(tmp_path).get(sha256)
    assert np.array_equal(again.image_srgb_u8, picture().image_srgb_u8)


def test_the_same_pixels_are_kept_once(tmp_path: Path) -> None:
    store = FolderPictures(tmp_path)
    assert store.put(picture()) == store.put(picture())
    assert len(list(tmp_path.rglob("*.png"))) == 1


def test_a_swapped_file_is_noticed(tmp_path: Path) -> None:
    sha256 = FolderPictures(tmp_path).put(picture(0))
    [path] = tmp_path.rglob("*.png")
    path.write_bytes(picture(1).png())
    with pytest.raises(SolverError, match="does not hold the picture"):
        FolderPictures(tmp_path).get(sha256)


def test_a_missing_picture_names_its_file(tmp_path: Path) -> None:
    with pytest.raises(SolverError, match="is missing"):
        FolderPictures(tmp_path).get("ab" * 32)
    with pytest.raises(SolverError, match="not in this process"):
        MemoryPictures().get("ab" * 32)


@pytest.mark.parametrize("text", ["", "x" * 70_000, "http://a", "=1+1", "a\x00b", "🦉", "\ud800", "null", "«ü»\r\n"])
def test_any_text_comes_back_equal(tmp_path: Path, text: str) -> None:
    FolderCalls(tmp_path).put("ab" * 32, {"text": text})
    assert FolderCalls(tmp_path).get("ab" * 32) == {"text": text}


def test_an_unknown_call_is_none(tmp_path: Path) -> None:
    assert FolderCalls(tmp_path).get("ab" * 32) is None
    assert MemoryCalls().get("ab" * 32) is None


@pytest.mark.parametrize("content", ["", '{"a": ', "[1]", "\x00"])
def test_a_damaged_call_is_an_error_that_says_what_to_delete(tmp_path: Path, content: str) -> None:
    calls = FolderCalls(tmp_path)
    calls.put("ab" * 32, {"a": 1})
    [path] = tmp_path.rglob("*.json")
    path.write_text(content)
    with pytest.raises(SolverError, match="is damaged.*delete it"):
        calls.get("ab" * 32)


def test_a_failed_write_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("seeworthy.agent.store.os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        FolderCalls(tmp_path).put("ab" * 32, {"a": 1})
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
