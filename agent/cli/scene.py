"""``seeworthy scene``: look into splat files, convert them, and import scenes."""

from __future__ import annotations

import json
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .common import ExitCode, UsageError, load_cloud, say
from .scene_import import import_command

if TYPE_CHECKING:
    from ...bench_data.camera_formats import NamedCamera
    from ...bench_data.splats import GaussianCloud, SplatSummary

__all__ = ["app"]

app = typer.Typer(
    help="Splat files and scenes: what they hold, conversion and import.", no_args_is_help=True, rich_markup_mode=None
)
app.command("import")(import_command)


class SpzAxes(StrEnum):
    """How an SPZ file counts its axes."""

    RUB = "rub"
    RDF = "rdf"


class WorldUp(StrEnum):
    """Which way is up in a file."""

    Y_DOWN = "y-down"
    Y_UP = "y-up"


class PlyEncoding(StrEnum):
    """Encodings of a plain PLY file."""

    LITTLE = "binary_little_endian"
    BIG = "binary_big_endian"
    TEXT = "ascii"


Activated = Annotated[
    bool, typer.Option("--activated", help="The PLY file holds opacities in 0..1 and linear scales, not raw values.")
]
Strict = Annotated[bool, typer.Option("--strict", help="Refuse a file with rows that cannot be drawn.")]
Axes = Annotated[
    SpzAxes, typer.Option("--spz-axes", help="SPZ files: rub as the format says, rdf as some programs write them.")
]


@app.callback()
def _root() -> None:
    """Splat files and scenes: what they hold, conversion and import."""


@app.command()
def info(
    scene: Annotated[str, typer.Argument(metavar="SCENE", help="A splat file or a SOG folder.")],
    cameras: Annotated[
        str | None, typer.Option("--cameras", help="A transforms.json or a COLMAP folder: do they see the scene?")
    ] = None,
    activated: Activated = False,
    strict: Strict = False,
    spz_axes: Axes = SpzAxes.RUB,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> int:
    """Show what a scene holds: count, degree, extent, sizes, opacities, instances. Lengths are in the file's unit."""
    from ...bench_data.splats import splat_format, summarise

    kind = splat_format(scene)
    cloud = load_cloud(scene, activated=activated, strict=strict, spz_axes=spz_axes.value)
    summary = summarise(cloud)
    views = None if cameras is None else _views(cloud, cameras)
    if as_json:
        table = {"format": str(kind), **asdict(summary), "notes": list(cloud.notes), "cameras": views}
        typer.echo(json.dumps(table, indent=1))
    else:
        typer.echo(f"format     {kind}")
        for line in _lines(summary):
            typer.echo(line)
        if views is not None:
            typer.echo(f"cameras    {views['count']}, the median one sees {views['median_seen']:,} Gaussians")
    if views is not None and views["problem"]:
        say(f"error: {views['problem']}")
        return ExitCode.FAILED
    return ExitCode.OK


@app.command()
def convert(
    source: Annotated[str, typer.Argument(metavar="A", help="A splat file or a SOG folder.")],
    target: Annotated[Path, typer.Argument(metavar="B", help="Ends in .ply, .compressed.ply, .splat, .spz or .sog.")],
    up: Annotated[
        WorldUp | None,
        typer.Option("--up", help="Which way is up in A; B then has z up. By default nothing is turned."),
    ] = None,
    sh_degree: Annotated[
        int | None, typer.Option("--sh-degree", min=0, max=3, help="Keep colours to this degree.")
    ] = None,
    ply_encoding: Annotated[PlyEncoding, typer.Option("--ply-encoding", help="For .ply.")] = PlyEncoding.LITTLE,
    activated: Activated = False,
    strict: Strict = False,
    spz_axes: Axes = SpzAxes.RUB,
    force: Annotated[bool, typer.Option("--force", help="Replace B if it exists.")] = False,
) -> int:
    """Convert a splat file to another format; says what the format cannot hold."""
    from ...bench_data.camera_formats import Z_UP_FROM_Y_DOWN, Z_UP_FROM_Y_UP
    from ...bench_data.splats import write_splats

    if target.exists() and not force:
        raise UsageError(f"{target} exists already; pass --force to replace it")
    cloud = load_cloud(source, activated=activated, strict=strict, spz_axes=spz_axes.value)
    if up is not None:
        cloud = cloud.transformed(Z_UP_FROM_Y_DOWN if up is WorldUp.Y_DOWN else Z_UP_FROM_Y_UP)
    if sh_degree is not None:
        cloud = cloud.with_sh_degree(sh_degree)
    for line in write_splats(cloud, target, ply_encoding=ply_encoding.value, spz_axes=spz_axes.value):
        say(f"{target}: {line}")
    say(f"wrote {target}: {len(cloud):,} Gaussians")
    return ExitCode.OK


def _views(cloud: GaussianCloud, path: str) -> dict[str, int | str | None]:
    """How many Gaussians the cameras of a file see, and what is wrong if they see none."""
    import numpy as np

    from ...bench_data.cameras import why_nothing_is_seen

    cameras = [named.camera for named in _cameras(path)]
    if not cameras:
        raise UsageError(f"{path} holds no cameras")
    seen = [int(camera.sees(cloud.means).sum()) for camera in cameras]
    return {
        "count": len(cameras),
        "median_seen": int(np.median(seen)),
        "problem": why_nothing_is_seen(cameras, cloud.means) if max(seen) == 0 else None,
    }


def _cameras(path: str) -> tuple[NamedCamera, ...]:
    from ...bench_data.camera_formats import read_colmap, read_nerfstudio

    return read_colmap(path) if Path(path).is_dir() else read_nerfstudio(path)


def _lines(summary: SplatSummary) -> list[str]:
    lines = [f"Gaussians  {summary.gaussians:,}", f"SH degree  {summary.sh_degree}"]
    boxes = (("extent", summary.low_m, summary.high_m), ("core", summary.core_low_m, summary.core_high_m))
    for name, low, high in boxes:
        if low is not None and high is not None:
            spans = ", ".join(f"{axis} {a:.3g} to {b:.3g}" for axis, a, b in zip("xyz", low, high, strict=True))
            remark = " (5th to 95th percentile)" if name == "core" else ""
            lines.append(f"{name:<10} {spans}{remark}")
    if summary.median_scale_m is not None:
        lines.append(f"scale      median {summary.median_scale_m:.3g}, largest {summary.largest_scale_m:.3g}")
        lines.append(f"opacity    mean {summary.mean_opacity:.3f}, {summary.invisible:,} invisible (under 1/255)")
    lines.append(f"instances  {'no ids' if summary.instances is None else summary.instances}")
    return lines
