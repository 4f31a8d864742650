"""``seeworthy scene import``: other programs' and data sets' scenes as this project's."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from .common import ExitCode, UsageError, say

__all__ = ["import_command"]

_FORMATS_HELP = (
    "colmap, nerfstudio, nuscenes, open3dvqa, rgbd, scannetpp or spatialbench; told by the files if not given."
)


class SourceUp(StrEnum):
    """Which way is up in a source's world."""

    Z = "z"
    MINUS_Z = "-z"
    Y = "y"
    MINUS_Y = "-y"
    X = "x"
    MINUS_X = "-x"
    CAMERAS = "cameras"


def import_command(
    source: Annotated[Path, typer.Argument(metavar="SRC", help="A folder, as its makers publish it.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The scene's folder to write.")],
    format_name: Annotated[str | None, typer.Option("--format", help=_FORMATS_HELP)] = None,
    scene: Annotated[
        str | None, typer.Option("--scene", help="Which one, where SRC holds several: an id, a name or a sample token.")
    ] = None,
    splats: Annotated[
        Path | None, typer.Option("--splats", help="The file of Gaussians, if not the only one in SRC.")
    ] = None,
    boxes: Annotated[Path | None, typer.Option("--boxes", help="Objects: a boxes.json, if not the one in SRC.")] = None,
    up: Annotated[
        SourceUp | None, typer.Option("--up", help="In the source's world; cameras: as they are held.")
    ] = None,
    metres_per_unit: Annotated[
        float | None, typer.Option("--metres-per-unit", help="Of sources that have no unit.")
    ] = None,
    max_views: Annotated[int, typer.Option("--max-views", min=1, help="Evenly over all.")] = 100,
    max_gaussians: Annotated[
        int, typer.Option("--max-gaussians", min=1, help="Of what is made of points and pixels.")
    ] = 400_000,
    max_depth_m: Annotated[
        float | None, typer.Option("--max-depth", help="Metres; leave out what was measured farther.")
    ] = None,
    depth_units: Annotated[
        float | None, typer.Option("--depth-units", help="What a metre is in RGB-D files, if not as usual.")
    ] = None,
    intrinsics: Annotated[
        str | None, typer.Option("--intrinsics", help="FX,FY,CX,CY of an RGB-D camera, if not the Kinect's.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write into a folder that holds a scene already.")] = False,
) -> int:
    """Import a scene: metres, z up, cameras, objects with boxes. What is estimated or unknown is said."""
    from ...bench_data.scenes import write_scene
    from ...bench_data.scenes.importing import ImportOptions, import_scene

    if (out / "scene.json").exists() and not force:
        raise UsageError(f"{out} holds a scene already; pass --force to replace it")
    options = ImportOptions(
        scene=scene,
        splats=splats,
        boxes=boxes,
        up=None if up is None else up.value,
        metres_per_unit=metres_per_unit,
        max_views=max_views,
        max_gaussians=max_gaussians,
        max_depth_m=max_depth_m,
        intrinsics=None if intrinsics is None else _four(intrinsics),
        depth_units_per_metre=depth_units,
    )
    imported = import_scene(source, format=format_name, options=options)
    for note in imported.notes:
        say(f"{source}: {note}")
    found = imported.scene
    write_scene(found, out)
    say(found.source)
    say(
        f"wrote {out}: {len(found.cloud):,} Gaussians, {len(found.views)} views, {len(found.objects)} objects, "
        f"{sum(bool(one.description) for one in found.objects)} of them with a description"
    )
    return ExitCode.OK


def _four(text: str) -> tuple[float, float, float, float]:
    try:
        fx, fy, cx, cy = (float(word) for word in text.split(","))
    except ValueError:
        raise UsageError(f"--intrinsics {text!r} is not FX,FY,CX,CY, such as 525,525,319.5,239.5") from None
    return fx, fy, cx, cy
