"""The demo, section by section."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from ...diagnostics.runs import RunFolder
from ...tools.models import VisionLanguageModel
from ..nano_study.page import remark
from ..nano_study.settings import StudySettings, room_settings
from ..nano_study.steps import Show, ask_arms, audit_model, built, plan_claimed, raw_and_robust, reported
from .words import audit_sentence, paired_tables

__all__ = ["DEMO", "run_demo"]

_SEED: Final = 20_261_130
DEMO: Final = StudySettings(
    build=room_settings(scenes=12, views=2, conditions="clean,low_light@bench,haze@bench", seed=_SEED),
    clean=120,
    degraded=120,
    audited=("clean",),
    audited_pictures=16,
    seed=_SEED,
)
"""Sized for three minutes on two cores."""


def run_demo(
    out: Path,
    settings: StudySettings,
    model: VisionLanguageModel,
    show: Show,
    *,
    jobs: int | None = None,
    tell: Callable[[str], None] = print,
) -> Path:
    """Runs the demo in a folder, or goes on with it.

    Args:
        tell: told each section, for people.

    Returns:
        The report.

    Raises:
        KeyboardInterrupt: somebody stopped it.
        SeeworthyError: the folder holds something else, or the model gives no replies.
    """
    build = settings.build
    tell(remark([model.name]))
    tell(f"\n1. A benchmark: {build.scenes} rooms, {build.views} views each, {len(build.conditions)} conditions")
    data = built(build, out / "data", show, jobs=jobs)
    arms = raw_and_robust([model])
    planned = plan_claimed(
        data, arms, prompts=("plain",), clean=settings.clean, degraded=settings.degraded, seed=settings.seed
    )
    tell(f"   {sum(data.manifest.questions.values()):,} questions; {planned.plan.data.items:,} are asked, as many of")
    tell("   each kind as there are: " + ", ".join(planned.plan.data.conditions))
    tell(f"\n2. {' and '.join(arms)} answer: {planned.plan.calls:,} calls")
    run = RunFolder(out / "run")
    ask_arms(planned, arms, run, show)
    tell("\n3. Does it see what it says? Answers, blind answers and scene graphs of the same pictures")
    audit = out / "audit"
    summaries = audit_model(
        model,
        data,
        audit,
        show,
        conditions=settings.audited,
        pictures=settings.audited_pictures,
        seed=settings.seed,
    )
    report = reported(run, [audit], out, remarks=(remark([model.name]),))
    tell("\n4. What came out\n")
    for table in paired_tables(report):
        tell(table)
    for one in summaries:
        tell(audit_sentence(one))
    page = out / "report.html"
    tell(f"\nOpen {page}: scores, pairs, worst answers with their pictures, the audit, and all that was set.")
    tell(f"Question by question, the audit stands in {audit / 'report.html'}.")
    return page
