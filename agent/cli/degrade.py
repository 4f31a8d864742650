"""``seeworthy degrade``: do to pictures and scenes what weather, lenses, sensors and codecs do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .common import ExitCode, UsageError
from .engines import Engine

if TYPE_CHECKING:
    from .degrading.photographs import DepthFiles
    from .degrading.treatments import Treatment

__all__ = ["degrade"]


def degrade(
    inputs: Annotated[
        list[str] | None, typer.Argument(metavar="INPUT...", help="Pictures, folders of them, or a scene.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="One picture, or a folder for several results.")
    ] = None,
    types: Annotated[
        str | None, typer.Option("--type", metavar="NAME[,NAME]|all", help="What to do; see --list.")
    ] = None,
    severity: Annotated[
        str | None, typer.Option("--severity", metavar="LEVEL[,LEVEL]", help="0 to 5, or bench. Default: 3.")
    ] = None,
    mix: Annotated[
        str | None, typer.Option("--mix", metavar="NAME[,NAME]|all", help="Several at once, by recipe; see --list.")
    ] = None,
    recipes: Annotated[
        Path | None, typer.Option("--recipes", metavar="FILE", help="A YAML file of own recipes.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Another seed gives other parameters and other noise.")] = 0,
    depth: Annotated[
        Path | None, typer.Option("--depth", help="A depth map of the picture; for several, a folder of them.")
    ] = None,
    depth_unit_m: Annotated[
        float | None,
        typer.Option("--depth-unit-m", help="Metres that a stored 1 means. Default: 0.001 in .png, 1 in other files."),
    ] = None,
    cameras: Annotated[
        str | None, typer.Option("--cameras", metavar="FILE", help="Of a scene: as --camera of `seeworthy render`.")
    ] = None,
    view: Annotated[str | None, typer.Option("--view", help="Of a scene, this view only: its name or number.")] = None,
    engine: Annotated[Engine, typer.Option("--engine", help="What draws a scene.")] = Engine.AUTO,
    record: Annotated[
        Path | None, typer.Option("--record", metavar="FILE", help="Of pictures: a JSON file for --replay.")
    ] = None,
    replay: Annotated[
        Path | None,
        typer.Option("--replay", metavar="FILE", help="Make again what such a file, or the manifest of a scene, says."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Allow results to replace inputs.")] = False,
    show_list: Annotated[bool, typer.Option("--list", help="Print what can be done, and stop.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="With --list: one JSON object.")] = False,
) -> int:
    """Degrade pictures and scenes physically: weather, blur, noise, exposure, lens faults, coding, and mixtures."""
    from .degrading import listing
    from .degrading.photographs import DepthFiles
    from .degrading.scenes import MANIFEST, degrade_scene, is_scene_folder, open_scene, replay_scene
    from .degrading.treatments import treatments

    if show_list:
        typer.echo(listing.as_json(recipes) if as_json else listing.as_text(recipes))
        return ExitCode.OK
    if as_json:
        raise UsageError("--json belongs to --list; a file of records is written by --record FILE")
    if not inputs:
        raise UsageError("name a picture, a folder of them, or a scene; --list shows what can be done to it")
    if out is None:
        raise UsageError("say where to write with -o: a picture, or a folder for several results")
    if replay is not None and (types or severity or mix or recipes or record):
        raise UsageError("--replay repeats what was recorded; leave out --type, --mix, --recipes and --record")
    wanted = [] if replay else treatments(types, severity, mix, recipes, seed=seed)
    if cameras is not None or (len(inputs) == 1 and is_scene_folder(inputs[0])):
        if len(inputs) > 1 or depth is not None or record is not None:
            raise UsageError(
                f"a scene brings depth and writes {MANIFEST}: leave out --depth, --record and other inputs"
            )
        scene = open_scene(inputs[0], cameras, view)
        if replay is not None:
            return replay_scene(scene, replay, out)
        return degrade_scene(scene, wanted, out, seed=seed, engine=engine)
    if view is not None:
        raise UsageError("--view belongs to a scene; name its cameras with --cameras")
    return _photographs(inputs, wanted, out, seed, DepthFiles(depth, depth_unit_m), record, replay, force=force)


def _photographs(
    inputs: list[str],
    wanted: list[Treatment],
    out: Path,
    seed: int,
    depths: DepthFiles,
    record: Path | None,
    replay: Path | None,
    *,
    force: bool,
) -> int:
    from .degrading.photographs import degrade_photographs, plan_outputs
    from .degrading.replaying import replay_photographs
    from .picture_files import pictures_in

    if depths.metres_per_unit is not None and depths.place is None:
        raise UsageError("--depth-unit-m belongs to --depth")
    files = pictures_in(inputs)
    if depths.place is not None and len(files) > 1 and not depths.place.is_dir():
        raise UsageError(f"--depth {depths.place} is one map for {len(files)} pictures; name a folder of them")
    if replay is not None:
        return replay_photographs(files, replay, out, depth=depths, force=force)
    single = len(inputs) == 1 and not Path(inputs[0]).is_dir()
    plan = plan_outputs(files, wanted, out, single_input=single)
    return degrade_photographs(plan, seed=seed, depth=depths, record_to=record, force=force)
