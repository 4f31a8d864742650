"""The summary as JSON, which `ReportSummary.model_validate_json` reads back."""

from __future__ import annotations

import json

from ....tools.models.surrogates import without_lone_surrogates
from ..summary import ReportSummary

__all__ = ["report_json"]


def report_json(summary: ReportSummary) -> str:
    """Indented, with half characters replaced, which no reader of JSON takes; ends with a line break."""
    text = json.dumps(summary.model_dump(mode="json"), indent=1, ensure_ascii=False, allow_nan=False)
    return without_lone_surrogates(text) + "\n"
