"""Every answer of an audit as a line of JSON, for analyses of one's own."""

from __future__ import annotations

import json
from collections.abc import Iterator

from ..judging import answer_as_text
from .results import AuditPart

__all__ = ["answer_lines"]


def answer_lines(part: AuditPart) -> Iterator[str]:
    """One JSON object a question and condition of the experiment, without line breaks; questions not asked included."""
    for condition, rows in part.answers.items():
        for name, item in part.items.items():
            row, question = rows.get(name), item.question
            derived = part.derived.get(name)
            record = {
                "model": part.model,
                "pictures": part.condition,
                "experiment": part.experiment.name,
                "condition": condition,
                "question": name,
                "picture": item.picture.known.id,
                "kind": question.kind,
                "truth": question.truth,
                "answerable": item.asked.answerable,
                "status": "not_asked" if row is None else row.read.status,
                "why": part.missing[condition].get(name, "") if row is None else row.read.detail,
                "answer": None if row is None else row.read.value,
                "answer_text": None if row is None else answer_as_text(question, row.read.value),
                "score": None if row is None else row.score,
                "named_degradation": None if row is None else row.named,
                "derived_status": None if derived is None else derived.status.value,
                "derived": None if derived is None else derived.value,
                "reply": None if row is None else row.text,
            }
            yield json.dumps(record, ensure_ascii=True, allow_nan=False)
