"""``seeworthy fit``: 3D Gaussians from posed pictures or RGB-D."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from .common import ExitCode, UsageError, say

if TYPE_CHECKING:
    from ...bench_data.fit import Fit, FitData, FitSettings, StepReport
    from ...bench_data.fit.loading.rgbd import Intrinsics

__all__ = ["fit"]

_LINES_WITHOUT_TERMINAL = 10
_SMOOTHING = 0.05
"""Weight of the newest step in the loss and PSNR that are shown; steps see different pictures."""


class Engine(StrEnum):
    """What fits."""

    AUTO = "auto"
    NUMBA = "numba"
    GSPLAT = "gsplat"


def fit(
    out: Annotated[Path, typer.Option("-o", "--out", help="The .ply to write; OUT.fit.json is its report.")],
    images: Annotated[
        Path | None, typer.Option("--images", help="A folder of pictures, or one with a transforms.json.")
    ] = None,
    colmap: Annotated[
        Path | None, typer.Option("--colmap", help="Their COLMAP model. Without one, pycolmap finds the poses.")
    ] = None,
    rgbd: Annotated[
        Path | None, typer.Option("--rgbd", help="An RGB-D recording, as TUM or Open3D lay it out.")
    ] = None,
    steps: Annotated[int, typer.Option("--steps", min=1)] = 3000,
    max_gaussians: Annotated[int, typer.Option("--max-gaussians", min=2)] = 100_000,
    downscale: Annotated[int, typer.Option("--downscale", min=1, help="Make pictures smaller by this.")] = 1,
    hold_out: Annotated[
        int, typer.Option("--hold-out", min=0, help="Keep every so many pictures out, to be scored. 0: none.")
    ] = 8,
    sh_degree: Annotated[int, typer.Option("--sh-degree", min=0, max=3, help="Of the colours.")] = 2,
    grow: Annotated[bool, typer.Option("--grow/--no-grow", help="Add and remove Gaussians meanwhile.")] = True,
    depth_weight: Annotated[
        float, typer.Option("--depth-weight", min=0, help="Of depth in the loss, where there is depth.")
    ] = 0.2,
    depth_units: Annotated[
        float | None, typer.Option("--depth-units", help="What a metre is in depth files, if not as usual.")
    ] = None,
    intrinsics: Annotated[
        str | None, typer.Option("--intrinsics", help="FX,FY,CX,CY of an RGB-D camera, if not the Kinect's.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where an earlier run was stopped.")] = False,
    seed: Annotated[int, typer.Option("--seed")] = 0,
    engine: Annotated[Engine, typer.Option("--engine")] = Engine.AUTO,
) -> int:
    """Fit 3D Gaussians to photographs with poses, or to RGB-D."""
    # Before torch is loaded: its threads would spin while they wait.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    _check(out, images, colmap, rgbd)
    if rgbd is None and (depth_units is not None or intrinsics is not None):
        raise UsageError("--depth-units and --intrinsics belong to --rgbd")
    from ...bench_data.fit import FitSettings
    from ...bench_data.fit import fit as run

    settings = FitSettings(
        steps=steps,
        max_gaussians=max_gaussians,
        sh_degree=sh_degree,
        grow=grow,
        depth_weight=depth_weight,
        seed=seed,
    )
    checkpoint = out.with_suffix(".checkpoint.npz")
    if resume and not checkpoint.is_file():
        raise UsageError(f"--resume: there is no {checkpoint}; the fit was finished, or never begun")
    if checkpoint.is_file() and not resume:
        say(f"{checkpoint} of an earlier run will be overwritten; --resume would go on from it")
    data = _data(images, colmap, rgbd, out, downscale, depth_units, intrinsics)
    _prepare(engine, data, settings)
    with _stop_on_interrupt() as should_stop, _progress(steps) as on_step:
        result = run(
            data,
            settings,
            hold_out=hold_out,
            engine=engine.value,
            checkpoint=checkpoint,
            resume=resume,
            on_step=on_step,
            should_stop=should_stop,
        )
    if not result.finished:
        say(f"stopped after {result.steps_done} of {steps} steps; the same command with --resume goes on")
        return ExitCode.INTERRUPTED
    _write(result, out)
    checkpoint.unlink(missing_ok=True)
    return ExitCode.OK


def _check(out: Path, images: Path | None, colmap: Path | None, rgbd: Path | None) -> None:
    import importlib.util

    if (images is None) == (rgbd is None):
        raise UsageError("give either --images or --rgbd")
    if colmap is not None and images is None:
        raise UsageError("--colmap is the model of --images")
    if images is not None and not images.is_dir():
        raise UsageError(f"--images {images}: there is no such folder")
    if out.suffix.lower() != ".ply":
        raise UsageError(f"cannot write {out}: the name must end in .ply; seeworthy scene convert makes others of it")
    if not out.parent.is_dir():
        raise UsageError(f"cannot write {out}: there is no folder {out.parent}")
    _check_writable(out)
    if importlib.util.find_spec("torch") is None:
        raise UsageError('fitting needs torch: pip install "seeworthy[torch]"')


def _check_writable(out: Path) -> None:
    """Finds out before hours of work, and not after them, that nothing can be written."""
    import tempfile

    from ...bench_data.errors import OutputError
    from ...bench_data.whole_file import check_place

    try:
        for place in (out, out.with_suffix(".fit.json"), out.with_suffix(".checkpoint.npz")):
            check_place(place)
        with tempfile.TemporaryFile(dir=out.parent) as probe:
            probe.write(bytes(4096))
    except OutputError as error:
        raise UsageError(str(error)) from error
    except OSError as error:
        raise OutputError(f"cannot write to {out.parent}: {error.strerror or error}") from error


def _data(
    images: Path | None,
    colmap: Path | None,
    rgbd: Path | None,
    out: Path,
    downscale: int,
    depth_units: float | None,
    intrinsics: str | None,
) -> FitData:
    from ...bench_data.fit.loading import find_poses, load_images, load_rgbd
    from ...bench_data.fit.loading.images import TRANSFORMS

    if rgbd is not None:
        data = load_rgbd(rgbd, downscale=downscale, intrinsics=_parsed(intrinsics), depth_units_per_metre=depth_units)
    elif images is not None:
        if colmap is None and not (images / TRANSFORMS).is_file():
            workspace = out.with_suffix(".colmap")
            say(f"no model given: COLMAP looks for the poses, which takes a while; its results stay in {workspace}")
            colmap = find_poses(images, workspace)
        data = load_images(images, colmap, downscale=downscale)
    for note in data.notes:
        say(note)
    return data


def _parsed(text: str | None) -> Intrinsics | None:
    from ...bench_data.fit.loading.rgbd import Intrinsics

    if text is None:
        return None
    try:
        fx, fy, cx, cy = (float(word) for word in text.split(","))
    except ValueError:
        raise UsageError(f"--intrinsics {text!r} is not FX,FY,CX,CY, such as 525,525,319.5,239.5") from None
    return Intrinsics(fx, fy, cx, cy)


def _prepare(engine: Engine, data: FitData, settings: FitSettings) -> None:
    """Says what will be done, and compiles what is not in the cache."""
    from ...bench_data.fit.trainer import fitting_engine

    choice = fitting_engine(engine.value)
    size = data.views[0].camera
    depth = ", with depth" if any(view.depth_m is not None for view in data.views) else ""
    say(f"{len(data.views)} pictures, first {size.width}x{size.height}{depth}; {choice.engine} ({choice.why})")
    if choice.engine == "numba":
        from ...bench_data.fit.warm_up import warm_up

        note = warm_up()
        if note:
            say(note)


@contextmanager
def _stop_on_interrupt() -> Iterator[Callable[[], bool]]:
    """Ctrl-C ends the fit after the step at hand; a second one ends the program at once."""
    wanted = False

    def stop(signum: int, frame: FrameType | None) -> None:
        nonlocal wanted
        if wanted:
            raise KeyboardInterrupt
        wanted = True
        say("stopping after this step; press again to quit without a checkpoint")

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield lambda: wanted
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _progress(steps: int) -> Iterator[Callable[[StepReport], None]]:
    """A line on stderr: step, loss, PSNR, number of Gaussians, time to go; some plain lines where nobody watches."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    smooth: dict[str, float] = {}

    def text(report: StepReport) -> str:
        for name, value in (("loss", report.loss), ("psnr", min(report.psnr_db, 99.0))):
            smooth[name] = (1 - _SMOOTHING) * smooth.get(name, value) + _SMOOTHING * value
        return f"loss {smooth['loss']:.4f}  PSNR {smooth['psnr']:.2f} dB  {report.gaussians:,} Gaussians"

    if not sys.stderr.isatty():
        every, begun = max(steps // _LINES_WITHOUT_TERMINAL, 1), time.monotonic()
        first: list[int] = []

        def line(report: StepReport) -> None:
            shown = text(report)
            first[:] = first or [report.step - 1]
            if report.step % every == 0 or report.step == steps:
                done = report.step - first[0]
                to_go_s = (time.monotonic() - begun) / done * (steps - report.step)
                say(f"step {report.step}/{steps}  {shown}  {to_go_s:.0f} s to go")

        yield line
        return
    columns = (TextColumn("fit"), BarColumn(24), MofNCompleteColumn(), TextColumn("{task.fields[shown]}"))
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True)) as bar:
        task = bar.add_task("fit", total=steps, shown="")
        yield lambda report: bar.update(task, completed=report.step, shown=text(report))


def _write(result: Fit, out: Path) -> None:
    from ...bench_data.fit.checkpoint import write_text_atomically
    from ...bench_data.splats import write_splats

    write_splats(result.cloud, out)
    report = out.with_suffix(".fit.json")
    write_text_atomically(report, result.report())
    for name, scores in (("fitted", result.fitted), ("held out", result.held_out)):
        if scores:
            psnr = sum(score.psnr_db for score in scores) / len(scores)
            ssim = sum(score.ssim for score in scores) / len(scores)
            say(f"{name}: PSNR {psnr:.2f} dB, SSIM {ssim:.4f}, mean of {len(scores)} pictures")
    say(f"wrote {out} ({len(result.cloud):,} Gaussians) and {report}")
