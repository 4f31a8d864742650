"""``seeworthy nano``: training of the embedded models, and the study of what they can do."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .common import ExitCode, say

if TYPE_CHECKING:
    from ...diagnostics.nano.plans import Plan

__all__ = ["app"]

_TENTHS = 10
_QUIET_S = 60.0

app = typer.Typer(
    name="nano",
    help="Trains the embedded models, and puts them to the test.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command()
def train(
    out: Annotated[Path, typer.Option("-o", "--out", help="A folder for rooms, checkpoints and both models.")],
    rooms: Annotated[int | None, typer.Option("--rooms", min=1, help="Rooms to learn from.")] = None,
    effort: Annotated[
        float, typer.Option("--effort", min=0.0001, help="Times the usual number of steps in every stage.")
    ] = 1.0,
    seed: Annotated[int, typer.Option("--seed")] = 1,
    begun: Annotated[
        Path | None,
        typer.Option("--from", help="A folder with both models: go on from these, in rooms that they have not seen."),
    ] = None,
    room_seed: Annotated[
        int | None, typer.Option("--room-seed", help="Of the rooms; other than that of an earlier training.")
    ] = None,
    jobs: Annotated[int | None, typer.Option("--jobs", min=1, help="Processes that make rooms.")] = None,
) -> int:
    """Train nano and nano-sft: hours on two cores from nothing, one from finished models. The same command goes on."""
    # Before torch is loaded: its threads would spin while they wait.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    from ...diagnostics.nano import NAMES, FurtherPlan, TrainingPlan, digests_of
    from ...diagnostics.nano import train as run

    usual = (
        TrainingPlan(seed=seed) if begun is None else FurtherPlan(seed=seed, begun=digests_of(begun, NAMES, out=out))
    )
    plan = _scaled(usual, effort)
    changed: dict[str, object] = {} if rooms is None else {"rooms": rooms}
    if room_seed is not None:
        changed["room"] = plan.room.model_copy(update={"seed": room_seed})
    for folder in run(out, plan.model_copy(update=changed), begun=begun, jobs=jobs, on_step=_lines()):
        say(f"wrote {folder}")
    return ExitCode.OK


@app.command()
def evaluate(
    out: Annotated[Path, typer.Option("-o", "--out", help="A folder for data, replies, page and report.")],
    quick: Annotated[
        bool, typer.Option("--quick", help="A few rooms and conditions: minutes, wide intervals.")
    ] = False,
    model: Annotated[
        list[str] | None, typer.Option("--model", "-m", help="In place of nano and nano-sft; may be repeated.")
    ] = None,
    jobs: Annotated[int | None, typer.Option("--jobs", min=1, help="Processes that make rooms.")] = None,
) -> int:
    """Measure nano and nano-sft on held-out rooms, alone, within the solver, and blind. The same command goes on."""
    # Before torch is loaded: its threads would spin while they wait.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    from ...tools.models.registry import EMBEDDED_MODELS, resolve_model
    from ..nano_study import evaluate as run
    from ..nano_study import study_settings
    from ..nano_study.steps import Show
    from .bench_progress import shown_run_progress
    from .data.progress import shown_progress

    names = model or list(EMBEDDED_MODELS)
    flags = "".join(f" -m {name}" for name in model or ()) + (" --quick" if quick else "")
    written = run(
        out,
        study_settings(quick=quick),
        [resolve_model(name) for name in names],
        command=f"seeworthy nano evaluate -o DIR{flags}",
        show=Show(building=shown_progress, asking=shown_run_progress),
        tell=say,
        jobs=jobs,
    )
    say(f"results: {written.page}; the whole report: {written.report}")
    return ExitCode.OK


def _scaled(plan: Plan, effort: float) -> Plan:
    """The plan with so many times the steps in every stage."""
    from ...diagnostics.nano import StageSettings

    stages = {
        name: stage.model_copy(update={"steps": max(1, math.ceil(stage.steps * effort))})
        for name, stage in plan
        if isinstance(stage, StageSettings)
    }
    return plan.model_copy(update=stages)


def _lines() -> Callable[[str, int, int, float], None]:
    """A line whenever a tenth of a stage is done, and once a minute."""
    shown: dict[str, tuple[int, float]] = {}

    def line(what: str, done: int, total: int, loss: float) -> None:
        tenth, now = done * _TENTHS // total, time.monotonic()
        last = shown.get(what)
        if last is None or tenth != last[0] or now - last[1] >= _QUIET_S:
            shown[what] = (tenth, now)
            say(f"{what}: {done:,} of {total:,}" + ("" if math.isnan(loss) else f", loss {loss:.3f}"))

    return line
