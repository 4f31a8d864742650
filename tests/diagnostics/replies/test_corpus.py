"""The corpus of replies agrees with the parser, and the checker finds every disagreement and every bad line."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.replies import check_corpus, check_lines, format_report

from .corpus_files import CORPUS, all_rows

CHOICE = {"answer_type": "choice", "options": {"A": "left", "B": "right"}}


def line(reply: Any, expected: dict[str, Any], **more: Any) -> str:
    return json.dumps({"reply": reply, "answer_format": CHOICE, "expected": expected, **more}, ensure_ascii=False)


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_every_row_agrees(path: Path) -> None:
    report = check_corpus(path)
    assert report.ok, format_report(report)


def test_the_corpus_is_large_and_covers_all_statuses_and_answer_types() -> None:
    rows = all_rows()
    assert len(rows) > 1500
    assert {row["expected"]["status"] for row in rows} == {
        "ok",
        "no_answer",
        "ambiguous",
        "refusal",
        "truncated",
        "invalid",
    }
    kinds = Counter(row["answer_format"]["answer_type"] for row in rows)
    assert min(kinds.values()) >= 10
    assert set(kinds) == {"choice", "yes_no", "number", "list", "clock", "box", "point", "graph", "text"}


def test_no_reply_stands_twice_with_different_outcomes() -> None:
    seen: dict[str, Any] = {}
    for row in all_rows():
        key = json.dumps([row["reply"], row["answer_format"], row.get("frame")], sort_keys=True, ensure_ascii=False)
        outcome = row["expected"]["status"], row["expected"].get("value")
        assert seen.setdefault(key, outcome) == outcome, row


@pytest.mark.parametrize(
    ("reply", "expected", "problem"),
    [
        ("B", {"status": "no_answer"}, "status ok, expected no_answer"),
        ("B", {"status": "ok", "value": "A"}, "value 'B', expected 'A'"),
        ("B", {"status": "ok", "rule": "boxed"}, "rule alone, expected boxed"),
        ("B", {"status": "ok", "flags": ["hedged"]}, "flags [], expected ['hedged']"),
        ("A or B", {"status": "ambiguous", "candidates": ["A"]}, "candidates ['A', 'B'], expected ['A']"),
        ("so B.", {"status": "ok", "text": "so"}, "span holds 'B', expected 'so'"),
        ("A or B", {"status": "ambiguous", "detail_contains": "x!"}, "lacks 'x!'"),
    ],
)
def test_each_kind_of_disagreement_is_named(reply: str, expected: dict[str, Any], problem: str) -> None:
    report = check_lines([line(reply, expected, id="row-7")])
    assert report.agreed == 0
    assert not report.ok
    text = format_report(report)
    assert problem in text
    assert "line 1 [row-7]" in text
    assert "0 of 1 rows agree" in text


@pytest.mark.parametrize(
    "bad",
    [
        "not json",
        "[]",
        "{}",
        '{"reply": "B"}',
        line("B", {"status": "fine"}),
        line("B", {"status": "ok"}, surprise=1),
        json.dumps({"reply": "B", "answer_format": {"answer_type": "choice"}, "expected": {"status": "ok"}}),
        json.dumps({"reply": "[1,2,3,4]", "answer_format": {"answer_type": "box"}, "expected": {"status": "ok"}}),
        json.dumps(
            {"reply": {"status": "error"}, "answer_format": CHOICE, "expected": {"status": "no_answer", "value": None}}
        ),
        "[" * 100_000,
    ],
)
def test_every_bad_line_is_reported_by_its_number(bad: str) -> None:
    report = check_lines([line("B", {"status": "ok"}), "", bad, line("A", {"status": "ok", "value": "A"})])
    assert report.total == report.agreed == 2
    assert [number for number, _ in report.malformed] == [3]
    assert not report.ok
    assert "line 3: not a row" in format_report(report)


def test_an_empty_or_missing_corpus_is_no_success(tmp_path: Path) -> None:
    assert not check_lines([]).ok
    with pytest.raises(DiagnosticsError, match="cannot read the corpus"):
        check_corpus(tmp_path / "none.jsonl")
    (tmp_path / "latin.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DiagnosticsError, match="UTF-8"):
        check_corpus(tmp_path / "latin.jsonl")


def test_published_rules_can_be_checked_too() -> None:
    four = {"answer_type": "choice", "options": {"A": "a", "B": "b", "C": "c", "D": "d"}}
    row = {"reply": "Cannot tell.", "answer_format": four, "published": "robostress"}
    assert check_lines([json.dumps({**row, "expected": {"status": "ok", "value": "C"}})]).ok


def test_a_line_separator_inside_a_reply_does_not_split_the_row(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(line("B\u2028right", {"status": "ok", "value": "B"}) + "\n", encoding="utf-8")
    assert check_corpus(path).ok
