"""The whole study: benchmark, runs, audits, page and report, from nothing or from where it was stopped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...bench_data.questions import AnswerType
from ...bench_data.whole_file import whole_file
from ...diagnostics.runs import RunFolder
from ...tools.models import VisionLanguageModel
from ...tools.models.registry import EMBEDDED_MODELS
from .cards import measured_card
from .page import remark, results_page
from .settings import StudySettings
from .steps import Show, ask_arms, audit_model, built, plan_claimed, raw_and_robust, reported

__all__ = ["Written", "evaluate"]


@dataclass(frozen=True)
class Written:
    """What a study wrote.

    Args:
        page: Markdown.
        cards: model cards with the numbers, of the embedded models.
        report: HTML, with everything that the page leaves out.
    """

    page: Path
    cards: tuple[Path, ...]
    report: Path


def evaluate(
    out: Path,
    settings: StudySettings,
    models: Sequence[VisionLanguageModel],
    *,
    command: str,
    show: Show | None = None,
    tell: Callable[[str], None] = lambda line: None,
    jobs: int | None = None,
) -> Written:
    """Runs the study in a folder; the same call goes on where it was stopped, and makes no call twice.

    Args:
        models: the first of them the one that the others are compared with.
        command: for the page, how to make it again.
        show: told how far things are.
        tell: told what begins.
        jobs: processes that make rooms.

    Raises:
        KeyboardInterrupt: somebody stopped it.
        SeeworthyError: the folder holds another study, or a model gives no replies.
    """
    show = show or Show()
    tell("the benchmark: rooms, questions, pictures")
    data = built(settings.build, out / "data", show, jobs=jobs)
    arms = raw_and_robust(models)
    planned = plan_claimed(
        data, arms, prompts=("plain", "blind"), clean=settings.clean, degraded=settings.degraded, seed=settings.seed
    )
    run = RunFolder(out / "run")
    tell(f"{planned.plan.calls:,} calls to {', '.join(arms)}")
    ask_arms(planned, arms, run, show)
    audits = []
    for model in models:
        tell(f"scene graphs of {model.name}")
        audits.append(out / "audit" / model.name)
        audit_model(
            model,
            data,
            audits[-1],
            show,
            conditions=settings.audited,
            pictures=settings.audited_pictures,
            seed=settings.seed,
        )
    names = [model.name for model in models]
    summary = reported(run, audits, out / "report", remarks=(remark(names),))
    choices = {item.kind_name for item in planned.items if item.answer_format.answer_type is AnswerType.CHOICE}
    page = out / "results.md"
    text = results_page(summary, names, data.manifest, choices=choices, command=command)
    with whole_file(page) as part:
        part.write_text(text, encoding="utf-8")
    cards = []
    for name in names:
        if name in EMBEDDED_MODELS:
            cards.append(out / "cards" / f"{name}.md")
            cards[-1].parent.mkdir(exist_ok=True)
            with whole_file(cards[-1]) as part:
                part.write_text(measured_card(summary, name, command=command), encoding="utf-8")
    return Written(page, tuple(cards), out / "report" / "report.html")
