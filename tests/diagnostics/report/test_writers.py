"""What is written says what the summary says, and hostile names and replies stay text in every form."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest

from seeworthy.diagnostics.metrics import Interval
from seeworthy.diagnostics.report import ReportSummary, report_summary
from seeworthy.diagnostics.report.files import write_report
from seeworthy.diagnostics.report.writers import csv_files, report_json, report_latex, report_markdown
from seeworthy.diagnostics.report.writers.latex import latex_text
from seeworthy.diagnostics.report.writers.markdown import markdown_text
from seeworthy.diagnostics.report.writers.plain import plain_scores
from seeworthy.diagnostics.report.writers.tables.cells import interval, number, p_value
from seeworthy.diagnostics.runs import Call

from .made_runs import METRES, item, write_run

HOSTILE = (
    "=1+1",
    "a|b",
    "<script>alert(1)</script>",
    "line\nbreak",
    "``` fence ````",
    r"\input{/etc/passwd} 50% $x_1$ #&~^",
    "**bold** [link](http://x)",
    "-- ,, ?` \u2028 é 日本",
    "half \ud83d",
    "@SUM(A1)",
)


def hostile_run(root: Path) -> Path:
    """Every name and reply is hostile."""
    items = [
        item(
            number,
            condition,
            kind=HOSTILE[number % len(HOSTILE)],
            tags={"task_group": HOSTILE[(number + 1) % len(HOSTILE)]},
            scene=HOSTILE[number % 3],
            text=HOSTILE[number % len(HOSTILE)] + "?",
            **({"answer_format": METRES, "truth": 2.0} if number % 4 == 3 else {}),
        )
        for number in range(12)
        for condition in ("clean", "haze-3", "rain|=2")
    ]

    def answer(call: Call) -> str:
        right = "2 m" if call.item.answer_format == METRES else "B"
        return (
            right if call.item.condition == "clean" else f"A {HOSTILE[int(call.item.question_id[1:]) % len(HOSTILE)]}"
        )

    write_run(
        root, items, answer, arms=("=cmd|' /C calc'!A0", "robust(=cmd|' /C calc'!A0)"), prompts=["plain", "blind"]
    )
    return root


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> ReportSummary:
    return report_summary([hostile_run(tmp_path_factory.mktemp("hostile") / "=run|x")])


def cells_of(line: str) -> list[str]:
    """Of a line of a Markdown table, by its unescaped bars."""
    return re.split(r"(?<!\\)\|", line)[1:-1]


def test_markdown_tables_keep_their_columns_and_nothing_is_markup(hostile: ReportSummary) -> None:
    text = report_markdown(hostile)
    blocks = re.split(r"\n\n", re.sub(r"(?ms)^(`{3,})text\n.*?^\1$", "", text))
    tables = [block.splitlines() for block in blocks if block.startswith("|")]
    assert len(tables) >= 12
    for table in tables:
        assert len({len(cells_of(line)) for line in table}) == 1, table
    outside = "\n\n".join(blocks)
    assert "<" not in outside.replace("&lt;", "")
    assert not re.search(r"(?<!\\)\[link", outside) and not re.search(r"(?<![\\*])\*\*bold", outside)
    assert "\u2028" not in outside


def test_no_reply_ends_its_fence() -> None:
    from seeworthy.diagnostics.report.writers.markdown import _fenced

    fenced = _fenced("a\n````\nb\n```")
    assert fenced.splitlines()[0] == "`````text" and fenced.splitlines()[-1] == "`````"


@pytest.mark.parametrize("text", HOSTILE)
def test_latex_text_holds_no_command(text: str) -> None:
    escaped = latex_text(text)
    bare = re.sub(r"\\(?:text[a-z]+\{\}|[{}$&#%_])", "", escaped).replace("{}", "")
    assert not re.search(r"[\\{}$&#%_^~<>|\"`]", bare)
    assert "--" not in escaped and ",," not in escaped and "\n" not in escaped


def test_latex_tables_are_whole(hostile: ReportSummary) -> None:
    text = report_latex(hostile)
    for name in ("table", "tabular", "longtable"):
        assert text.count(f"\\begin{{{name}}}") == text.count(f"\\end{{{name}}}")
    assert text.count("\\toprule") == text.count("\\midrule") == text.count("\\bottomrule") >= 12
    for columns, body in re.findall(r"\\begin\{tabular\}\{([lr]+)\}\n(.*?)\\end\{tabular\}", text, re.DOTALL):
        rows = [line for line in body.splitlines() if line.endswith(r"\\")]
        assert rows and all(len(re.findall(r"(?<!\\)&", row)) == len(columns) - 1 for row in rows)
    # A bracket or a star after the end of a line would be an option of it.
    assert not re.search(r"\\\\\s*\n[\[*]", text)
    labels = re.findall(r"\\label\{(.*?)\}", text)
    assert len(labels) == len(set(labels))


def test_csv_comes_back_as_the_summary_has_it(hostile: ReportSummary) -> None:
    files = csv_files(hostile)
    assert set(files) == {
        "results.csv",
        "paired.csv",
        "severity.csv",
        "tasks.csv",
        "mixtures.csv",
        "sensitivity.csv",
        "costs.csv",
        "recovery.csv",
    }
    tables = {name: list(csv.DictReader(io.StringIO(text, newline=""))) for name, text in files.items()}
    assert len(tables["results.csv"]) == len(hostile.results)
    for written, row in zip(tables["results.csv"], hostile.results, strict=True):
        assert written["arm"] in (f"'{row.subject.arm}", row.subject.arm)
        assert written["n"] == str(row.n)
        assert written["score"] == ("" if row.score is None else repr(row.score.estimate))
        assert written["score_low"] == ("" if row.score is None or row.score.low is None else repr(row.score.low))
    for written, pair in zip(tables["paired.csv"], hostile.paired, strict=True):
        assert float(written["difference"]) == pair.difference.estimate
        assert written["gained"] == ("" if pair.flips is None else str(pair.flips.gained))
    points = sum(len(curve.points) for curve in hostile.severity_curves)
    assert len(tables["severity.csv"]) == points and {row["level"] for row in tables["severity.csv"]} == {"3"}


def test_no_cell_of_a_csv_file_is_a_formula(hostile: ReportSummary) -> None:
    for text in csv_files(hostile).values():
        for row in csv.reader(io.StringIO(text, newline="")):
            for cell in row:
                if cell.startswith(("=", "+", "-", "@", "\t", "\r")):
                    assert re.fullmatch(r"-?[0-9.]+(e-?[0-9]+)?", cell)


def test_json_is_read_back(hostile: ReportSummary) -> None:
    read = ReportSummary.model_validate_json(report_json(hostile))
    assert read.results != hostile.results  # one kind has half a character
    assert [row.score for row in read.results] == [row.score for row in hostile.results]
    assert read.examples == hostile.examples and read.runs == hostile.runs
    assert ReportSummary.model_validate_json(report_json(read)) == read


def test_plain_text_keeps_its_lines(hostile: ReportSummary) -> None:
    text = plain_scores(hostile)
    assert all(letter.isprintable() or letter == "\n" for letter in text)
    assert text.count("Scores: ") == 4 and "Against clean pictures" in text


def test_everything_is_put_into_the_folder_and_old_tables_go(tmp_path: Path) -> None:
    run = hostile_run(tmp_path / "run")
    target = tmp_path / "report"
    (target / "tables").mkdir(parents=True)
    for name in ("stress.csv", "mine.csv"):
        (target / "tables" / name).write_text("old")
    summary = report_summary([run])
    files = write_report(summary, target, [run])
    assert {file.relative_to(target).as_posix() for file in files} == {
        file.relative_to(target).as_posix() for file in target.rglob("*") if file.is_file() and file.name != "mine.csv"
    }
    assert not (target / "tables/stress.csv").exists() and (target / "tables/mine.csv").exists()
    before = {file: file.read_bytes() for file in files}
    write_report(summary, target, [run])
    assert before == {file: file.read_bytes() for file in files}


def test_how_numbers_look() -> None:
    def one(estimate: float, low: float | None, high: float | None, *flags: str) -> Interval:
        return Interval(
            estimate=estimate,
            low=low,
            high=high,
            standard_error=None,
            confidence=0.95,
            n_items=1,
            n_clusters=1,
            method="",
            flags=flags,
        )

    assert interval(one(0.25, 0.1, 0.4)) == "0.250 [0.100, 0.400]"
    assert interval(one(0.25, None, None, "one_cluster")) == "0.250 !"
    assert interval(one(0.0, -0.0001, 0.2, "few_clusters"), signed=True) == "0.000 [0.000, +0.200] *"
    assert interval(None) == "-"
    assert (number(-0.0004), number(-0.0006), p_value(0.0009), p_value(1.0)) == ("0.000", "-0.001", "< 0.001", "1.000")
    assert markdown_text("a\r\nb") == "a b"


def test_an_empty_summary_can_be_written() -> None:
    empty = ReportSummary(runs=())
    assert csv_files(empty) == {}
    assert report_markdown(empty).startswith("# Report on no run")
    assert report_latex(empty).endswith("\n") and ReportSummary.model_validate_json(report_json(empty)) == empty
