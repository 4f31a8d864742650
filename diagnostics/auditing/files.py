"""The files of an audit's folder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ...bench_data.whole_file import whole_file
from .page import audit_page
from .records import answer_lines
from .results import AuditPart
from .summary import PartSummary

__all__ = ["ANSWERS", "NUMBERS", "PAGE", "REPLIES", "write_audit"]

REPLIES: Final = "replies.jsonl"
"""Every reply as it came; a run that is started again goes on from it."""
PAGE: Final = "report.html"
NUMBERS: Final = "results.json"
ANSWERS: Final = "answers.jsonl"


def write_audit(folder: Path, parts: Sequence[AuditPart], summaries: Sequence[PartSummary]) -> None:
    """Writes the page, the numbers and every answer of an audit.

    Args:
        folder: there already.
        parts, summaries: of one audit, in the same order.

    Raises:
        OutputError: a file cannot be written.
    """
    numbers = [one.model_dump(mode="json") for one in summaries]
    texts = {
        PAGE: audit_page(parts, summaries),
        NUMBERS: json.dumps(numbers, ensure_ascii=False, indent=1) + "\n",
        ANSWERS: "".join(f"{line}\n" for part in parts for line in answer_lines(part)),
    }
    for name, text in texts.items():
        with whole_file(folder / name) as part_file:
            part_file.write_text(text, encoding="utf-8")
