"""Which engine draws: gsplat on a CUDA device where that works, else the CPU."""

from __future__ import annotations

import ctypes
import importlib.util
import logging
import sys
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

from ..errors import BenchDataError
from .settings import RenderSettings

__all__ = ["Engine", "EngineChoice", "choose_engine", "why_no_gsplat"]

Engine = Literal["numba", "gsplat", "reference"]

_log = logging.getLogger(__name__)


class EngineChoice(NamedTuple):
    """An engine, and in one line why it was taken."""

    engine: Engine
    why: str


def choose_engine(name: str, settings: RenderSettings) -> EngineChoice:
    """The engine for these settings.

    Args:
        name: "auto", "numba" (CPU), "gsplat" (CUDA), or "reference" (slow, float64).
        settings: what shall be drawn; some things only the CPU engine draws.

    Raises:
        BenchDataError: no such engine, or it cannot run here or draw this; the message says why.
    """
    if name == "numba":
        return EngineChoice("numba", "asked for")
    if name == "reference":
        if importlib.util.find_spec("torch") is None:
            raise BenchDataError('engine="reference" needs torch: pip install "seeworthy[torch]"')
        return EngineChoice("reference", "asked for")
    if name not in ("auto", "gsplat"):
        raise BenchDataError(f"engine must be one of auto, {', '.join(get_args(Engine))}, got {name!r}")
    obstacle = _what_gsplat_cannot_draw(settings) or why_no_gsplat() or _other_limits(settings)
    if obstacle is None:
        return EngineChoice("gsplat", "asked for" if name == "gsplat" else "CUDA and gsplat work")
    if name == "gsplat":
        raise BenchDataError(f'engine="gsplat" cannot draw this: {obstacle}; use engine="numba"')
    choice = EngineChoice("numba", f"CPU engine: {obstacle}")
    _say_once(choice.why)
    return choice


@lru_cache(maxsize=1)
def why_no_gsplat() -> str | None:
    """Why the CUDA engine cannot run here, found by drawing a small picture with it once; None when it can.

    The driver is looked for first: importing torch takes seconds, and importing gsplat may start a compiler.
    """
    if not _has_cuda_driver():
        return "no CUDA driver"
    for package in ("torch", "gsplat"):
        if importlib.util.find_spec(package) is None:
            return f"{package} is not installed"
    import torch

    if not torch.cuda.is_available():
        return "torch sees no CUDA device"
    from .gsplat_engine import draw_test_pattern

    try:
        draw_test_pattern()
    except (ImportError, RuntimeError, OSError, AttributeError, TypeError, ValueError, AssertionError) as error:
        # gsplat compiles itself at first use: no compiler, another CUDA and a changed interface all end here.
        reason = str(error).strip().splitlines()
        return f"gsplat does not work here ({type(error).__name__}: {reason[0] if reason else 'no message'})"
    return None


def _has_cuda_driver() -> bool:
    name = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def _what_gsplat_cannot_draw(settings: RenderSettings) -> str | None:
    """gsplat's kernels have one threshold compiled in and give colour, depth and alpha only."""
    if settings.instances or settings.median_depth:
        return "instance ids and median depth are drawn by the CPU engine only"
    if settings.alpha_min != RenderSettings().alpha_min:
        return "gsplat's alpha_min is fixed at 1/255"
    return None


def _other_limits(settings: RenderSettings) -> str | None:
    from .gsplat_engine import gsplat_max_alpha

    if settings.max_alpha != gsplat_max_alpha():
        return f"this gsplat draws with max_alpha {gsplat_max_alpha():g}, and {settings.max_alpha:g} is asked for"
    return None


@lru_cache(maxsize=16)
def _say_once(line: str) -> None:
    _log.info(line)
