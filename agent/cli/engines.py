"""The engine that draws, chosen and made ready for a command."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from .common import say

if TYPE_CHECKING:
    from ...bench_data.render import RenderSettings
    from ...bench_data.render.engines import Engine as EngineName
    from ...bench_data.splats import GaussianCloud

__all__ = ["Engine", "ready_engine"]


class Engine(StrEnum):
    """What draws."""

    AUTO = "auto"
    NUMBA = "numba"
    GSPLAT = "gsplat"
    REFERENCE = "reference"


def ready_engine(cloud: GaussianCloud, engine: Engine, settings: RenderSettings) -> EngineName:
    """The engine to use, said together with the reason; kernels that must be compiled first are compiled.

    Raises:
        BenchDataError: it cannot run here.
    """
    from ...bench_data.render.engines import choose_engine

    choice = choose_engine(engine, settings)
    say(f"{len(cloud):,} Gaussians, {choice.engine} ({choice.why})")
    if choice.engine == "numba":
        from ...bench_data.render.cpu.warm_up import warm_up

        compiling = warm_up()
        if compiling:
            say(compiling)
    return choice.engine
