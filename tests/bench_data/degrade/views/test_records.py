"""Records of degraded views: bit for bit again, in any process, order and number of threads; and clean refusals."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from seeworthy.bench_data.degrade import DegradationRecord, Severity, degrade, replay
from seeworthy.bench_data.degrade.camera_hash import camera_sha256
from seeworthy.bench_data.degrade.views import DegradedView, degrade_view, replay_view
from seeworthy.bench_data.degrade.views.identity import cloud_sha256
from seeworthy.bench_data.errors import BenchDataError, RegistryError
from seeworthy.bench_data.images import Picture
from seeworthy.bench_data.render import RenderSettings
from tests.bench_data.render.scenes import a_camera, furnished_room

MIXTURE: list[tuple[str, Severity]] = [
    ("haze", 2),
    ("distortion", 3),
    ("defocus", 2),
    ("rolling_shutter", 3),
    ("low_light", 1),
    ("jpeg_compression", 2),
]
CAMERA = a_camera(48, 36)
CLOUD = furnished_room(1_500)


def seen(degradations: list[tuple[str, Severity]] = MIXTURE, threads: int = 1, **extra: object) -> DegradedView:
    return degrade_view(CLOUD, CAMERA, degradations, seed=11, engine="numba", threads=threads, **extra)  # type: ignore[arg-type]


def test_order_threads_and_repetition_do_not_matter() -> None:
    first = seen()
    for again in (seen(), seen(MIXTURE[::-1]), seen(threads=3)):
        assert again.picture.sha256 == first.picture.sha256
        assert again.records == first.records
    names = [record.name for record in first.records]
    assert names == ["haze", "defocus", "distortion", "rolling_shutter", "low_light", "jpeg_compression"]


def test_motion_blur_does_not_depend_on_threads() -> None:
    one, three = (seen([("motion_blur", 2), ("haze", 1)], threads=n, quadrature="draft") for n in (1, 3))
    assert one.picture.sha256 == three.picture.sha256


def test_records_survive_json_and_rebuild_the_picture_in_another_process() -> None:
    blurred = seen([("motion_blur", 3)], quadrature="draft", settings=RenderSettings(background=(0.2, 0.4, 0.6)))
    views = [seen(), blurred]
    program = (
        "import json, sys\n"
        "from seeworthy.bench_data.degrade import DegradationRecord\n"
        "from seeworthy.bench_data.degrade.views import replay_view\n"
        "from tests.bench_data.render.scenes import a_camera, furnished_room\n"
        "cloud, camera = furnished_room(1_500), a_camera(48, 36)\n"
        "for entries in json.load(sys.stdin):\n"
        "    records = [DegradationRecord.model_validate(entry) for entry in entries]\n"
        "    print(replay_view(cloud, camera, records, threads=2).picture.sha256)\n"
    )
    entries = json.dumps([[record.model_dump(mode="json") for record in view.records] for view in views])
    done = subprocess.run([sys.executable, "-c", program], input=entries, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [view.picture.sha256 for view in views]
    for view in views:
        read = [DegradationRecord.model_validate_json(record.model_dump_json()) for record in view.records]
        assert tuple(read) == view.records


def test_severity_0_is_the_clean_view() -> None:
    found = seen([("haze", 0), ("distortion", 0), ("motion_blur", 0)])
    assert np.array_equal(found.picture.image_srgb_u8, found.clean.image_srgb_u8)
    assert found.truth.pixel_map.is_identity and [record.severity for record in found.records] == [0, 0, 0]
    assert replay_view(CLOUD, CAMERA, found.records, threads=1).picture.sha256 == found.picture.sha256


def test_nothing_asked_for_is_the_clean_view() -> None:
    found = seen([])
    assert np.array_equal(found.picture.image_srgb_u8, found.clean.image_srgb_u8) and found.records == ()


def test_another_seed_gives_another_picture_and_the_views_share_parameters() -> None:
    one = degrade_view(CLOUD, CAMERA, [("haze", 3)], seed=1, engine="numba", threads=1)
    two = degrade_view(CLOUD, CAMERA, [("haze", 3)], seed=2, engine="numba", threads=1)
    other_view = degrade_view(
        CLOUD, a_camera(48, 36, eye=(2, 3, 1.5)), [("haze", 3)], seed=1, engine="numba", threads=1
    )
    assert one.picture.sha256 != two.picture.sha256
    assert one.records[0].parameters == other_view.records[0].parameters != two.records[0].parameters


def test_noise_differs_between_views() -> None:
    other = CAMERA.with_pose(CAMERA.world_from_camera @ np.diag([1.0, 1, 1, 1]))
    assert camera_sha256(other) == camera_sha256(CAMERA)
    moved = replace(CAMERA, cx=CAMERA.cx + 1e-9)
    assert camera_sha256(moved) != camera_sha256(CAMERA)
    noise = [degrade_view(CLOUD, c, [("noise", 3)], seed=0, engine="numba", threads=1).picture for c in (CAMERA, moved)]
    assert (noise[0].image_srgb_u8 != noise[1].image_srgb_u8).mean() > 0.3


def test_replay_refuses_what_is_not_the_same() -> None:
    records = list(seen([("haze", 2), ("low_res", 1)]).records)
    with pytest.raises(BenchDataError, match="this scene is"):
        replay_view(furnished_room(1_500, seed=1), CAMERA, records)
    with pytest.raises(BenchDataError, match="this camera is"):
        replay_view(CLOUD, a_camera(48, 36, eye=(2, 2, 1.5)), records)
    with pytest.raises(BenchDataError, match="version 0"):
        replay_view(CLOUD, CAMERA, [records[0].model_copy(update={"version": "0"}), records[1]])
    with pytest.raises(BenchDataError, match="no record"):
        replay_view(CLOUD, CAMERA, [])
    with pytest.raises(BenchDataError, match="different views"):
        replay_view(CLOUD, CAMERA, [records[0], records[1].model_copy(update={"camera_sha256": "0" * 64})])
    drawn_elsewhere = [record.model_copy(update={"picture_sha256": "0" * 64}) for record in records]
    with pytest.raises(BenchDataError, match="draws other pixels"):
        replay_view(CLOUD, CAMERA, drawn_elsewhere)
    picture = Picture(np.zeros((36, 48, 3), np.uint8))
    with pytest.raises(BenchDataError, match="replay_view"):
        replay(picture, records)
    with pytest.raises(BenchDataError, match="of a photograph"):
        replay_view(CLOUD, CAMERA, degrade(picture, "haze", severity=1, seed=0).record)


def test_unknown_names_and_doubled_ones_are_refused() -> None:
    with pytest.raises(RegistryError, match="did you mean"):
        seen([("hase", 1)])
    with pytest.raises(BenchDataError, match="twice"):
        seen([("haze", 1), ("haze", 2)])
    with pytest.raises(BenchDataError, match="both models of the sensor"):
        seen([("low_light", 1), ("over_exposure", 2)])
    with pytest.raises(BenchDataError, match="severity"):
        seen([("haze", 9)])


def test_a_scene_is_known_by_what_is_drawn() -> None:
    same = CLOUD.with_instance_ids(None)
    assert cloud_sha256(same) == cloud_sha256(CLOUD)
    assert cloud_sha256(CLOUD.selected(np.arange(len(CLOUD) - 1))) != cloud_sha256(CLOUD)
    found = degrade_view(same, CAMERA, [("distortion", 2)], seed=0, engine="numba", threads=1)
    assert found.truth.instance_ids is None and not found.truth.mask(0).any()
