"""One stage of training: a loop with a schedule, a curve, and checkpoints from which it goes on after a kill."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from ...bench_data.degrade.seeds import derived_rng
from ...bench_data.whole_file import whole_file
from ..errors import DiagnosticsError

if TYPE_CHECKING:
    import torch

__all__ = ["Stage", "StageSettings", "finished", "load_modules", "read_curve", "run_stage"]

_SAVE_EVERY, _CURVE_EVERY = 500, 50
_WARM_UP, _DECAY_SHARE = 100, 0.2


class StageSettings(BaseModel):
    """How long and how fast.

    Args:
        steps: of the optimiser.
        batch: pictures in each.
        learning_rate: after the warm-up; falls to zero over the last fifth.
        weight_decay: of matrices.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    steps: int = Field(ge=0)
    batch: int = Field(ge=1)
    learning_rate: float = Field(gt=0)
    weight_decay: float = Field(default=0.03, ge=0)


Loss = Callable[[np.random.Generator, float], Mapping[str, "torch.Tensor"]]
"""Draws a batch, knowing what share of the stage is done, and gives named losses, which are added up."""


@dataclass(frozen=True)
class Stage:
    """What is trained, and on what.

    Args:
        name: of its files.
        modules: name -> what is kept in a checkpoint.
        trained: names of those that change.
        loss: see `Loss`.
        examine: numbers for the record, once at the end and at every checkpoint.
    """

    name: str
    modules: Mapping[str, torch.nn.Module]
    trained: tuple[str, ...]
    loss: Loss
    examine: Callable[[], Mapping[str, float]]


def run_stage(
    stage: Stage,
    settings: StageSettings,
    folder: Path,
    *,
    seed: int,
    on_step: Callable[[str, int, int, float], None] | None = None,
) -> list[dict[str, float]]:
    """Trains until the stage is done, from where it was left.

    Args:
        stage, settings: what to do.
        folder: of checkpoint and curve.
        seed: of all draws.
        on_step: called with the stage's name, steps done, steps in all, and the loss.

    Returns:
        The curve: step, losses and seconds every 50 steps, and what `Stage.examine` says at checkpoints.

    Raises:
        DiagnosticsError: a damaged checkpoint, or a loss that is not finite.
    """
    import torch

    optimiser = _optimiser(stage, settings)
    state_file, curve_file = folder / f"{stage.name}.pt", folder / f"{stage.name}-curve.jsonl"
    start = _restore(stage, optimiser, state_file)
    curve = [row for row in read_curve(folder, stage.name) if row["step"] <= start]
    parameters = [one for group in optimiser.param_groups for one in group["params"]]
    began, sums = time.monotonic(), dict[str, float]()
    rng = derived_rng("nano stage", stage.name, seed, start)
    for step in range(start, settings.steps):
        for group in optimiser.param_groups:
            group["lr"] = settings.learning_rate * _pace(step, settings.steps)
        losses = stage.loss(rng, step / settings.steps)
        total = torch.stack(list(losses.values())).sum()
        if not torch.isfinite(total):
            raise DiagnosticsError(
                f"stage {stage.name}: the loss of step {step} is not finite; lower the learning rate"
            )
        total.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
        optimiser.zero_grad()
        for name, value in losses.items():
            sums[name] = sums.get(name, 0.0) + float(value.detach()) / _CURVE_EVERY
        done = step + 1
        if done % _CURVE_EVERY == 0 or done == settings.steps:
            curve.append({"step": done, **sums, "seconds": time.monotonic() - began})
            if on_step is not None:
                on_step(stage.name, done, settings.steps, sum(sums.values()))
            began, sums = time.monotonic(), {}
        if done % _SAVE_EVERY == 0 or done == settings.steps:
            curve[-1] |= stage.examine()
            _write_curve(curve_file, curve)
            _save(stage, optimiser, state_file, done)
            rng = derived_rng("nano stage", stage.name, seed, done)
    return curve


def _pace(step: int, steps: int) -> float:
    """The share of the full learning rate."""
    decay = max(1.0, _DECAY_SHARE * steps)
    return min(1.0, (step + 1) / min(_WARM_UP, max(1, steps // 5)), (steps - step) / decay)


def _optimiser(stage: Stage, settings: StageSettings) -> torch.optim.AdamW:
    import torch

    chosen = {id(one): one for name in stage.trained for one in stage.modules[name].parameters()}.values()
    return torch.optim.AdamW(
        [
            {"params": [one for one in chosen if one.ndim > 1], "weight_decay": settings.weight_decay},
            {"params": [one for one in chosen if one.ndim < 2], "weight_decay": 0.0},
        ],
        lr=settings.learning_rate,
        betas=(0.9, 0.98),
    )


def finished(file: Path, settings: StageSettings) -> bool:
    """Whether a stage's checkpoint is that of its last step.

    Raises:
        DiagnosticsError: it is damaged.
    """
    return file.is_file() and int(_state(file)["step"]) >= settings.steps


def load_modules(modules: Mapping[str, torch.nn.Module], file: Path) -> None:
    """Takes weights over from a stage's checkpoint.

    Raises:
        DiagnosticsError: it is missing or damaged, or holds other modules.
    """
    state = _state(file)
    try:
        for name, module in modules.items():
            module.load_state_dict(state["modules"][name])
    except (KeyError, RuntimeError) as error:
        raise DiagnosticsError(f"{file} does not fit: {error}; remove it to begin this stage again") from error


def _restore(stage: Stage, optimiser: torch.optim.AdamW, file: Path) -> int:
    if not file.is_file():
        return 0
    load_modules(stage.modules, file)
    state = _state(file)
    try:
        optimiser.load_state_dict(state["optimiser"])
    except (KeyError, ValueError) as error:
        raise DiagnosticsError(f"{file} does not fit: {error}; remove it to begin this stage again") from error
    return int(state["step"])


def _state(file: Path) -> dict[str, Any]:
    import torch

    try:
        state: dict[str, Any] = torch.load(file, weights_only=True)
    except Exception as error:
        raise DiagnosticsError(
            f"cannot read {file}: {type(error).__name__}: {error}; remove it to begin this stage again"
        ) from error
    return state


def read_curve(folder: Path, stage: str) -> list[dict[str, float]]:
    """The curve of a stage; empty for one that has not begun."""
    file = folder / f"{stage}-curve.jsonl"
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.is_file() else []


def _save(stage: Stage, optimiser: torch.optim.AdamW, file: Path, step: int) -> None:
    import torch

    state = {
        "modules": {name: module.state_dict() for name, module in stage.modules.items()},
        "optimiser": optimiser.state_dict(),
        "step": step,
    }
    with whole_file(file) as part:
        torch.save(state, part)


def _write_curve(file: Path, curve: list[dict[str, float]]) -> None:
    with whole_file(file) as part:
        part.write_text("".join(json.dumps(row) + "\n" for row in curve), encoding="utf-8")
