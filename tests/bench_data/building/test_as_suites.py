"""Data sets and their files of questions, read and validated as suites."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from seeworthy.bench_data.building import DataSet
from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.suites import locate_suite, read_suite, validate_suite, write_suite

pytestmark = pytest.mark.xdist_group("building")


@pytest.fixture
def copy(built: DataSet, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built.root, tmp_path / "copy"))


def test_a_data_set_is_all_its_questions_under_all_conditions(built: DataSet) -> None:
    items = {item.id: item for item in read_suite(built.root)}
    asked = [
        one
        for suite in built.suites
        for condition in built.conditions
        for one in built.asked(suite, condition)
        if one.has_truth
    ]
    assert len(items) == len(asked) > 50
    for one in asked:
        item = items[one.question.id if one.condition == "clean" else f"{one.question.id}@{one.condition}"]
        assert (item.question, item.condition, item.suite) == (one.question, one.condition, one.question.suite)
        assert [image.file for image in item.images] == [path.resolve() for path in one.pictures]


def test_a_sound_data_set_passes(built: DataSet) -> None:
    found = validate_suite(built.root)
    assert (found.format, found.errors) == ("data_set", ())
    assert found.pictures > len(built.scenes) * built.settings.views


def test_every_suite_of_a_data_set_is_validated(copy: Path) -> None:
    (item, *_) = read_suite(copy, format="data_set")
    picture = item.images[0].file
    assert picture is not None
    picture.unlink()
    questions = copy / "questions/grounding.jsonl"
    lines = questions.read_text().splitlines()
    lines[1] = "{"
    questions.write_text("\n".join(lines) + "\n")
    (copy / "answers").joinpath(DataSet(copy).conditions[1], "crisp.jsonl").write_text('{"question": 1}\n')
    found = validate_suite(copy, pictures="exists").errors
    assert {finding.code for finding in found} == {"missing_image", "damaged_data_set"}
    damaged = [str(finding) for finding in found if finding.code == "damaged_data_set"]
    assert len(damaged) == 2, "the file of questions is named once, not under each condition"
    assert any("grounding.jsonl, line 2" in text for text in damaged)
    assert any("crisp.jsonl is no file of answers" in text for text in damaged)


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"null\n", b"[" * 100_000, b'{"id": "1"}\n', b"\x00\n"])
def test_any_file_of_questions_is_survived(copy: Path, content: bytes) -> None:
    (copy / "questions/crisp.jsonl").write_bytes(content)
    (finding,) = validate_suite(copy, pictures="no").errors
    assert (finding.code, finding.file) == ("damaged_data_set", "questions/crisp.jsonl")
    assert len(list(read_suite(copy, on_bad="skip"))) > 50
    with pytest.raises(BenchDataError, match="line 1"):
        list(read_suite(copy))


def test_a_broken_manifest_is_one_finding(copy: Path) -> None:
    manifest = copy / "manifest.json"
    manifest.write_text(manifest.read_text()[:400])
    (finding,) = validate_suite(copy).findings
    assert (finding.code, finding.file) == ("bad_manifest", "manifest.json")


def test_a_file_of_questions_is_read_over_the_clean_pictures(built: DataSet) -> None:
    clean = [item for item in read_suite(built.root) if item.condition == "clean"]
    for suite in built.suites:
        file = built.root / f"questions/{suite}.jsonl"
        assert locate_suite(file).format.name == "native"
        assert list(read_suite(file)) == [item for item in clean if item.suite == suite]
        assert validate_suite(file).errors == ()
    assert any(image.path.startswith("marked/") for item in clean for image in item.images)


def test_a_file_of_questions_alone_lacks_its_pictures(built: DataSet, tmp_path: Path) -> None:
    lone = Path(shutil.copy(built.root / "questions/crisp.jsonl", tmp_path / "crisp.jsonl"))
    assert {finding.code for finding in validate_suite(lone).errors} == {"missing_image"}
    assert validate_suite(lone, pictures="no").errors == ()
    record = json.loads(lone.read_text().splitlines()[0])
    lone.write_text(json.dumps({**record, "scene": "../../up"}) + "\n" + json.dumps({**record, "query": {}}) + "\n")
    assert [finding.code for finding in validate_suite(lone).errors] == ["unsafe_path", "bad_record"]


def test_a_data_set_in_a_published_format(built: DataSet, tmp_path: Path) -> None:
    items = [item for item in read_suite(built.root) if item.suite == "spacedg"]
    write_suite(items, tmp_path / "bench.tsv", "spacedg", on_refused="skip")
    assert validate_suite(tmp_path / "bench.tsv").errors == ()
    assert {item.id for item in read_suite(tmp_path / "bench.tsv")} <= {item.id for item in items}
    with pytest.raises(BenchDataError, match="not written from questions"):
        write_suite(items, tmp_path / "set", "data_set")
