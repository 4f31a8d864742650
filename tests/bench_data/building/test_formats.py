"""Data sets in other formats: read back by their readers, part of the manifest, resumable like the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from seeworthy.bench_data.building import DataSet, build_data_set
from seeworthy.bench_data.building import build as build_module
from seeworthy.bench_data.building.auditing import audit_data_set
from seeworthy.bench_data.errors import BenchDataError, RegistryError
from seeworthy.bench_data.suites import read_suite, validate_suite
from tests.bench_data.building.small import SMALL, contents

pytestmark = pytest.mark.xdist_group("building")

FORMATS = ("native", "spacedg", "parquet")
SETTINGS = SMALL.model_copy(update={"formats": FORMATS, "scenes": 1, "views": 2, "conditions": SMALL.conditions[:3]})


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> DataSet:
    root = tmp_path_factory.mktemp("exported") / "set"
    build_data_set(SETTINGS, root, jobs=1)
    return DataSet(root)


def test_our_own_format_holds_every_question_under_every_condition(exported: DataSet) -> None:
    items = {item.id: item for item in read_suite(exported.root / "native.jsonl")}
    asked = [
        one
        for suite in exported.suites
        for condition in exported.conditions
        for one in exported.asked(suite, condition)
    ]
    assert len(items) == sum(one.has_truth for one in asked) > 50
    for one in asked:
        label = one.question.id if one.condition == "clean" else f"{one.question.id}@{one.condition}"
        if one.has_truth:
            item = items[label]
            assert item.question == one.question
            assert [image.file for image in item.images] == [path.resolve() for path in one.pictures]
            assert item.tags.get("unanswerable", "") == one.why


@pytest.mark.parametrize("name", ["native.jsonl", "spacedg.tsv"])
def test_what_is_written_passes_validation(exported: DataSet, name: str) -> None:
    found = validate_suite(exported.root / name, pictures="exists")
    assert [str(one) for one in found.findings if one.severity == "error"] == []


def test_their_files_are_in_the_manifest_and_pictures_are_not_copied(exported: DataSet) -> None:
    files = exported.manifest.files
    assert {"native.jsonl", "spacedg.tsv", "formats/native.json"} <= files.keys()
    assert [name for name in files if name.startswith("formats/parquet/")]
    assert files.keys() | {"manifest.json"} == contents(exported.root).keys()
    assert audit_data_set(exported.root).ok


def test_stopped_while_a_format_is_written(exported: DataSet, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = build_module.write_format

    def stopping(data: DataSet, name: str, output: object) -> object:
        if name == "spacedg":
            (data.root / "spacedg.tsv.part").write_text("half")
            raise KeyboardInterrupt
        return write(data, name, output)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(build_module, "write_format", stopping)
        with pytest.raises(KeyboardInterrupt):
            build_data_set(SETTINGS, folder, jobs=1)
    report = build_data_set(SETTINGS, folder, jobs=1)
    assert report.pictures_made == 0
    assert contents(folder) == contents(exported.root)


def test_formats_that_cannot_be_written(folder: Path) -> None:
    with pytest.raises(RegistryError, match="unknown suite format 'cvs'"):
        build_data_set(SETTINGS.model_copy(update={"formats": ("cvs",)}), folder)
    with pytest.raises(BenchDataError, match="spatialbench is only read"):
        build_data_set(SETTINGS.model_copy(update={"formats": ("spatialbench",)}), folder)
    with pytest.raises(BenchDataError, match="lmms_eval names the folder that it lies in"):
        build_data_set(SETTINGS.model_copy(update={"formats": ("lmms_eval",)}), folder)
    assert not folder.exists()
