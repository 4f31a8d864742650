"""``seeworthy intervene``: the same questions with a graph, a hint or no picture, and what that changes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .common import ExitCode, UsageError

__all__ = ["intervene"]


def intervene(
    model: Annotated[
        str | None, typer.Option("--model", "-m", help="provider/model[@base_url]; see `seeworthy models list`.")
    ] = None,
    data: Annotated[Path | None, typer.Option("--data", help="A data set, see `seeworthy data build`.")] = None,
    experiment: Annotated[
        str, typer.Option("--experiment", "-e", help="Its name, or a YAML file of one's own.")
    ] = "interventions",
    list_experiments: Annotated[
        bool, typer.Option("--list", help="List the experiments, and do nothing else.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Folder for replies, page and numbers; the same command goes on.")
    ] = None,
    suite: Annotated[str, typer.Option("--suite", help="Of questions about numbered objects.")] = "crisp",
    conditions: Annotated[str, typer.Option("--conditions", help="Of the data set, with commas.")] = "clean",
    pictures: Annotated[int | None, typer.Option("--pictures", min=1, help="So many at most.")] = None,
    concurrency: Annotated[int, typer.Option("--concurrency", min=1, help="Requests at a time.")] = 8,
    max_tokens: Annotated[int, typer.Option("--max-tokens", min=1, help="Longest answer.")] = 1024,
    graph_tokens: Annotated[int, typer.Option("--graph-tokens", min=1, help="Longest graph.")] = 4096,
    seed: Annotated[int, typer.Option("--seed", help="Of pictures, wrong graphs and intervals.")] = 0,
    model_option: Annotated[
        list[str] | None, typer.Option("--model-option", help="key=value for the provider; may be repeated.")
    ] = None,
    published: Annotated[
        bool, typer.Option("--published", help="Also give the consistency by CRISP's published rules.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress on stderr.")] = False,
) -> int:
    """Ask the same questions with one thing changed, and measure what the change does."""
    from ...diagnostics.interventions import experiment_names, load_experiment
    from .auditing.running import AuditOrder, run_order

    if list_experiments:
        for name in experiment_names():
            typer.echo(f"{name}: {load_experiment(name).summary}")
        return ExitCode.OK
    if model is None or data is None:
        raise UsageError("intervene needs --model and --data; --list shows the experiments")
    order = AuditOrder(
        model=model,
        model_options=model_option or [],
        data=data,
        out=out,
        suite=suite,
        conditions=conditions,
        pictures=pictures,
        seed=seed,
        concurrency=concurrency,
        max_tokens=max_tokens,
        graph_tokens=graph_tokens,
        published=published,
        as_json=as_json,
        quiet=quiet,
    )
    return run_order(order, load_experiment(experiment))
