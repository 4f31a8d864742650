"""What a fit depends on besides its pictures. The numbers are those of Kerbl et al. 2023 unless said otherwise."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from ..errors import BenchDataError

__all__ = ["FitSettings", "Growth", "LearningRates"]


@dataclass(frozen=True, kw_only=True)
class LearningRates:
    """Adam's rate of each kind of parameter, in the space in which it is optimised."""

    means_first: float = 1.6e-4
    """Of positions at the first step, times the scene's extent."""
    means_last: float = 1.6e-6
    """At the last step; in between it falls exponentially."""
    quats: float = 1e-3
    log_scales: float = 5e-3
    logit_opacities: float = 5e-2
    sh0: float = 2.5e-3
    """Of the colour that does not depend on the view."""
    sh_rest: float = 1.25e-4

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not (math.isfinite(value) and value > 0):
                raise BenchDataError(f"LearningRates.{name} must be finite and above 0, got {value!r}")


@dataclass(frozen=True, kw_only=True)
class Growth:
    """When and where Gaussians are added and taken away (adaptive density control, section 5.2 of the paper).

    Those whose place in the picture the loss pulls at strongly are copied when small and split in two when large.
    """

    every: int = 100
    """Steps between two rounds."""
    start_share: float = 0.1
    """The first round comes after this share of the steps, but no later than ``latest_start``."""
    latest_start: int = 500
    stop_share: float = 0.5
    """No round after this share of the steps, so that what was added can settle."""
    gradient: float = 2e-4
    """Mean length of the gradient of the projected mean, in half pictures, above which a Gaussian grows."""
    large_share: float = 0.01
    """A Gaussian is large, and is split, when its largest scale exceeds this share of the scene's extent."""
    least_opacity: float = 0.005
    """What is fainter is taken away."""
    most_share: float = 0.1
    """What is larger than this share of the extent is taken away, once opacities have been reset."""
    reset_every: int = 3000
    """Steps between two resets of all opacities to at most twice ``least_opacity``; floaters do not recover from it."""

    def __post_init__(self) -> None:
        for name in ("every", "reset_every"):
            if getattr(self, name) < 1:
                raise BenchDataError(f"Growth.{name} must be at least 1, got {getattr(self, name)}")
        if not 0 <= self.start_share <= self.stop_share <= 1:
            raise BenchDataError(
                f"Growth must obey 0 <= start_share <= stop_share <= 1, got {self.start_share} and {self.stop_share}"
            )

    def rounds(self, steps: int) -> range:
        """The steps after which a round takes place."""
        start = min(self.latest_start, math.ceil(self.start_share * steps))
        first = (start // self.every + 1) * self.every
        return range(first, math.floor(self.stop_share * steps) + 1, self.every)

    def resets(self, steps: int) -> range:
        """The steps after which opacities are reset; none after the last round of growth."""
        return range(self.reset_every, math.floor(self.stop_share * steps) + 1, self.reset_every)


@dataclass(frozen=True, kw_only=True)
class FitSettings:
    """Settings of a fit; the same settings and pictures give the same cloud.

    Args:
        steps: optimiser steps, one picture each.
        max_gaussians: never more than this; also how many are started from at most.
        sh_degree: of the colours, 0 to 3. A fit starts with degree 0 and adds one every ``sh_every`` steps.
        sh_every: see above.
        dssim_weight: the loss is (1 - w) L1 + w (1 - SSIM).
        depth_weight: weight of the mean relative error of depth, for pictures that have depth.
        grow: whether Gaussians are added and taken away.
        random_background: a new colour behind everything at every step, against holes in what should be solid.
        background: display-encoded colour behind everything otherwise.
        seed: of everything random.
        rates, growth: see there.
    """

    steps: int = 3000
    max_gaussians: int = 100_000
    sh_degree: int = 2
    sh_every: int = 1000
    dssim_weight: float = 0.2
    depth_weight: float = 0.2
    grow: bool = True
    random_background: bool = False
    background: tuple[float, float, float] = (0.0, 0.0, 0.0)
    seed: int = 0
    rates: LearningRates = field(default_factory=LearningRates)
    growth: Growth = field(default_factory=Growth)

    def __post_init__(self) -> None:
        for name in ("steps", "max_gaussians", "sh_every"):
            if getattr(self, name) < 1:
                raise BenchDataError(f"FitSettings.{name} must be at least 1, got {getattr(self, name)}")
        if self.sh_degree not in range(4):
            raise BenchDataError(f"FitSettings.sh_degree must be 0, 1, 2 or 3, got {self.sh_degree!r}")
        if len(self.background) != 3 or not all(0 <= value <= 1 for value in self.background):
            raise BenchDataError(f"FitSettings.background must be three values in [0, 1], got {self.background!r}")
        if not 0 <= self.dssim_weight <= 1:
            raise BenchDataError(f"FitSettings.dssim_weight must lie in [0, 1], got {self.dssim_weight!r}")
        if not (math.isfinite(self.depth_weight) and self.depth_weight >= 0):
            raise BenchDataError(f"FitSettings.depth_weight must be finite and at least 0, got {self.depth_weight!r}")

    def sh_degree_at(self, step: int) -> int:
        """The degree that is used at a step, counted from 0."""
        return min(self.sh_degree, step // self.sh_every)
