"""Puts the sub-commands together."""

from __future__ import annotations

from typing import Annotated

import typer

from . import (
    audit,
    bench,
    data,
    degrade,
    detect,
    doctor,
    fit,
    import_run,
    intervene,
    models,
    nano,
    rectify,
    render,
    replies,
    report,
    scene,
    serve,
    solve,
    tools,
)

__all__ = ["build_app"]


def build_app() -> typer.Typer:
    """The whole command line. Sub-commands import what is heavy when they run, so that ``--help`` is quick."""
    app = typer.Typer(
        name="seeworthy",
        help="Makes any vision-language model see better, and says honestly when it cannot.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_root)
    for command in (
        solve.solve,
        serve.serve,
        detect.detect,
        degrade.degrade,
        rectify.rectify,
        render.render,
        fit.fit,
        audit.audit,
        intervene.intervene,
        bench.bench,
        bench.diff,
        report.report,
        import_run.import_run,
        doctor.doctor,
    ):
        app.command()(command)
    app.add_typer(tools.app, name="tools")
    app.add_typer(models.app, name="models")
    app.add_typer(replies.app, name="replies")
    app.add_typer(scene.app, name="scene")
    app.add_typer(data.app, name="data")
    app.add_typer(nano.app, name="nano")
    return app


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(version("seeworthy"))
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Makes any vision-language model see better, and says honestly when it cannot."""
