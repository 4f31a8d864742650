"""Density control on CUDA: gsplat's own `DefaultStrategy`, kept below a number of Gaussians."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..cameras import Camera
from ..errors import BenchDataError
from ..render.torch_projection import Projected
from .growing import Grown, threshold_for_room
from .parameters import Optimisers, Parameters, reset_opacities
from .settings import FitSettings

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["GsplatGrower"]


class GsplatGrower:
    """The same rounds as `DensityControl`, done by gsplat; its split draws from torch's global generator.

    Args:
        parameters, optimisers: changed in place.
        settings: of the fit.
        extent_m: of the scene.
    """

    def __init__(self, parameters: Parameters, optimisers: Optimisers, settings: FitSettings, extent_m: float) -> None:
        from gsplat import DefaultStrategy  # type: ignore[import-untyped, import-not-found, unused-ignore]

        growth, rounds = settings.growth, settings.growth.rounds(settings.steps)
        self._parameters, self._optimisers = parameters, optimisers
        self._settings, self._resets = settings, growth.resets(settings.steps)
        self._strategy: Any = DefaultStrategy(
            prune_opa=growth.least_opacity,
            grow_grad2d=growth.gradient,
            grow_scale3d=growth.large_share,
            prune_scale3d=growth.most_share,
            refine_start_iter=rounds[0] - 1 if rounds else 0,
            refine_stop_iter=rounds[-1] + 1 if rounds else 0,
            reset_every=growth.reset_every,
            refine_every=growth.every,
        )
        self._strategy.check_sanity(parameters, optimisers)
        self._state: dict[str, Any] = self._strategy.initialize_state(scene_scale=extent_m)
        self._means: Tensor | None = None

    def watched(self, projected: Projected) -> Projected:
        # gsplat wants a leading axis of cameras.
        self._means = projected.means_px[None]
        self._means.retain_grad()
        return projected._replace(means_px=self._means[0])

    def after_step(self, step: int, projected: Projected, camera: Camera) -> Grown | None:
        before = len(self._parameters["means"])
        self._strategy.grow_grad2d = self._threshold(projected, camera)
        info = {
            "width": camera.width,
            "height": camera.height,
            "n_cameras": 1,
            "gaussian_ids": None,
            "radii": projected.radii_px[None],
            "means2d": self._means,
        }
        self._strategy.step_post_backward(self._parameters, self._optimisers, self._state, step, info, packed=False)
        if step in self._resets:
            # The strategy's own reset never happens in gsplat 1.5: its condition is `step % n == 0 & step > 0`.
            reset_opacities(self._parameters, self._optimisers, 2 * self._settings.growth.least_opacity)
        after = len(self._parameters["means"])
        return None if after == before else Grown(max(after - before, 0), 0, max(before - after, 0))

    def _threshold(self, projected: Projected, camera: Camera) -> float:
        """The pull above which a Gaussian may grow, with what the strategy is about to add for this picture."""
        import torch

        growth, gradient = self._settings.growth, None if self._means is None else self._means.grad
        if gradient is None:
            return growth.gradient
        visible = projected.radii_px[:, 0] > 0
        half_sides = gradient.new_tensor([camera.width / 2, camera.height / 2])
        pull = torch.where(visible, torch.linalg.vector_norm(gradient[0] * half_sides, dim=-1), 0)
        seen = visible.to(pull.dtype)
        if self._state["grad2d"] is not None:
            pull, seen = pull + self._state["grad2d"], seen + self._state["count"]
        return threshold_for_room(pull / seen.clamp(min=1), growth.gradient, self._settings.max_gaussians - len(pull))

    def state(self) -> dict[str, Tensor]:
        return {key: self._state[key] for key in ("grad2d", "count") if self._state[key] is not None}

    def restore(self, state: dict[str, Tensor]) -> None:
        if set(state) - {"grad2d", "count"}:
            raise BenchDataError("the checkpoint was written by the CPU engine; go on with --engine numba")
        self._state.update(state)
