"""Runs one case of the demo through the solver and measures what the repair did."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from pathlib import Path

from ....tools.measure.fidelity import psnr_db, ssim
from ....tools.models import GenerationSettings, VisionLanguageModel
from ...result import SolverResult
from ...robust import RobustVLM
from ...trace.page import thumbnail
from .cases import Case

__all__ = ["QUESTION", "Row", "run_case"]

QUESTION = "What is the main thing in the picture?"
_OPTIONS = {"A": "a person or an animal", "B": "a building or a landscape", "C": "an object or food"}


@dataclass(frozen=True)
class Row:
    """One line of the table, with the thumbnails for the page."""

    case: Case
    result: SolverResult
    detected_right: bool
    found: tuple[str, ...]
    tools: tuple[str, ...]
    psnr_before_db: float
    psnr_after_db: float
    ssim_before: float
    ssim_after: float
    seconds: float
    trace: str
    thumbnails: tuple[str, str, str]
    """Clean, degraded, and what the solver made of it, as data URIs."""


async def run_case(case: Case, model: VisionLanguageModel, out: Path) -> Row:
    """Detects, repairs and solves; writes the trace beside the page."""
    robust = RobustVLM(model)
    started = time.monotonic()
    result = await robust.solve(
        QUESTION, [case.picture], options=_OPTIONS, settings=GenerationSettings(max_tokens=16), seed=0
    )
    seconds = time.monotonic() - started
    trace = re.sub(r"[^a-z0-9]+", "-", case.title.lower()) + ".html"
    result.write_trace(out / trace)
    [item] = result.work
    after = result.pictures.get(item.current)
    found = tuple(f.stress.value for f in result.findings(0))
    named = {f.stress for f in result.findings(0)}
    clean, before = case.clean.image_srgb_u8, case.picture.image_srgb_u8
    return Row(
        case=case,
        result=result,
        detected_right=bool(named & set(case.right)) if case.stress else not named,
        found=found,
        tools=tuple(t.tool for t in item.tries if t.accepted),
        psnr_before_db=psnr_db(clean, before),
        psnr_after_db=psnr_db(clean, after.image_srgb_u8),
        ssim_before=ssim(clean, before),
        ssim_after=ssim(clean, after.image_srgb_u8),
        seconds=seconds,
        trace=trace,
        thumbnails=(thumbnail(case.clean, 360), thumbnail(case.picture, 360), thumbnail(after, 360)),
    )
