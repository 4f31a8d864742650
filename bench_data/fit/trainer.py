"""The optimisation itself: one picture a step, reproducible from the seed, and able to stop and go on anywhere."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..degrade.seeds import derived_rng
from ..errors import BenchDataError
from ..render.engines import Engine, EngineChoice, choose_engine
from ..render.settings import RenderSettings
from ..render.torch_projection import Projected, project
from ..splats import GaussianCloud
from .growing import DensityControl, Grower, NoGrowth
from .initial import scene_extent_m
from .losses import depth_loss, photometric_loss, psnr_db, ssim
from .parameters import (
    NAMES,
    activated,
    cloud_from_parameters,
    make_optimisers,
    parameters_from_cloud,
    position_rate,
)
from .rasteriser import Drawn, Rasterise, rasterise_cpu, rasterise_gsplat
from .settings import FitSettings
from .views import FitView

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["StepReport", "Trainer", "ViewScore", "fitting_engine"]

_LARGEST_EXTENTS = 3.0
"""No scale grows beyond this many extents: what is so large has no gradient left that would shrink it."""


class StepReport(NamedTuple):
    """What one step saw."""

    step: int
    """Steps done, this one included."""
    loss: float
    psnr_db: float
    """Of the picture of this step, before its parameters changed."""
    gaussians: int


class ViewScore(NamedTuple):
    """How well a view is drawn."""

    name: str
    psnr_db: float
    ssim: float


class Trainer:
    """Fits a cloud to views.

    Args:
        views: at least one.
        initial: the cloud to start from; its SH degree is the one that is fitted.
        settings: of the fit.
        engine: "auto" (gsplat on CUDA where that works, else the CPU), "numba" or "gsplat".
        threads: of the CPU's kernels; None for all that the process may use. torch itself works with one thread on the
            CPU, so that the bytes of the result depend neither on the threads nor on the number of cores.

    Raises:
        BenchDataError: an empty start, or an engine that cannot run here.
    """

    def __init__(
        self,
        views: Sequence[FitView],
        initial: GaussianCloud,
        settings: FitSettings,
        *,
        engine: str = "auto",
        threads: int | None = None,
    ) -> None:
        if not views or len(initial) == 0:
            raise BenchDataError("a fit needs at least one picture and one Gaussian to start from")
        self.views, self.settings, self.steps_done = tuple(views), settings, 0
        self.engine: Engine = fitting_engine(engine).engine
        self.device = "cuda" if self.engine == "gsplat" else "cpu"
        self.extent_m = scene_extent_m(views, initial)
        self._threads = threads
        self._limits = RenderSettings(max_alpha=_max_alpha(self.engine))
        self._rasterise = self._rasteriser()
        self._parameters = parameters_from_cloud(initial.with_sh_degree(settings.sh_degree), device=self.device)
        self._optimisers = make_optimisers(self._parameters, settings.rates)
        self._grower = self._make_grower()
        if self.device == "cuda":
            import torch

            torch.manual_seed(settings.seed)

    def __len__(self) -> int:
        return len(self._parameters["means"])

    def cloud(self) -> GaussianCloud:
        """The cloud as it is now."""
        return cloud_from_parameters(self._parameters)

    def advance(self) -> StepReport:
        """Does one step.

        Raises:
            BenchDataError: the loss is not finite, or no Gaussian is left.
        """
        step, view = self.steps_done, self._view_at(self.steps_done)
        with _one_torch_thread(self.device):
            projected, drawn = self._draw(view, step)
            image = drawn.image + (1 - drawn.alpha[..., None]) * self._background(step)
            target = self._target(view)
            loss = photometric_loss(image, target, self.settings.dssim_weight)
            if view.depth_m is not None and self.settings.depth_weight > 0:
                depth_m = self._tensor(view.depth_m)
                loss = loss + self.settings.depth_weight * depth_loss(drawn, depth_m)
            reached = float(loss.detach())
            if not math.isfinite(reached):
                raise BenchDataError(
                    f"the loss is {reached} at step {step} ({view.name}); lower the learning rates, or look whether "
                    "this picture's camera is right"
                )
            psnr = psnr_db(image.detach(), target)
            loss.backward()  # type: ignore[no-untyped-call]
            self._step_optimisers(step)
            self.steps_done += 1
            self._grower.after_step(self.steps_done, projected, view.camera)
        if len(self) == 0:
            raise BenchDataError("no Gaussian is left: all became transparent; is every pose right?")
        return StepReport(self.steps_done, reached, psnr, len(self))

    def scores(self, views: Sequence[FitView]) -> tuple[ViewScore, ...]:
        """PSNR and SSIM of views over the fixed background."""
        import torch

        scores = []
        background = self._tensor(np.asarray(self.settings.background, np.float32))
        with torch.no_grad(), _one_torch_thread(self.device):
            for view in views:
                tensors = activated(self._parameters, self.settings.sh_degree)
                drawn = self._rasterise(project(tensors, view.camera, self._limits), view.camera, self._limits)
                image = (drawn.image + (1 - drawn.alpha[..., None]) * background).clamp(0, 1)
                target = self._target(view)
                scores.append(ViewScore(view.name, psnr_db(image, target), float(ssim(image, target))))
        return tuple(scores)

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Everything that a later `restore` needs to go on as if nothing had happened."""
        arrays: dict[str, NDArray[np.generic]] = {"steps_done": np.array(self.steps_done)}
        for name in NAMES:
            parameter = self._parameters[name]
            arrays[f"parameter/{name}"] = _copied(parameter)
            for key, value in self._optimisers[name].state[parameter].items():
                arrays[f"adam/{name}/{key}"] = _copied(value)
        for key, value in self._grower.state().items():
            arrays[f"growth/{key}"] = _copied(value)
        return arrays

    def restore(self, arrays: dict[str, NDArray[np.generic]]) -> None:
        """Goes on from `state`.

        Raises:
            BenchDataError: arrays that are not those of a fit with these settings.
        """
        import torch

        missing = [name for name in NAMES if f"parameter/{name}" not in arrays]
        if missing or "steps_done" not in arrays:
            raise BenchDataError(f"this is not the state of a fit: {', '.join(missing) or 'steps_done'} is missing")
        self.steps_done = int(arrays["steps_done"])
        for name in NAMES:
            array = arrays[f"parameter/{name}"]
            if array.shape[1:] != tuple(self._parameters[name].shape[1:]):
                raise BenchDataError(f"the state's {name} has shape {array.shape}, which another SH degree had")
            self._parameters[name] = torch.nn.Parameter(self._tensor(array))
        self._optimisers.clear()
        self._optimisers.update(make_optimisers(self._parameters, self.settings.rates))
        for name in NAMES:
            prefix = f"adam/{name}/"
            moments = {key[len(prefix) :]: self._tensor(a) for key, a in arrays.items() if key.startswith(prefix)}
            if moments:
                self._optimisers[name].state[self._parameters[name]] = moments
        grown = {key[len("growth/") :]: self._tensor(a) for key, a in arrays.items() if key.startswith("growth/")}
        if grown:
            self._grower.restore(grown)

    def _draw(self, view: FitView, step: int) -> tuple[Projected, Drawn]:
        tensors = activated(self._parameters, self.settings.sh_degree_at(step))
        projected = self._grower.watched(project(tensors, view.camera, self._limits))
        return projected, self._rasterise(projected, view.camera, self._limits)

    def _step_optimisers(self, step: int) -> None:
        import torch

        rate = position_rate(step, self.settings.steps, self.settings.rates, self.extent_m)
        self._optimisers["means"].param_groups[0]["lr"] = rate
        for optimiser in self._optimisers.values():
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)
        with torch.no_grad():
            self._parameters["scales"].clamp_(max=math.log(_LARGEST_EXTENTS * self.extent_m))

    def _view_at(self, step: int) -> FitView:
        """All views once, in an order of chance, before any comes again."""
        epoch, place = divmod(step, len(self.views))
        order = derived_rng("order of views", self.settings.seed, epoch).permutation(len(self.views))
        return self.views[int(order[place])]

    def _background(self, step: int) -> Tensor:
        colour = np.asarray(self.settings.background, np.float32)
        if self.settings.random_background:
            colour = derived_rng("background", self.settings.seed, step).random(3, np.float32)
        return self._tensor(colour)

    def _target(self, view: FitView) -> Tensor:
        return self._tensor(view.image_srgb_u8).float() / 255

    def _tensor(self, array: NDArray[np.generic]) -> Tensor:
        import torch

        return torch.tensor(array, device=self.device)

    def _rasteriser(self) -> Rasterise:
        if self.engine == "gsplat":
            return rasterise_gsplat
        return lambda projected, camera, limits: rasterise_cpu(projected, camera, limits, threads=self._threads)

    def _make_grower(self) -> Grower:
        if not self.settings.grow:
            return NoGrowth()
        if self.engine == "gsplat":
            from .gsplat_growing import GsplatGrower

            return GsplatGrower(self._parameters, self._optimisers, self.settings, self.extent_m)
        return DensityControl(self._parameters, self._optimisers, self.settings, self.extent_m)


def fitting_engine(name: str) -> EngineChoice:
    """The engine for a fit: "auto" (gsplat on CUDA where that works, else the CPU), "numba" or "gsplat".

    Raises:
        BenchDataError: no such engine, or it cannot run here; the message says why.
    """
    if name == "reference":
        raise BenchDataError('a fit with the slow reference would take days; use engine="numba"')
    return choose_engine(name, RenderSettings(max_alpha=_max_alpha("numba" if name == "numba" else "gsplat")))


def _max_alpha(engine: str) -> float:
    """The limit of one Gaussian's alpha: gsplat's is compiled in, and another in 1.6 than in 1.5."""
    from ..render.engines import why_no_gsplat

    if engine != "gsplat" or why_no_gsplat() is not None:
        return RenderSettings().max_alpha
    from ..render.gsplat_engine import gsplat_max_alpha

    return gsplat_max_alpha()


def _copied(tensor: Tensor) -> NDArray[np.generic]:
    """The values as they are now; torch's own arrays would change with the next step."""
    return np.array(tensor.detach().cpu().numpy())


@contextmanager
def _one_torch_thread(device: str) -> Iterator[None]:
    """On the CPU torch works with one thread inside the block.

    Sums over a picture depend on how many threads share them; and on a busy machine torch's threads, which spin while
    they wait for each other, cost more than they give at these sizes.
    """
    import torch

    before = torch.get_num_threads()
    if device != "cpu" or before == 1:
        yield
        return
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
