"""The demo's numbers in the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from ...diagnostics.auditing import PartSummary
from ...diagnostics.report import ReportSummary
from ...diagnostics.report.writers.plain import plain_table
from ...diagnostics.report.writers.tables import comparison_tables

__all__ = ["audit_sentence", "paired_tables"]


def paired_tables(summary: ReportSummary) -> Iterator[str]:
    """What degradation takes from each arm, and what the solver gives back, with n, intervals, flips and tests."""
    return (plain_table(table) for table in comparison_tables(summary))


def audit_sentence(summary: PartSummary) -> str:
    """The verdict of an audit, and what it rests on."""
    plain, blind = summary.rates.get("plain"), summary.rates.get("blind")
    graphs = next((one for one in summary.graphs if one.source == "shown"), None)
    report, found = summary.consistency, summary.diagnosis
    right, unseen = (None if rates is None else rates.accuracy for rates in (plain, blind))
    parts = [f"answers {_share(right)} right (without the picture {_share(unseen)})"]
    if graphs is not None:
        parts.append(
            f"scene graphs {_share(graphs.sgc)} right ({graphs.pictures - graphs.failed} of {graphs.pictures} readable)"
        )
    if report is not None and report.agreement is not None:
        parts.append(
            f"both agree on {_share(report.agreement.estimate)} of the {_share(report.coverage.estimate)} of the "
            "questions that the graphs decide"
        )
    verdict = (
        "nothing can be said." if found is None else f"{found.mode.value} ({found.probability:.0%}). {found.meaning}"
    )
    return f"Audit of {summary.model} on {summary.condition} pictures: {', '.join(parts)}. Verdict: {verdict}"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"
