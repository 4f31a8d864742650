"""The summary as JSON, which `ReportSummary.model_validate_json` reads back."""

from __future__ import annotations

import json

from ..summary import ReportSummary

__all__ = ["report_json"]


def report_json(summary: ReportSummary) -> str:
    """Indented, ASCII, so that any text survives; ends with a line break."""
    return json.dumps(summary.model_dump(mode="json"), indent=1, ensure_ascii=True, allow_nan=False) + "\n"
