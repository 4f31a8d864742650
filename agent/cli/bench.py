"""``seeworthy bench``: suites under conditions, asked of models; ``seeworthy diff``: what differs between two runs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .bench_arms import bench_arms
from .bench_progress import shown_run_progress
from .common import ExitCode, UsageError, say
from .ray_option import GPUS_HELP, RAY_HELP, cluster_for

if TYPE_CHECKING:
    import asyncio

    from ...bench_data.cluster import Cluster
    from ...diagnostics.runs import (
        Arm,
        EngineSettings,
        Estimate,
        PlannedRun,
        RunBudget,
        RunFolder,
        RunOutcome,
        RunSettings,
    )
    from ...diagnostics.runs.cluster import ArmsRecipe
    from ...tools.models.prices import PriceTable

__all__ = ["bench", "diff"]

_MODEL_HELP = (
    "provider/model[@base_url], or one within robust(...), rectified-only(...), original-twice(...), oracle-tag(...), "
    "wrong-tag(...); may be repeated."
)
_PROMPT_HELP = "plain, blind, hint, wrong-hint, diagnose or describe; may be repeated."


def bench(
    suite: Annotated[list[str], typer.Option("--suite", help="A suite or data set; may be repeated.")],
    model: Annotated[list[str], typer.Option("--model", "-m", help=_MODEL_HELP)],
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="The run's folder; the same command goes on in it.")
    ] = None,
    conditions: Annotated[str, typer.Option("--conditions", help="With commas; all that the suites have.")] = "",
    prompt: Annotated[list[str] | None, typer.Option("--prompt", help=_PROMPT_HELP)] = None,
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="Ask everything so often.")] = 1,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Items in all, spread over kinds and conditions.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of the selection, the requests and the intervals.")] = 0,
    temperature: Annotated[float, typer.Option("--temperature", min=0.0)] = 0.0,
    max_tokens: Annotated[int, typer.Option("--max-tokens", min=1, help="Longest reply.")] = 1024,
    format: Annotated[  # noqa: A002 - the option's name
        str | None, typer.Option("--format", help="Of the suites, where the content does not tell.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it will take, and stop.")] = False,
    budget_usd: Annotated[float | None, typer.Option("--budget-usd", help="Stop there; over all starts.")] = None,
    budget_tokens: Annotated[int | None, typer.Option("--budget-tokens", help="Stop there; over all starts.")] = None,
    budget_seconds: Annotated[float | None, typer.Option("--budget-seconds", help="Stop there; this start.")] = None,
    prices: Annotated[
        str | None, typer.Option("--prices", help='JSON or a file: {"model": {"input": 2.5, "output": 10}} per 1M.')
    ] = None,
    slots: Annotated[int, typer.Option("--slots", min=1, help="Calls to a server at once, at most.")] = 16,
    retries: Annotated[int, typer.Option("--retries", min=0, help="Of a call when the server is busy or fails.")] = 7,
    profile: Annotated[
        str, typer.Option("--profile", help="Of the solver: fidelity, perception, replace, surest or off.")
    ] = "fidelity",
    pictures: Annotated[bool, typer.Option("--pictures/--no-pictures", help="Keep the pictures in the folder.")] = True,
    parquet: Annotated[Path | None, typer.Option("--parquet", help="Also write all records to this file.")] = None,
    model_option: Annotated[
        list[str] | None, typer.Option("--model-option", help="key=value for the providers; may be repeated.")
    ] = None,
    ray: Annotated[str | None, typer.Option("--ray", help=RAY_HELP)] = None,
    workers: Annotated[int | None, typer.Option("--workers", min=1, help="Of the Ray cluster; one a core.")] = None,
    gpus: Annotated[float, typer.Option("--gpus", min=0.0, help=GPUS_HELP)] = 0.0,
) -> int:
    """Ask models the questions of suites under conditions, keep every reply, and score them."""
    from ...diagnostics.runs import EngineSettings, RunFolder, RunSettings, Source
    from ...tools.models import GenerationSettings
    from ...tools.models.prices import read_prices
    from ...tools.models.retry import RetryPolicy

    if out is None and not dry_run:
        raise UsageError("name the run's folder with -o FOLDER, or ask for --dry-run")
    recipe = _recipe(model, model_option or (), slots=slots, profile=profile)
    arms = recipe.build()
    settings = RunSettings.of(
        [Source.at(path, format) for path in suite],
        list(arms.values()),
        conditions=_names(conditions),
        prompts=prompt or ["plain"],
        repeats=repeats,
        seed=seed,
        generation=GenerationSettings(temperature=temperature, max_tokens=max_tokens),
    )
    planned = _plan(settings, limit)
    table = {} if prices is None else read_prices(prices)
    folder = None if out is None else RunFolder(out)
    estimate = _estimate(planned, arms, table, folder, slots)
    for line in estimate.lines():
        say(line)
    if dry_run or folder is None:
        return ExitCode.OK
    engine = EngineSettings(
        slots=slots,
        retry=RetryPolicy(max_attempts=retries + 1),
        budget=_budget(budget_usd, budget_tokens, budget_seconds, estimate),
        prices=table,
        expected=estimate.per_question,
        keep_pictures=pictures,
    )
    if workers is not None and ray is None:
        raise UsageError("--workers are of a Ray cluster; name one with --ray, or leave it out")
    with _begun(folder, planned):
        with cluster_for(ray, workers=workers, gpus=gpus) as cluster:
            outcome = _run(planned, arms, folder, engine, recipe, cluster)
        _show(folder, parquet)
    return _said(outcome, folder)


def diff(
    one: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    other: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of another.")],
) -> int:
    """Name every setting that differs between two runs; exit code 1 when any does."""
    from ...diagnostics.runs import RunFolder, plan_differences

    differences = plan_differences(RunFolder(one).plan(), RunFolder(other).plan())
    for difference in differences:
        typer.echo(str(difference))
    if not differences:
        say("the same settings, data and versions")
    return ExitCode.FAILED if differences else ExitCode.OK


def _recipe(models: Sequence[str], options: Sequence[str], *, slots: int, profile: str) -> ArmsRecipe:
    """How to build the arms, here and on each worker of a cluster."""
    from ...diagnostics.runs.cluster import ArmsRecipe

    return ArmsRecipe(
        builder=f"{bench_arms.__module__}:{bench_arms.__name__}",
        arguments={"models": [*models], "options": [*options], "slots": slots, "profile": profile},
    )


def _plan(settings: RunSettings, limit: int | None) -> PlannedRun:
    """The plan, with what it leaves out said."""
    from ...diagnostics.runs import plan_run

    planned = plan_run(settings, limit=limit)
    if planned.left_out:
        say(planned.left_out)
    return planned


@contextmanager
def _begun(folder: RunFolder, planned: PlannedRun) -> Iterator[None]:
    """Holds the run's folder, and says what is not as it was when the run began."""
    with folder.begun(planned) as changes:
        for change in changes:
            say(change)
        yield


def _names(text: str) -> list[str] | None:
    if not text.strip():
        return None
    names = [word.strip() for word in text.split(",")]
    if not all(names):
        raise UsageError(f"--conditions {text!r}: an item is empty; write names with one comma between them")
    return names


def _estimate(
    planned: PlannedRun, arms: dict[str, Arm], prices: PriceTable, folder: RunFolder | None, slots: int
) -> Estimate:
    from ...diagnostics.runs import estimate_run, read_stored
    from ...diagnostics.runs.paced_model import price_of

    found = {name: price_of(arm.leaf, prices) for name, arm in arms.items()}
    stored = None if folder is None else read_stored(folder.records, found)
    return estimate_run(planned, prices=found, slots=slots, stored=stored)


def _budget(usd: float | None, tokens: int | None, seconds: float | None, estimate: Estimate) -> RunBudget:
    from pydantic import ValidationError

    from ...diagnostics.runs import RunBudget

    if usd is not None and estimate.unpriced:
        raise UsageError(f"--budget-usd needs the price of {estimate.unpriced[0]}; give --prices")
    try:
        return RunBudget(usd=usd, tokens=tokens, seconds=seconds)
    except ValidationError as error:
        first = error.errors()[0]
        raise UsageError(f"--budget-{first['loc'][0]}: {first['msg']}") from error


def _run(
    planned: PlannedRun,
    arms: dict[str, Arm],
    folder: RunFolder,
    engine: EngineSettings,
    recipe: ArmsRecipe,
    cluster: Cluster | None,
) -> RunOutcome:
    from ...diagnostics.runs import run_calls
    from ...diagnostics.runs.cluster import run_on_cluster
    from ...diagnostics.runs.interrupts import run_interruptibly

    async def start(interrupted: asyncio.Event) -> RunOutcome:
        if cluster is None:
            return await run_calls(planned, arms, folder, engine, interrupted=interrupted, on_progress=on_progress)
        return await run_on_cluster(
            planned,
            arms,
            folder,
            engine,
            cluster=cluster,
            recipe=recipe,
            interrupted=interrupted,
            on_progress=on_progress,
        )

    with shown_run_progress() as on_progress:
        return run_interruptibly(start)


def _show(folder: RunFolder, parquet: Path | None) -> None:
    from ...diagnostics.runs import export_parquet, results_table, run_results

    results = run_results(folder)
    text = json.dumps(results.model_dump(mode="json"), indent=1, ensure_ascii=True)
    (folder.root / "results.json").write_text(text + "\n", encoding="ascii")
    table = results_table(results)
    (folder.root / "table.txt").write_text(table, encoding="utf-8")
    typer.echo(table, nl=False)
    if parquet is not None:
        say(f"wrote {export_parquet(folder, parquet):,} records to {parquet}")


def _said(outcome: RunOutcome, folder: RunFolder) -> ExitCode:
    from ...diagnostics.runs import StopReason

    spent = outcome.spent
    money = f"${spent.usd:.4f}" if spent.calls and not spent.unpriced else "cost unknown"
    say(f"{outcome.asked:,} questions asked now, {outcome.failed:,} failed; {spent.tokens:,} tokens in all, {money}")
    if outcome.detail:
        say(f"stopped: {outcome.detail}")
    if outcome.left:
        say(f"{outcome.left:,} calls have no reply yet; the same command makes them and goes on in {folder.root}")
    return {
        StopReason.FINISHED: ExitCode.OK,
        StopReason.BUDGET: ExitCode.BUDGET_SPENT,
        StopReason.REFUSED: ExitCode.MODEL_UNAVAILABLE,
        StopReason.SILENT: ExitCode.MODEL_UNAVAILABLE,
        StopReason.INTERRUPTED: ExitCode.INTERRUPTED,
    }[outcome.stop]
