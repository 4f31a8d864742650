"""A file of records comes back as it was, or is refused with the place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from seeworthy.bench_data.degrade import compose
from seeworthy.bench_data.degrade.record_file import RecordedResult, RecordFile, read_record_file, write_record_file
from seeworthy.bench_data.errors import BenchDataError

from .scenes import texture


def a_file() -> RecordFile:
    picture = texture(1)
    made = compose(picture, [("haze", 2), ("noise", "bench"), ("low_res", 0)], seed=-(2**70))
    result = RecordedResult(
        input="a.png",
        output="deep/in/a.png",
        picture_sha256=picture.sha256,
        degraded_sha256=made.picture.sha256,
        records=made.records,
    )
    return RecordFile(results=(result,))


def test_it_comes_back(tmp_path: Path) -> None:
    written = a_file()
    write_record_file(written, tmp_path / "made.json")
    assert read_record_file(tmp_path / "made.json") == written
    assert [file.name for file in tmp_path.iterdir()] == ["made.json"], "nothing half-written is left behind"


def test_same_records_same_bytes(tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        write_record_file(a_file(), tmp_path / name)
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "seeworthy degradation records 9"}, "format"),
        ({"results": None}, "results"),
        ({"more": 1}, "more"),
        ({"results": [{"input": "a"}]}, "results.0"),
    ],
)
def test_what_is_wrong_is_named(change: dict[str, object], words: str, tmp_path: Path) -> None:
    file = tmp_path / "made.json"
    write_record_file(a_file(), file)
    file.write_text(json.dumps({**json.loads(file.read_text()), **change}))
    with pytest.raises(BenchDataError, match=words) as caught:
        read_record_file(file)
    assert "no file of records" in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff\xfe", b"[" * 100_000, b'{"results": NaN}'])
def test_any_bytes_are_records_or_a_clear_error(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "made.json").write_bytes(content)
    with pytest.raises(BenchDataError, match="no file of records"):
        read_record_file(tmp_path / "made.json")


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(BenchDataError, match="cannot read"):
        read_record_file(tmp_path / "none.json")


@pytest.mark.parametrize("name", ["", "/a.png", "../a.png", "a/../../b.png", "C:\\a.png", "a\\b.png", "a\x00.png"])
def test_names_stay_in_the_folder(name: str) -> None:
    fields = {**a_file().results[0].model_dump(), "output": name}
    with pytest.raises(ValueError, match="plain relative name"):
        RecordedResult.model_validate(fields)
