"""``seeworthy data build``: scenes, questions and pictures under every condition, from a seed."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..common import ExitCode, UsageError, say
from ..ray_option import GPUS_HELP, RAY_HELP, cluster_for
from .progress import shown_progress

if TYPE_CHECKING:
    from ....bench_data.building import BuildReport, BuildSettings, Manifest

__all__ = ["build"]


class Kind(StrEnum):
    """Kinds of scenes."""

    ROOM = "room"
    STREET = "street"
    MIXED = "mixed"


class Engine(StrEnum):
    """What draws the pictures; for truth the CPU engine is taken in any case."""

    NUMBA = "numba"
    GSPLAT = "gsplat"


def build(
    out: Annotated[Path, typer.Option("-o", "--out", help="The folder; the same command goes on in it.")],
    scenes: Annotated[int, typer.Option("--scenes", min=1)] = 8,
    kind: Annotated[Kind, typer.Option("--kind", help="Mixed: rooms and streets in turn.")] = Kind.ROOM,
    suite: Annotated[
        str, typer.Option("--suite", help="Question suites, with commas; empty for none.")
    ] = "spacedg,crisp,open3dvqa",
    conditions: Annotated[
        str, typer.Option("--conditions", help="clean, haze, low_light@5, rain@bench, a mixture's name; or all.")
    ] = "clean",
    recipes: Annotated[Path | None, typer.Option("--recipes", help="A YAML file of own mixtures.")] = None,
    views: Annotated[int, typer.Option("--views", min=1, help="Of each scene.")] = 25,
    size: Annotated[str, typer.Option("--size", help="Of the pictures.")] = "640x480",
    fov_deg: Annotated[float, typer.Option("--fov-deg", help="Across a picture's width.")] = 75.0,
    objects: Annotated[int | None, typer.Option("--objects", min=1, help="In each scene.")] = None,
    density: Annotated[float, typer.Option("--density", help="Of Gaussians against the usual number.")] = 1.0,
    most_per_kind: Annotated[
        int | None, typer.Option("--most-per-kind", min=1, help="Questions of a kind a scene.")
    ] = None,
    questions_factor: Annotated[
        int, typer.Option("--questions-factor", min=1, max=100, help="Times crisp's usual number a picture.")
    ] = 1,
    formats: Annotated[
        str, typer.Option("--formats", help="Also write these, with commas, such as spacedg,vlmeval.")
    ] = "",
    published: Annotated[
        bool, typer.Option("--published", help="Ask by the published rules, faults included.")
    ] = False,
    keep_clouds: Annotated[bool, typer.Option("--keep-clouds", help="Keep the scenes' Gaussians.")] = False,
    seed: Annotated[int, typer.Option("--seed")] = 0,
    jobs: Annotated[int | None, typer.Option("--jobs", min=1, help="Processes; one a core if not given.")] = None,
    ray: Annotated[str | None, typer.Option("--ray", help=RAY_HELP)] = None,
    gpus: Annotated[float, typer.Option("--gpus", min=0.0, help=GPUS_HELP)] = 0.0,
    engine: Annotated[Engine, typer.Option("--engine")] = Engine.NUMBA,
    manifest: Annotated[
        Path | None, typer.Option("--manifest", help="Build again what this manifest says, and compare every file.")
    ] = None,
) -> int:
    """Build a data set: scenes, truth, questions, and pictures under every condition."""
    from ....bench_data.building import build_data_set, read_manifest

    wanted = None if manifest is None else read_manifest(manifest)
    if wanted is not None:
        _say_versions(wanted)
    settings = (
        wanted.settings
        if wanted is not None
        else _settings(
            size,
            scenes=scenes,
            kind=kind.value,
            suites=_names(suite, "--suite"),
            conditions=_conditions(conditions, recipes),
            views=views,
            fov_deg=fov_deg,
            objects=objects,
            density=density,
            seed=seed,
            published=published,
            most_per_kind=most_per_kind,
            questions_factor=questions_factor,
            keep_clouds=keep_clouds,
            formats=_names(formats, "--formats"),
            engine=engine.value,
        )
    )
    try:
        with cluster_for(ray, workers=jobs, gpus=gpus) as cluster, shown_progress() as on_progress:
            report = build_data_set(settings, out, jobs=jobs, cluster=cluster, on_progress=on_progress)
    except KeyboardInterrupt:
        say(f"stopped; what is done stays in {out}, and the same command goes on from there")
        return ExitCode.INTERRUPTED
    _say_report(report, out)
    return ExitCode.OK if wanted is None else _compared(wanted, report.manifest)


def _settings(size: str, **values: object) -> BuildSettings:
    from pydantic import ValidationError

    from ....bench_data.building import BuildSettings

    width, height = _size(size)
    try:
        return BuildSettings.model_validate({"width": width, "height": height, **values})
    except ValidationError as error:
        first = error.errors()[0]
        where = "-".join(str(part) for part in first["loc"]).replace("_", "-")
        raise UsageError(f"{f'--{where}: ' if where else ''}{first['msg'].removeprefix('Value error, ')}") from error


def _conditions(text: str, recipes: Path | None) -> object:
    from ....bench_data.building import parse_conditions
    from ....bench_data.degrade.mixtures import recipes_from_yaml

    return parse_conditions(text, None if recipes is None else recipes_from_yaml(recipes))


def _names(text: str, flag: str) -> tuple[str, ...]:
    names = tuple(word.strip() for word in text.split(",")) if text.strip() else ()
    if not all(names):
        raise UsageError(f"{flag} {text!r}: an item is empty; write names with one comma between them")
    return names


def _size(text: str) -> tuple[int, int]:
    width, x, height = text.lower().partition("x")
    if not (x and width.isdecimal() and height.isdecimal()):
        raise UsageError(f"--size {text!r} is not WIDTHxHEIGHT, such as 640x480")
    return int(width), int(height)


def _say_report(report: BuildReport, out: Path) -> None:
    made = report.manifest
    asked = ", ".join(f"{count:,} of {suite}" for suite, count in made.questions.items()) or "none"
    if report.was_finished:
        say(f"{out} was finished already: {made.pictures:,} pictures; questions: {asked}")
        return
    pictures_s, questions_s = report.seconds["pictures"], report.seconds["questions"]
    parts = ", ".join(f"{stage} {seconds:.1f} s" for stage, seconds in report.seconds.items())
    say(f"{made.pictures:,} pictures; questions: {asked}")
    if report.pictures_made:
        say(f"{report.pictures_made:,} pictures drawn, {report.pictures_made / pictures_s:.2f} a second")
    if report.questions_made:
        rate = report.questions_made / questions_s
        say(f"{report.questions_made:,} questions asked and written, {rate:,.0f} a second")
    say(f"took: {parts}")
    say(f"wrote {out}")


def _say_versions(wanted: Manifest) -> None:
    from ....bench_data.building.manifest import versions_here

    for name, here in versions_here().items():
        there = wanted.versions.get(name)
        if there != here:
            say(f"the manifest was made with {name} {there}, here is {here}; pixels may differ in the last bit")


def _compared(wanted: Manifest, made: Manifest) -> ExitCode:
    names = sorted(wanted.files.keys() | made.files.keys())
    differing = [name for name in names if wanted.files.get(name) != made.files.get(name)]
    for name in differing[:20]:
        say(f"differs: {name}")
    say(f"{len(names) - len(differing):,} of {len(names):,} files are the same, byte for byte")
    return ExitCode.FAILED if differing else ExitCode.OK
