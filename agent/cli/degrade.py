"""``seeworthy degrade``: do to pictures and scenes what weather, lenses, sensors and codecs do."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .common import ExitCode, UsageError

__all__ = ["degrade"]


def degrade(
    inputs: Annotated[
        list[str] | None, typer.Argument(metavar="INPUT...", help="Picture files or folders of them.")
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
    record: Annotated[
        Path | None, typer.Option("--record", metavar="FILE", help="Write a JSON file from which --replay works.")
    ] = None,
    replay: Annotated[
        Path | None, typer.Option("--replay", metavar="FILE", help="Make again what a file of --record says.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Allow results to replace inputs.")] = False,
    show_list: Annotated[bool, typer.Option("--list", help="Print what can be done, and stop.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="With --list: one JSON object.")] = False,
) -> int:
    """Degrade pictures physically: haze, blur, noise, exposure, lens faults, coding, or mixtures of them."""
    from .degrading import listing
    from .degrading.photographs import DepthFiles, degrade_photographs, plan_outputs
    from .degrading.replaying import replay_photographs
    from .degrading.treatments import treatments
    from .picture_files import pictures_in

    if show_list:
        typer.echo(listing.as_json(recipes) if as_json else listing.as_text(recipes))
        return ExitCode.OK
    if as_json:
        raise UsageError("--json belongs to --list; a file of records is written by --record FILE")
    if not inputs:
        raise UsageError("name a picture or a folder of them; --list shows what can be done to it")
    if out is None:
        raise UsageError("say where to write with -o: a picture, or a folder for several results")
    if depth_unit_m is not None and depth is None:
        raise UsageError("--depth-unit-m belongs to --depth")
    files = pictures_in(inputs)
    depths = DepthFiles(depth, depth_unit_m)
    if depth is not None and len(files) > 1 and not depth.is_dir():
        raise UsageError(f"--depth {depth} is one map for {len(files)} pictures; name a folder of them")
    if replay is not None:
        if types or severity or mix or recipes or record:
            raise UsageError("--replay repeats what was recorded; leave out --type, --mix, --recipes and --record")
        return replay_photographs(files, replay, out, depth=depths, force=force)
    wanted = treatments(types, severity, mix, recipes, seed=seed)
    single = len(inputs) == 1 and not Path(inputs[0]).is_dir()
    plan = plan_outputs(files, wanted, out, single_input=single)
    return degrade_photographs(plan, seed=seed, depth=depths, record_to=record, force=force)
