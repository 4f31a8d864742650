"""Functions of an lmms-eval task that Seeworthy exported.

This file stands alone: it needs lmms-eval and nothing else. Scoring is strict and simple on purpose: the last declared
letter or number counts, and what cannot be read scores 0. For refusals, units and scene graphs score the logged
samples with Seeworthy itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["Doc", "ScoredRow", "aggregate", "doc_to_text", "doc_to_visual", "process_results", "score"]

_THOUGHT = re.compile(r"^.*</think>", re.DOTALL)
_TAGGED = re.compile(r"<answer>(.*?)</answer>", re.DOTALL | re.IGNORECASE)
_DECLARED = re.compile(r"(?:answer|option|choice)\s*(?:is|:|=)?\s*\W{0,3}([A-Z])\b(?!['’])", re.IGNORECASE)
_ALONE = re.compile(r"\W*([A-Za-z])\W*")
_LEADING = re.compile(r"\W*([A-Z])\s*[.):]")
_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?")
_THRESHOLDS = [0.50 + 0.05 * step for step in range(10)]


class Doc(TypedDict):
    """A row of the data, as far as it is used here."""

    question_id: str
    kind: str
    condition: str
    prompt: str
    options: list[str]
    answer: str
    answer_type: str
    unit: str
    images: list[Image]


class ScoredRow(TypedDict):
    """What one reply gives."""

    score: float
    condition: str
    kind: str
    question_id: str


def doc_to_visual(doc: Doc) -> list[Image]:
    """The pictures of a question, in order."""
    return [image.convert("RGB") for image in doc["images"]]


def doc_to_text(doc: Doc, lmms_eval_specific_kwargs: Mapping[str, str] | None = None) -> str:
    """The question with its options and the form of the answer."""
    extra = lmms_eval_specific_kwargs or {}
    return f"{extra.get('pre_prompt', '')}{doc['prompt']}{extra.get('post_prompt', '')}"


def process_results(doc: Doc, results: Sequence[str]) -> dict[str, ScoredRow]:
    """The score of a reply, 0 to 1, with what reports group by."""
    value = score(doc, results[0])
    row = ScoredRow(score=value, condition=doc["condition"], kind=doc["kind"], question_id=doc["question_id"])
    return {"seeworthy_score": row}


def aggregate(rows: Sequence[ScoredRow]) -> float:
    """The mean over conditions of the mean score, so that conditions with more questions do not weigh more."""
    by_condition: dict[str, list[float]] = {}
    for row in rows:
        by_condition.setdefault(row["condition"], []).append(row["score"])
    means = {name: sum(scores) / len(scores) for name, scores in sorted(by_condition.items())}
    for name, mean in means.items():
        print(f"{name:<24} {mean:.4f}  n = {len(by_condition[name])}")
    return sum(means.values()) / len(means) if means else 0.0


def score(doc: Doc, reply: str) -> float:
    """How right a reply is, 0 to 1: equality, or mean relative accuracy of lengths."""
    text = _THOUGHT.sub("", reply or "")
    tagged = _TAGGED.findall(text)
    text = (tagged[-1] if tagged else text).strip()
    kind, answer = doc["answer_type"], doc["answer"]
    if doc["options"]:
        return float(_letter(text, [option[0] for option in doc["options"]]) == answer.strip().upper())
    if kind == "yes_no":
        words = re.findall(r"\b(yes|no)\b", text.lower())
        return float(bool(words) and len(set(words)) == 1 and words[0] == answer.lower())
    numbers = [float(number.replace(",", "")) for number in _NUMBER.findall(text)]
    if kind == "number":
        return _number_score(numbers, float(answer), doc["unit"])
    if kind == "clock":
        return float(bool(numbers) and numbers[-1] == float(answer))
    if kind == "list":
        truths = json.loads(answer)
        if len(numbers) != len(truths):
            return 0.0
        return sum(_relative(n, t) for n, t in zip(numbers, truths, strict=True)) / len(truths)
    if kind == "box":
        return _overlap(numbers, json.loads(answer))
    return float(text.strip().rstrip(".").lower() == answer.strip().rstrip(".").lower())


def _letter(text: str, letters: Sequence[str]) -> str | None:
    for pattern in (_ALONE, _LEADING):
        found = pattern.fullmatch(text) if pattern is _ALONE else pattern.match(text)
        if found and found[1].upper() in letters:
            return found[1].upper()
    declared = [letter.upper() for letter in _DECLARED.findall(text) if letter.upper() in letters]
    return declared[-1] if declared else None


def _number_score(numbers: Sequence[float], truth: float, unit: str) -> float:
    if not numbers:
        return 0.0
    return float(numbers[-1] == truth) if unit == "count" else _relative(numbers[-1], truth)


def _relative(value: float, truth: float) -> float:
    """Mean relative accuracy: the share of thresholds t from 0.50 to 0.95 with a relative error of at most 1 - t."""
    error = abs(value - truth) / (abs(truth) or 1.0)
    return sum(error <= 1 - threshold + 1e-9 for threshold in _THRESHOLDS) / len(_THRESHOLDS)


def _overlap(a: Sequence[float], b: Sequence[float]) -> float:
    """Intersection over union of two boxes."""
    if len(a) != 4 or a[2] <= a[0] or a[3] <= a[1]:
        return 0.0
    wide, high = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    shared = max(0.0, wide) * max(0.0, high)
    return shared / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared)
