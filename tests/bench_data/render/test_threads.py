"""The bytes of a picture do not depend on who draws it; threads neither hang nor hide errors."""

from __future__ import annotations

import multiprocessing
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from seeworthy.bench_data.camera_paths import orbit
from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.render import Render, RenderSettings, render, render_many
from seeworthy.bench_data.render.cpu import frame as cpu_frame
from seeworthy.bench_data.render.cpu.crew import Crew, available_threads
from seeworthy.bench_data.splats import GaussianCloud
from tests.bench_data.render.scenes import a_camera, blob, fluffy_room, furnished_room


def bytes_of(drawn: Render) -> bytes:
    arrays = (drawn.image_srgb, drawn.depth_m, drawn.alpha, drawn.instance_ids, drawn.median_depth_m)
    return b"".join(array.tobytes() for array in arrays if array is not None)


def views(count: int) -> list[Camera]:
    poses = orbit((4.0, 3.0, 1.2), radius_m=2.0, count=count)
    return [a_camera(64, 48).with_pose(pose) for pose in poses]


@pytest.fixture(scope="module")
def cloud() -> GaussianCloud:
    return furnished_room(20_000)


@pytest.mark.parametrize("threads", [2, 3, 7])
@pytest.mark.parametrize("extras", [False, True], ids=["colour", "with instances"])
def test_any_number_of_threads_draws_the_same_bytes(
    cloud: GaussianCloud, threads: int, extras: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cpu_frame, "_SMALL", 0)  # sort and bin in parts as well
    camera = a_camera()
    alone, together = (
        render(cloud, camera, engine="numba", threads=n, instances=extras, median_depth=extras) for n in (1, threads)
    )
    assert bytes_of(alone) == bytes_of(together)


def test_more_threads_than_gaussians_or_tiles() -> None:
    few = fluffy_room(3)
    assert bytes_of(render(few, a_camera(8, 8), engine="numba", threads=16)) == bytes_of(
        render(few, a_camera(8, 8), engine="numba", threads=1)
    )


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_many_are_drawn_in_order_and_as_one_by_one(cloud: GaussianCloud, threads: int) -> None:
    cameras = views(12)
    drawn = [bytes_of(one) for one in render_many(cloud, cameras, engine="numba", threads=threads)]
    assert drawn == [bytes_of(render(cloud, camera, engine="numba")) for camera in cameras]
    assert len(set(drawn)) == len(cameras)


def test_sizes_may_differ_between_cameras(cloud: GaussianCloud) -> None:
    cameras = [a_camera(40, 30), a_camera(64, 48), a_camera(32, 24)]
    assert [one.alpha.shape for one in render_many(cloud, cameras, engine="numba", threads=2)] == [
        (30, 40),
        (48, 64),
        (24, 32),
    ]


def test_no_cameras_no_pictures(cloud: GaussianCloud) -> None:
    assert list(render_many(cloud, [], engine="numba")) == []


def test_a_generator_that_is_left_early_stops_its_threads(cloud: GaussianCloud) -> None:
    before = threading.active_count()
    drawing = render_many(cloud, views(40), engine="numba", threads=3)
    next(drawing)
    drawing.close()  # type: ignore[attr-defined]
    assert threading.active_count() == before


def test_pictures_are_not_drawn_far_ahead_of_their_use(cloud: GaussianCloud, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []
    draw = cpu_frame.draw_frame

    def counted(*args: object, **options: object) -> object:
        started.append(1)
        return draw(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(cpu_frame, "draw_frame", counted)
    drawing = render_many(cloud, views(40), engine="numba", threads=2)
    next(drawing)
    assert len(started) <= 6
    drawing.close()  # type: ignore[attr-defined]


def test_renders_from_many_python_threads_at_once(cloud: GaussianCloud) -> None:
    """Where numba's workqueue layer would abort the process."""
    camera = a_camera()
    truth = bytes_of(render(cloud, camera, engine="numba"))
    with ThreadPoolExecutor(6) as pool:
        drawn = list(pool.map(lambda _: bytes_of(render(cloud, camera, engine="numba", threads=2)), range(18)))
    assert set(drawn) == {truth}


def _drawn_in_child(cloud: GaussianCloud, connection: object) -> None:
    connection.send(bytes_of(render(cloud, a_camera(40, 30), engine="numba", threads=2)))  # type: ignore[attr-defined]


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
def test_a_forked_process_draws_too(cloud: GaussianCloud) -> None:
    truth = bytes_of(render(cloud, a_camera(40, 30), engine="numba", threads=2))
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    child = context.Process(target=_drawn_in_child, args=(cloud, theirs))
    child.start()
    assert ours.poll(60)
    assert ours.recv() == truth
    child.join(10)
    assert child.exitcode == 0


def test_an_error_in_a_helper_comes_out_and_leaves_no_thread() -> None:
    before = threading.active_count()

    def task(part: int) -> None:
        if part == 2:
            raise ValueError("part two")

    with pytest.raises(ValueError, match="part two"), Crew(3) as crew:
        crew.each(task)
    assert threading.active_count() == before


def test_an_error_in_the_calling_thread_waits_for_the_helpers() -> None:
    done: list[int] = []
    gate = threading.Event()

    def task(part: int) -> None:
        if part == 0:
            gate.set()
            raise ValueError("part zero")
        gate.wait(10)
        done.append(part)

    with pytest.raises(ValueError, match="part zero"), Crew(3) as crew:
        crew.each(task)
    assert sorted(done) == [1, 2]


def test_there_is_at_least_one_thread() -> None:
    assert available_threads() >= 1


def test_settings_reach_every_picture() -> None:
    glass, cameras = blob((4.0, 3.0, 1.2), scale=0.4, opacity=0.6, colour=(0.2, 0.1, 0.0)), views(3)
    white = list(render_many(glass, cameras, RenderSettings(background=(1.0, 1.0, 1.0)), engine="numba", threads=2))
    black = list(render_many(glass, cameras, engine="numba", threads=2))
    for over_white, over_black in zip(white, black, strict=True):
        assert 0.4 < over_black.alpha.max() < 0.7
        assert np.allclose(over_white.image_srgb, over_black.image_srgb + 1 - over_black.alpha[..., None], atol=1e-6)
