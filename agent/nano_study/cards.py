"""Model cards with what a study measured."""

from __future__ import annotations

from ...diagnostics.nano.record import card_text
from ...diagnostics.report import ReportSummary
from ...diagnostics.report.writers.markdown import markdown_table
from .page import CANNOT
from .tables import Numbers, card_tables

__all__ = ["measured_card"]


def measured_card(summary: ReportSummary, model: str, *, command: str) -> str:
    """The card of an embedded model, with its accuracy by kind beside the blind baseline, and under every condition.

    Args:
        summary: of the study.
        model: by name.
        command: that makes the numbers again.
    """
    blocks = [
        card_text(model).rstrip(),
        "## Measured",
        f"On rooms that no training saw, by `{command}`:",
        *map(markdown_table, card_tables(Numbers(summary, (model,)))),
        "\n".join(f"- {line}" for line in CANNOT),
    ]
    return "\n\n".join(blocks) + "\n"
