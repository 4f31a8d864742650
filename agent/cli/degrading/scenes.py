"""Degrading scenes: every view with its truth, into a folder with a manifest."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ....bench_data.errors import BenchDataError, OutputError
from ..camera_files import camera_of_name, named_cameras
from ..common import ExitCode, UsageError, load_cloud, say
from ..engines import Engine, ready_engine
from ..picture_files import PICTURE_SUFFIXES, KeptFiles, check_writable, write_picture
from .photographs import Talk
from .treatments import Treatment

if TYPE_CHECKING:
    from ....bench_data.camera_formats import NamedCamera
    from ....bench_data.degrade.scene_manifest import ResultEntry, ViewEntry
    from ....bench_data.degrade.views import DegradedView
    from ....bench_data.splats import GaussianCloud
    from .truth_files import TruthNames

__all__ = ["MANIFEST", "SceneInput", "degrade_scene", "is_scene_folder", "open_scene", "replay_scene"]

MANIFEST = "manifest.json"
_NOT_IN_NAMES = re.compile(r"[^\w.-]+")


@dataclass(frozen=True)
class SceneInput:
    """A scene and the views of it.

    Args:
        name: the input, as given.
        cloud: its Gaussians.
        cameras: all views, from which the scene's far depth is taken.
        chosen: the views to draw.
        labels: categories by instance id; empty for a plain splat file.
    """

    name: str
    cloud: GaussianCloud
    cameras: tuple[NamedCamera, ...]
    chosen: tuple[NamedCamera, ...]
    labels: dict[int, str]


def is_scene_folder(place: str) -> bool:
    """True of a folder that Seeworthy wrote a scene to."""
    return (Path(place) / "scene.json").is_file()


def open_scene(place: str, cameras: str | None, view: str | None) -> SceneInput:
    """A scene's folder, or a splat file with a file of cameras.

    Raises:
        UsageError: no cameras, or not the one that is asked for.
        BenchDataError: a file cannot be used.
    """
    from ....bench_data.camera_formats import NamedCamera
    from ....bench_data.scenes import read_scene

    labels: dict[int, str] = {}
    named: tuple[NamedCamera, ...] = ()
    if is_scene_folder(place):
        scene = read_scene(place)
        cloud = scene.cloud
        labels = {instance.id: instance.label for instance in scene.instances}
        named = tuple(NamedCamera(one.name, one.camera) for one in scene.views)
    else:
        cloud = load_cloud(place)
    if cameras is not None:
        named = named_cameras(cameras)
    if not named:
        raise UsageError(f"{place} brings no cameras; name a file of them with --cameras")
    chosen = named if view is None else (camera_of_name(named, view, cameras or place),)
    return SceneInput(place, cloud, named, chosen, labels)


def degrade_scene(scene: SceneInput, wanted: Sequence[Treatment], out: Path, *, seed: int, engine: Engine) -> ExitCode:
    """Draws every chosen view clean and degraded; what cannot be done to a view is named and left out.

    Raises:
        UsageError: OUT is a file, or holds the manifest of something else.
        BenchDataError: no camera sees anything, or an engine that cannot run here.
    """
    from ....bench_data.degrade.scene_manifest import SceneManifest, write_scene_manifest
    from ....bench_data.degrade.views import scene_far_m
    from ....bench_data.render import RenderSettings

    _check_folder(out)
    _check_manifest(out)
    name = ready_engine(scene.cloud, engine, RenderSettings())
    far_m = scene_far_m(scene.cloud, [one.camera for one in scene.cameras], engine=name)
    entries, talk, failed = [], Talk(), 0
    for named, folder in zip(scene.chosen, _folders(scene.chosen), strict=True):
        entry, refused = _view(scene, named, folder, wanted, out, talk, seed=seed, far_m=far_m, engine=name)
        failed += refused
        if entry is not None:
            entries.append(entry)
    manifest = SceneManifest(scene=scene.name, seed=seed, far_m=far_m, views=tuple(entries))
    if entries:
        write_scene_manifest(manifest, out / MANIFEST)
        say(f"wrote {out / MANIFEST}")
    return ExitCode.USAGE if failed else ExitCode.OK


def replay_scene(scene: SceneInput, manifest: Path, out: Path) -> ExitCode:
    """Draws again what a manifest records of the chosen views.

    Raises:
        UsageError: OUT is a file or the manifest's own folder, or the manifest holds nothing of these views.
        BenchDataError: another scene, another camera, another version.
    """
    from ....bench_data.degrade.scene_manifest import read_scene_manifest
    from ....bench_data.degrade.views import replay_view

    recorded = {view.name: view for view in read_scene_manifest(manifest).views}
    _check_folder(out)
    if out.resolve() == manifest.parent.resolve():
        raise UsageError(f"-o {out} holds the results to repeat; name another folder, to compare")
    work = [(named, recorded[named.name]) for named in scene.chosen if named.name in recorded]
    if not work:
        raise UsageError(f"{manifest} records none of these views; it has {', '.join(list(recorded)[:5]) or 'none'}")
    for _, view in work:
        for result in view.results:
            check_writable(out / result.picture, KeptFiles([manifest]))
    same = True
    for named, view in work:
        for result in view.results:
            made = replay_view(scene.cloud, named.camera, result.records)
            target = out / result.picture
            write_picture(made.picture, target)
            say(f"wrote {target}")
            if made.picture.sha256 != result.degraded_sha256:
                say(f"error: {target} differs from what was recorded; other libraries compute other pixels")
                same = False
    return ExitCode.OK if same else ExitCode.FAILED


def _check_folder(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise UsageError(f"-o {out} is a file; the views of a scene are written to a folder")
    if out.suffix.lower() in PICTURE_SUFFIXES and not out.is_dir():
        raise UsageError(f"-o {out}: the views of a scene are written to a folder; leave out the suffix")


def _check_manifest(out: Path) -> None:
    """Refuses a folder whose manifest is of something else, such as a data set, and would be lost."""
    from ....bench_data.degrade.scene_manifest import read_scene_manifest

    if not (out / MANIFEST).exists():
        return
    try:
        read_scene_manifest(out / MANIFEST)
    except BenchDataError as error:
        raise UsageError(f"-o {out} holds a {MANIFEST} of something else, which would be lost; {error}") from error


def _folders(cameras: Sequence[NamedCamera]) -> list[str]:
    """A folder's name for each view: its picture's, made safe and different from all others."""
    names: list[str] = []
    for number, one in enumerate(cameras):
        stem = Path(one.name.replace("\\", "/")).stem
        name = _NOT_IN_NAMES.sub("_", stem).strip(".") or f"view-{number}"
        taken = {other.lower() for other in names}
        names.append(name if name.lower() not in taken else f"{name}-{number}")
    return names


def _view(
    scene: SceneInput,
    named: NamedCamera,
    folder: str,
    wanted: Sequence[Treatment],
    out: Path,
    talk: Talk,
    *,
    seed: int,
    far_m: float,
    engine: str,
) -> tuple[ViewEntry | None, int]:
    """The entry of one view, and how many treatments could not be done."""
    from ....bench_data.degrade.scene_manifest import ViewEntry
    from ....bench_data.degrade.views import degrade_view
    from .truth_files import write_clean

    clean: TruthNames | None = None
    results: list[ResultEntry] = []
    failed = 0
    for treatment in wanted:
        try:
            made = degrade_view(
                scene.cloud, named.camera, treatment.degradations, seed=seed, far_m=far_m, engine=engine
            )
        except OutputError:
            raise
        except BenchDataError as error:
            say(f"error: {named.name}, {treatment.label}: {error}")
            failed += 1
            continue
        if clean is None:
            clean = write_clean(made.clean, out, folder)
        talk.approximations(made.records)
        results.append(_result(scene, made, treatment, clean, out, folder))
    if clean is None:
        return None, failed
    entry = ViewEntry(
        name=named.name, picture=clean.picture, depth=clean.depth, instances=clean.instances, results=tuple(results)
    )
    return entry, failed


def _result(
    scene: SceneInput, made: DegradedView, treatment: Treatment, clean: TruthNames, out: Path, folder: str
) -> ResultEntry:
    from ....bench_data.degrade.scene_manifest import ResultEntry
    from ....bench_data.degrade.views.visibility import LEAST_PIXELS, LEAST_RATIO
    from .truth_files import object_entries, write_degraded

    truth = write_degraded(made, out, f"{folder}/{treatment.label}", clean)
    objects = object_entries(made, scene.labels)
    seen = [one for one in objects if one.clean_ratio >= LEAST_RATIO and one.clean_pixels >= LEAST_PIXELS]
    lost = sum(not one.is_visible for one in seen)
    remark = f"; {lost} of {len(seen)} objects can no longer be seen" if lost else ""
    say(f"wrote {out / truth.picture}{remark}")
    return ResultEntry(
        label=treatment.label,
        picture=truth.picture,
        degraded_sha256=made.picture.sha256,
        depth=truth.depth,
        instances=truth.instances,
        nominal_pixels=truth.nominal_pixels,
        records=made.records,
        objects=objects,
    )
