"""What a built data set holds, checked against what can be worked out without the builder."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from seeworthy.bench_data.building import DataSet, build_data_set, parse_conditions, read_manifest
from seeworthy.bench_data.building.scene_stage import make_scene
from seeworthy.bench_data.camera_formats import read_nerfstudio
from seeworthy.bench_data.degrade.views import replay_view
from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.images import load_depth, load_image
from seeworthy.bench_data.marks import draw_marks
from seeworthy.bench_data.questions.audit import audit_keys
from seeworthy.bench_data.render import render
from tests.bench_data.building.small import SMALL, contents

pytestmark = pytest.mark.xdist_group("building")


def ids_of(built: DataSet, name: str) -> np.ndarray:
    return np.asarray(Image.open(built.root / name)).astype(np.int32) - 1


def test_every_file_is_in_the_manifest_with_its_hash(built: DataSet) -> None:
    there = contents(built.root)
    del there["manifest.json"]
    assert {name: hashlib.sha256(data).hexdigest() for name, data in there.items()} == built.manifest.files


def test_all_pictures_are_there(built: DataSet) -> None:
    names = [name for name in built.manifest.files if name.startswith("images/")]
    assert len(names) == built.manifest.pictures == 2 * 3 * 4
    for name in names:
        assert Image.open(built.root / name).size == (128, 96)


def test_every_key_is_right(built: DataSet) -> None:
    asked = [question for suite in built.suites for question in built.questions(suite)]
    assert len(asked) == sum(built.manifest.questions.values()) > 50
    assert audit_keys(asked, built.truths()).faults == ()


def test_questions_are_the_same_for_every_condition(built: DataSet) -> None:
    for suite in built.suites:
        clean = [one.question for one in built.asked(suite, "clean")]
        for condition in built.conditions:
            asked = list(built.asked(suite, condition))
            assert [one.question.text for one in asked] == [one.text for one in clean]
            assert all(path.is_file() for one in asked for path in one.pictures)
            assert all(f"/{condition}/" in path.as_posix() for one in asked for path in one.pictures)


def test_clean_pictures_can_all_be_answered_and_dark_ones_cannot(built: DataSet) -> None:
    for suite in built.suites:
        assert all(one.answerable for one in built.asked(suite, "clean"))
    dark = [one for suite in built.suites for one in built.asked(suite, "low_light-bench")]
    lost = [one for one in dark if not one.answerable]
    assert lost
    assert all(one.why for one in lost)
    assert all(one.why == "" for one in dark if one.answerable)


def test_marked_pictures_are_the_pictures_with_their_marks(built: DataSet) -> None:
    seen = 0
    for condition in built.conditions:
        for truth in built.truths():
            for view in truth.views:
                record = built.record(condition, truth.scene, view.name)
                plain = load_image(built.root / record.picture)
                assert plain.sha256 == record.pixels_sha256
                for suite, name in record.marked.items():
                    drawn = draw_marks(plain.image_srgb_u8, record.marks[suite])
                    assert np.array_equal(drawn, load_image(built.root / name).image_srgb_u8)
                    seen += 1
    assert seen


def test_marks_stand_on_their_objects_wherever_pixels_went(built: DataSet) -> None:
    moved = 0
    for condition in built.conditions:
        for truth in built.truths():
            for view in truth.views:
                record = built.record(condition, truth.scene, view.name)
                ids = ids_of(built, record.instances)
                for mark in (mark for marks in record.marks.values() for mark in marks):
                    x, y = mark.anchor_px or mark.centre_px
                    assert mark.anchor_px is None or ids[int(y), int(x)] == mark.object
                    moved += record.moves_pixels
    assert moved


def test_places_in_records_are_those_of_the_stored_ids(built: DataSet) -> None:
    for condition in built.conditions:
        for truth in built.truths():
            for view in truth.views:
                record = built.record(condition, truth.scene, view.name)
                assert record.moves_pixels == (condition == "distortion-3")
                ids = ids_of(built, record.instances)
                for one in record.objects:
                    rows, columns = np.nonzero(ids == one.id)
                    assert one.pixels == len(rows)
                    if len(rows):
                        box = (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)
                        assert one.box_px == tuple(map(float, box))
                        assert one.point_px is not None
                        assert ids[int(one.point_px[1]), int(one.point_px[0])] == one.id
                    else:
                        assert one.box_px is None
                        assert one.point_px is None
                if not record.moves_pixels:
                    assert {one.id for one in record.objects} == set(view.seen)
                    assert all(one.box_px == view.seen[one.id].box_px for one in record.objects)


def test_a_record_makes_its_picture_again(built: DataSet) -> None:
    spec = SMALL.scene_specs()[0]
    scene = make_scene(SMALL, spec)
    for condition in ("haze-3", "distortion-3"):
        record = built.record(condition, spec.id, "view-01")
        again = replay_view(scene.cloud, scene.view("view-01").camera, record.degradations)
        assert again.picture.sha256 == record.pixels_sha256


def test_depth_and_poses_are_those_of_the_scene(built: DataSet) -> None:
    for spec, entry in zip(SMALL.scene_specs(), built.manifest.scenes, strict=True):
        scene = make_scene(SMALL, spec)
        cameras = read_nerfstudio(built.root / f"poses/{spec.id}/transforms.json")
        for view, named in zip(scene.views, cameras, strict=True):
            assert np.allclose(named.camera.world_from_camera, view.camera.world_from_camera, atol=1e-12)
            unit = entry.depth_metres_per_unit
            stored = load_depth(built.root / f"depth/nominal/{spec.id}/{view.name}.png", metres_per_unit=unit)
            drawn = render(scene.cloud, view.camera, engine="numba").depth_m
            assert np.array_equal(np.isnan(stored), np.isnan(drawn))
            assert np.nanmax(np.abs(stored - drawn)) <= 0.51 * unit


def test_summary_counts_what_is_asked_and_refused(built: DataSet) -> None:
    for suite, summary in built.summary().suites.items():
        asked = list(built.questions(suite))
        assert summary.questions == len(asked) == sum(summary.by_kind.values())
        assert summary.marked == any(one.marks for one in asked)
        assert summary.refused


def test_more_questions_about_each_picture(tmp_path: Path) -> None:
    settings = SMALL.model_copy(
        update={"suites": ("crisp",), "scenes": 1, "kind": "room", "views": 1, "conditions": parse_conditions("clean")}
    )
    asked = [
        build_data_set(
            settings.model_copy(update={"questions_factor": factor}), tmp_path / str(factor), jobs=1
        ).manifest.questions["crisp"]
        for factor in (1, 4)
    ]
    assert 2 * asked[0] < asked[1] <= 4 * asked[0]


def test_without_suites_there_are_only_pictures(folder: Path) -> None:
    settings = SMALL.model_copy(update={"suites": (), "scenes": 1, "views": 1, "keep_clouds": True})
    report = build_data_set(settings, folder, jobs=1)
    assert report.manifest.questions == {}
    assert not [name for name in report.manifest.files if name.startswith(("marked/", "answers/"))]
    assert "scenes/room-000/cloud.npz" in report.manifest.files
    from seeworthy.bench_data.scenes import read_scene

    assert np.array_equal(
        read_scene(folder / "scenes/room-000").cloud.means, make_scene(settings, settings.scene_specs()[0]).cloud.means
    )


def test_what_is_no_data_set(tmp_path: Path) -> None:
    with pytest.raises(BenchDataError, match=r"cannot read .*manifest.json"):
        DataSet(tmp_path)
    (tmp_path / "manifest.json").write_text('{"format": "something else"}')
    with pytest.raises(BenchDataError, match="no manifest of a data set"):
        read_manifest(tmp_path)


def test_a_manifest_names_no_file_outside(built: DataSet, tmp_path: Path) -> None:
    text = built.manifest.model_dump_json().replace('"questions/crisp.jsonl"', '"../crisp.jsonl"')
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(BenchDataError, match="no plain relative name"):
        read_manifest(tmp_path)
