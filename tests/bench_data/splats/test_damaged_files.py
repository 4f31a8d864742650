"""Files with random damage: a cloud or a `BenchDataError`, nothing else, and no memory beyond the file's own scale."""

from __future__ import annotations

import struct
import tracemalloc
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from seeworthy.bench_data.errors import BenchDataError, BenchDataWarning
from seeworthy.bench_data.splats import read_splats, write_splats
from tests.bench_data.splats.clouds import random_cloud

PACKAGES = {"compressed.ply": "gaussforge", "spz": "gsply", "sog": "gaussforge"}
TRIES = 60


@pytest.mark.parametrize("kind", ["ply", "ascii.ply", "splat", "compressed.ply", "spz", "sog"])
def test_random_damage(tmp_path: Path, kind: str) -> None:
    if kind in PACKAGES:
        pytest.importorskip("gsply")
        pytest.importorskip(PACKAGES[kind])
    path = tmp_path / f"a.{kind}"
    write_splats(random_cloud(40, 1), path, ply_encoding="ascii" if kind == "ascii.ply" else "binary_little_endian")
    whole = path.read_bytes()
    read_splats(path)  # imports and compiles what is needed, outside the measurement
    outcomes = []
    for data in damaged(whole, np.random.default_rng(7)):
        path.write_bytes(data)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BenchDataWarning)
            tracemalloc.start()
            try:
                outcomes.append(len(read_splats(path)))
            except BenchDataError as error:
                assert "cannot read" in str(error) or "SPZ 4 needs" in str(error)
                outcomes.append(-1)
            finally:
                peak = tracemalloc.get_traced_memory()[1]
                tracemalloc.stop()
        assert peak < 8_000_000 + 30 * len(whole)
    assert outcomes.count(-1) > TRIES / 4


def damaged(whole: bytes, rng: np.random.Generator) -> Iterator[bytes]:
    """Cut, changed near the start, changed anywhere, shortened or lengthened inside."""
    for number in range(TRIES):
        data = bytearray(whole)
        at = int(rng.integers(0, len(data)))
        if number % 4 == 0:
            del data[at:]
        elif number % 4 == 1:
            data[int(rng.integers(0, min(400, len(data))))] = int(rng.integers(0, 256))
        elif number % 4 == 2:
            for _ in range(int(rng.integers(1, 30))):
                data[int(rng.integers(0, len(data)))] = int(rng.integers(0, 256))
        elif rng.random() < 0.5:
            del data[at : at + int(rng.integers(1, 100))]
        else:
            data[at:at] = rng.integers(0, 256, size=int(rng.integers(1, 100)), dtype=np.uint8).tobytes()
        yield bytes(data)


def test_memory_follows_the_file(tmp_path: Path) -> None:
    """A whole file of 8 MB: its columns once as read and once as activated, and little besides."""
    write_splats(random_cloud(33_000, 3), tmp_path / "a.ply")
    size = (tmp_path / "a.ply").stat().st_size
    tracemalloc.start()
    read_splats(tmp_path / "a.ply")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert size > 8_000_000
    assert peak < 3.5 * size


def test_the_smallest_rows_do_not_multiply(tmp_path: Path) -> None:
    """One byte a column is the least that a splat can have; memory stays in proportion to it."""
    names = ("x", "y", "z", "opacity", "scale_0", "scale_1", "scale_2", "rot_0", "rot_1", "rot_2", "rot_3")
    names += ("red", "green", "blue")
    header = "ply\nformat binary_little_endian 1.0\nelement vertex 50000\n"
    header += "".join(f"property uchar {name}\n" for name in names) + "end_header\n"
    body = struct.pack("14B", *range(1, 15)) * 50_000
    (tmp_path / "a.ply").write_bytes(header.encode() + body)
    tracemalloc.start()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BenchDataWarning)
        assert len(read_splats(tmp_path / "a.ply")) == 50_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 * len(body)
