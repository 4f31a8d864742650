"""Draws an audit as one self-contained HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from ...metrics import Interval
from ..results import AuditPart
from ..summary import PartSummary
from .charts import OUTCOME_COLOURS, consistency_bars, effect_plot, outcome_bar, quadrant_plot
from .examples import worst_examples

if TYPE_CHECKING:
    from jinja2 import Template

__all__ = ["audit_page"]


def audit_page(parts: Sequence[AuditPart], summaries: Sequence[PartSummary], *, examples: int = 10) -> str:
    """The page as HTML. Replies of models are hostile text and are escaped.

    Args:
        parts: of one audit.
        summaries: of these parts, in the same order.
        examples: how many of the worst are shown for each part.
    """
    return _template().render(
        model=summaries[0].model if summaries else "",
        experiment=parts[0].experiment if parts else None,
        sections=[_section(part, summary, examples) for part, summary in zip(parts, summaries, strict=True)],
        colours={outcome.value: colour for outcome, colour in OUTCOME_COLOURS.items()},
    )


def _section(part: AuditPart, summary: PartSummary, examples: int) -> dict[str, object]:
    report, diagnosis = summary.consistency, summary.diagnosis
    return {
        "summary": summary,
        "quadrants": None if diagnosis is None else quadrant_plot(diagnosis),
        "bars": None if report is None else consistency_bars(report),
        "outcomes": None if report is None or not report.compared else outcome_bar(report),
        "effects": effect_plot(summary.effects) if any(one.difference for one in summary.effects) else None,
        "examples": worst_examples(part, examples) if "shown" in part.experiment.graphs else (),
    }


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"


def _interval(found: Interval | None) -> str:
    if found is None:
        return "–"
    return f"{found.estimate:.2f}" + ("" if found.low is None else f" [{found.low:.2f}, {found.high:.2f}]")


@cache
def _template() -> Template:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader(__package__, "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["percent"] = _percent
    environment.filters["interval"] = _interval
    environment.filters["plain"] = lambda name: str(name).replace("_", " ")
    return environment.get_template("audit.html.j2")
