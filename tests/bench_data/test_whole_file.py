"""Files appear whole or not at all, and nothing else is replaced by them."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from seeworthy.bench_data.errors import OutputError
from seeworthy.bench_data.whole_file import check_place, whole_file


def test_it_appears_at_the_end_and_makes_its_folders(tmp_path: Path) -> None:
    target = tmp_path / "a/b/picture.png"
    with whole_file(target) as part:
        part.write_bytes(b"new")
        assert part.suffix == ".png"
        assert not target.exists()
    assert target.read_bytes() == b"new"
    assert [one.name for one in target.parent.iterdir()] == ["picture.png"]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ValueError("no picture")])
def test_whatever_stops_it_leaves_what_was_there(tmp_path: Path, error: BaseException) -> None:
    target = tmp_path / "picture.png"
    target.write_bytes(b"old")
    with pytest.raises(type(error)), whole_file(target) as part:
        part.write_bytes(b"half")
        raise error
    assert target.read_bytes() == b"old"
    assert [one.name for one in tmp_path.iterdir()] == ["picture.png"]


def test_a_full_disk_is_named_with_the_file(tmp_path: Path) -> None:
    target = tmp_path / "picture.png"
    with pytest.raises(OutputError, match=r"cannot write .*picture\.png: No space left"), whole_file(target) as part:
        part.write_bytes(b"half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert list(tmp_path.iterdir()) == []


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "link.png"
    link.symlink_to(tmp_path / "real/picture.png")
    with whole_file(link) as part:
        part.write_bytes(b"new")
    assert link.is_symlink()
    assert (tmp_path / "real/picture.png").read_bytes() == b"new"


def test_a_name_as_long_as_the_system_allows(tmp_path: Path) -> None:
    target = tmp_path / ("x" * 251 + ".png")
    with whole_file(target) as part:
        part.write_bytes(b"new")
    assert target.read_bytes() == b"new"
    with pytest.raises(OutputError, match="cannot write"), whole_file(tmp_path / ("x" * 300 + ".png")):
        pytest.fail("there is no such name")


@pytest.mark.parametrize("name", ["folder", "pipe", "file/below", "file/far/below"])
def test_places_that_are_none(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("text")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OutputError, match="is a folder|no ordinary file|is no folder"):
        check_place(tmp_path / name)
    with pytest.raises(OutputError), whole_file(tmp_path / name) as part:
        part.write_text("text")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["file", "folder", "pipe"]
    assert (tmp_path / "pipe").is_fifo()
