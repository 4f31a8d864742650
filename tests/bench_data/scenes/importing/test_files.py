"""Reading of strangers' files: bounds, refusals, and messages that name the place."""

from __future__ import annotations

import io
import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.scenes.importing import files
from seeworthy.bench_data.scenes.importing.files import inside, json_records, read_array, read_json

JsonValue = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.floats(-1e6, 1e6) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(
    records=st.lists(st.dictionaries(st.text(max_size=5), JsonValue, max_size=4), max_size=8),
    indent=st.sampled_from([None, 0, 2]),
    chunk=st.integers(1, 40),
)
@settings(max_examples=30, deadline=None)
def test_records_come_one_by_one_as_json_reads_them_whole(
    tmp_path_factory: pytest.TempPathFactory, records: list[dict[str, object]], indent: int | None, chunk: int
) -> None:
    path = tmp_path_factory.mktemp("records") / "table.json"
    path.write_text(json.dumps(records, indent=indent), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "_CHUNK", chunk)
        assert list(json_records(path)) == records


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "too early"),
        ("{}", "a list of records"),
        ('[{"a": 1}', "too early"),
        ('[{"a": 1}, 3]', "a record is expected"),
        ('[{"a": 1} {"b": }]', "after 1 records"),
        ('[{"a": NaN}]', "NaN is no JSON number"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path: Path, text: str, what: str) -> None:
    path = tmp_path / "table.json"
    path.write_text(text)
    with pytest.raises(BenchDataError, match=what) as error:
        list(json_records(path))
    assert "table.json" in str(error.value)


def test_json_files_are_bounded_and_strict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"a": Infinity}')
    with pytest.raises(BenchDataError, match="Infinity is no JSON number"):
        read_json(path)
    path.write_text("[" * 200_000)
    with pytest.raises(BenchDataError, match="not JSON"):
        read_json(path)
    monkeypatch.setattr(files, "_LARGEST_JSON_BYTES", 10)
    with pytest.raises(BenchDataError, match="larger than"):
        read_json(path)
    with pytest.raises(BenchDataError, match="No such file"):
        read_json(tmp_path / "b.json")


def test_arrays_come_as_float64(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.arange(6, dtype=np.int16).reshape(2, 3))
    assert read_array(path).tolist() == [[0, 1, 2], [3, 4, 5]]


def _lying_header() -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": "<f8", "fortran_order": False, "shape": (1 << 40,)})
    return stream.getvalue() + b"\0" * 64


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "must be a .npy array"),
        (b"not an array at all", "must be a .npy array"),
        (_lying_header(), "no array of numbers of this file's size"),
        (pickle.dumps([1, 2]), "must be a .npy array"),
    ],
)
def test_what_is_no_array_is_refused(tmp_path: Path, data: bytes, what: str) -> None:
    path = tmp_path / "a.npy"
    path.write_bytes(data)
    with pytest.raises(BenchDataError, match=what):
        read_array(path)


def test_arrays_of_objects_are_never_unpickled(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.array([{"a": 1}, None], dtype=object), allow_pickle=True)
    with pytest.raises(BenchDataError, match="no array of numbers"):
        read_array(path)


@pytest.mark.parametrize("bad", ["", " ", "../a", "a/../../b", "/etc/passwd", "a\\b", "a\x00b"])
def test_paths_stay_inside(tmp_path: Path, bad: str) -> None:
    with pytest.raises(BenchDataError):
        inside(tmp_path / "root", bad)


def test_links_stay_inside(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "out").symlink_to(tmp_path)
    with pytest.raises(BenchDataError, match="leads out"):
        inside(root, "out/secret.png")
    assert inside(root, "a/b.png") == root / "a" / "b.png"
