"""fit: pictures in, a cloud and a report out; may be stopped and taken up again."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from ..errors import BenchDataError
from ..splats import GaussianCloud
from .checkpoint import read_checkpoint, write_checkpoint
from .initial import initial_cloud
from .settings import FitSettings
from .trainer import StepReport, Trainer, ViewScore
from .views import FitData

__all__ = ["CHECKPOINT_EVERY", "Fit", "fit"]

CHECKPOINT_EVERY = 500
"""Steps between two checkpoints."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Fit:
    """What `fit` returns."""

    cloud: GaussianCloud
    settings: FitSettings
    engine: str
    steps_done: int
    """Fewer than ``settings.steps`` when it was stopped."""
    started_with: int
    """Gaussians at the start."""
    extent_m: float
    """The length that rates of positions and limits of size were relative to."""
    fitted: tuple[ViewScore, ...]
    """How the views that it was fitted to are drawn; empty when it was stopped."""
    held_out: tuple[ViewScore, ...]
    """How views that it never saw are drawn."""

    @property
    def finished(self) -> bool:
        """Whether all steps were done."""
        return self.steps_done == self.settings.steps

    def report(self) -> str:
        """The fit as JSON text, the same for the same fit: settings, counts and the scores of every view."""
        table = {
            "engine": self.engine,
            "steps_done": self.steps_done,
            "gaussians": len(self.cloud),
            "started_with": self.started_with,
            "extent_m": self.extent_m,
            "fitted": _summary(self.fitted),
            "held_out": _summary(self.held_out),
            "settings": asdict(self.settings),
        }
        return json.dumps(table, indent=1) + "\n"


def fit(
    data: FitData,
    settings: FitSettings | None = None,
    *,
    hold_out: int = 8,
    initial: GaussianCloud | None = None,
    engine: str = "auto",
    threads: int | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
    on_step: Callable[[StepReport], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Fit:
    """Fits 3D Gaussians to posed pictures (Kerbl et al. 2023).

    On the CPU the result is the same, byte for byte, for the same data and settings, also when it was stopped and taken
    up again.

    Args:
        data: the pictures, their cameras, and perhaps depth and points.
        settings: None for the defaults.
        hold_out: every so many pictures one is kept out and scored at the end; 0 for none.
        initial: a cloud to start from; None for points of the model, measured depth, or chance.
        engine, threads: see `Trainer`.
        checkpoint: an ``.npz`` that is written now and then, when the fit is stopped, and at the end; remove it once
            the result is stored.
        resume: go on from the checkpoint.
        on_step: called after each step.
        should_stop: asked after each step; the fit ends early when it says so.

    Raises:
        BenchDataError: data that cannot be fitted, or a checkpoint of other data or settings.
    """
    settings = settings or FitSettings()
    views, kept_out = data.split(hold_out)
    start = initial_cloud(views, data.points, settings) if initial is None else initial
    trainer = Trainer(views, start, settings, engine=engine, threads=threads)
    meta = _meta(data, settings, hold_out, start, trainer.engine)
    if resume:
        if checkpoint is None:
            raise BenchDataError("resume=True needs the checkpoint to go on from")
        _restore(trainer, checkpoint, meta)
    stopped = False
    while trainer.steps_done < settings.steps and not stopped:
        report = trainer.advance()
        if on_step is not None:
            on_step(report)
        stopped = should_stop is not None and should_stop()
        due = stopped or trainer.steps_done % CHECKPOINT_EVERY == 0 or trainer.steps_done == settings.steps
        if checkpoint is not None and due:
            write_checkpoint(checkpoint, trainer.state(), meta)
    done = trainer.steps_done == settings.steps
    return Fit(
        cloud=trainer.cloud(),
        settings=settings,
        engine=trainer.engine,
        steps_done=trainer.steps_done,
        started_with=len(start),
        extent_m=trainer.extent_m,
        fitted=trainer.scores(views) if done else (),
        held_out=trainer.scores(kept_out) if done else (),
    )


def _meta(data: FitData, settings: FitSettings, hold_out: int, start: GaussianCloud, engine: str) -> dict[str, object]:
    """What must be the same for a checkpoint to be gone on from."""
    sha = hashlib.sha256()
    for array in (start.means, start.quats_wxyz, start.scales, start.opacities, start.sh):
        sha.update(np.ascontiguousarray(array).tobytes())
    return {
        "data": data.fingerprint(),
        "start": sha.hexdigest(),
        "engine": engine,
        "hold_out": hold_out,
        "settings": json.loads(json.dumps(asdict(settings))),
    }


def _restore(trainer: Trainer, checkpoint: Path, meta: dict[str, object]) -> None:
    arrays, written = read_checkpoint(checkpoint)
    differing = [name for name in meta if name != "settings" and written.get(name) != meta[name]]
    ours, theirs = meta["settings"], written.get("settings")
    if isinstance(ours, dict) and isinstance(theirs, dict):
        differing += [name for name in ours if ours[name] != theirs.get(name)]
    if differing:
        raise BenchDataError(
            f"cannot go on from {checkpoint}: it was made with another {', '.join(differing)}; give the same pictures "
            "and options as then, or start anew without resuming"
        )
    trainer.restore(arrays)


def _summary(scores: Sequence[ViewScore]) -> dict[str, object] | None:
    """Means over views, as is usual for both, and each view; None without views."""
    if not scores:
        return None
    finite = [score.psnr_db for score in scores if math.isfinite(score.psnr_db)]
    return {
        "views": len(scores),
        "psnr_db": math.fsum(finite) / len(finite) if finite else None,
        "ssim": math.fsum(score.ssim for score in scores) / len(scores),
        "by_view": [
            {"name": s.name, "psnr_db": s.psnr_db if math.isfinite(s.psnr_db) else None, "ssim": s.ssim} for s in scores
        ],
    }
