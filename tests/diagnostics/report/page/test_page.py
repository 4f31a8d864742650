"""The page is one file: complete, well formed, closed to hostile text and to the network, the same bytes each time."""

from __future__ import annotations

import base64
import hashlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest

from seeworthy.bench_data.images import Picture, picture_from_array
from seeworthy.diagnostics.report.page import report_page
from seeworthy.diagnostics.report.summary import ReportSummary, ShownPicture

from .summaries import Maker

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'><svg onload=alert(3)>{{ 7*7 }}&lt;"
LARGE = Maker(
    arms=[f"openai/model-{place}" for place in range(3)] + ["robust(openai/model-0)"],
    prompts=("plain", "hinted"),
    kinds=[f"kind {place}" for place in range(30)],
    degradations=[f"degradation {place}" for place in range(13)],
    examples=12,
)


class Page(HTMLParser):
    """What a browser would make of a page."""

    VOID = frozenset({"meta", "img", "br"})

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str, str]] = []
        self.words: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def values(self, name: str) -> list[str]:
        return [value for _, key, value in self.attributes if key == name]

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.words))


def grey(run: str, picture: ShownPicture) -> Picture:
    import numpy as np

    return picture_from_array(np.full((6, 8, 3), 128, np.uint8))


def summaries() -> dict[str, ReportSummary]:
    one_item = Maker(arms=("nano",), kinds=("counting",), degradations=(), levels=0, examples=1).summary()
    hostile = Maker(
        arms=(HOSTILE, f"robust({HOSTILE})"),
        prompts=(HOSTILE, "blind"),
        runs=(HOSTILE, "b|c<d"),
        kinds=(HOSTILE, "other"),
        degradations=(HOSTILE, "haze"),
        reply=HOSTILE + "\ud800‮\x00",
    ).summary()
    return {
        "empty": ReportSummary(runs=()),
        "planned": Maker().summary().model_copy(update={"results": (), "paired": (), "examples": ()}),
        "one item": one_item,
        "usual": Maker().summary(),
        "several runs": Maker(runs=("monday", "tuesday")).summary(),
        "hostile": hostile,
        "large": LARGE.summary(),
    }


SUMMARIES = summaries()
PAGES = {name: report_page(summary, load_picture=grey) for name, summary in SUMMARIES.items()}


@cache
def parsed(name: str) -> Page:
    return Page(PAGES[name])


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_well_formed(name: str) -> None:
    page = parsed(name)
    assert page.open == []
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    assert set(page.values("href")) <= {f"#{one}" for one in ids}
    for labels in page.values("aria-labelledby"):
        assert set(labels.split()) <= set(ids)
    assert all(value for tag, key, value in page.attributes if (tag, key) == ("img", "alt"))


@pytest.mark.parametrize("name", PAGES)
def test_the_page_asks_for_nothing_from_outside(name: str) -> None:
    page = parsed(name)
    assert not page.tags & {
        "script",
        "link",
        "iframe",
        "object",
        "embed",
        "base",
        "form",
        "audio",
        "video",
        "use",
        "a:x",
    }
    assert all(value.startswith("data:image/jpeg;base64,") for value in page.values("src"))
    assert not [
        key for _, key, _ in page.attributes if key.startswith("on") or key in ("style", "srcset", "xlink:href")
    ]
    style = PAGES[name].split("<style>")[1].split("</style>")[0]
    assert "url(" not in style and "@import" not in style


@pytest.mark.parametrize("name", PAGES)
def test_the_policy_allows_this_style_and_nothing_else(name: str) -> None:
    page = parsed(name)
    (policy,) = [value for tag, key, value in page.attributes if tag == "meta" and "default-src" in value]
    rules = dict(one.strip().split(" ", 1) for one in policy.split(";"))
    style = PAGES[name].split("<style>")[1].split("</style>")[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert rules == {
        "default-src": "'none'",
        "img-src": "data:",
        "style-src": f"'sha256-{digest}'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }


def test_hostile_words_are_words() -> None:
    page = parsed("hostile")
    assert page.text.count("<script>alert(1)</script>") > 20
    assert "{{ 7*7 }}" in page.text
    assert not re.search(r"<script|<img src=x|<svg onload", PAGES["hostile"])
    assert not any("alert" in key for _, key, _ in page.attributes)
    PAGES["hostile"].encode("utf-8")  # half of a surrogate pair would not go into a file
    known = parsed("several runs").tags
    assert page.tags <= known


def test_an_empty_report_says_so_and_hides_what_it_lacks() -> None:
    page = parsed("empty")
    assert "Nothing was asked" in page.text
    assert not page.tags & {"svg", "table", "img"}
    assert "Costs" not in page.text and "Run card" not in page.text


def test_a_report_of_a_plan_alone_has_its_run_card() -> None:
    page = parsed("planned")
    assert "Nothing was asked" in page.text and "Run card" in page.text


def test_every_section_of_a_full_report_is_there() -> None:
    text = parsed("usual").text
    for words in (
        "What degradation takes",
        "Model against model",
        "How answers moved",
        "Condition by category",
        "Sensitivity to degradation",
        "By form of answer",
        "Stress tags",
        "Answers, scene graphs, consistency",
        "What it takes to get an answer right",
        "The worst examples",
        "Prompts, word for word",
        "[the model's own reply]",
        "qwen3-vl-8b (400)",
        "640×480",
        "0f0f0f",
        "semantic shortcut",
        "McNemar p",
    ):
        assert words in text, words


def test_several_runs_stand_side_by_side_with_what_differs() -> None:
    text = parsed("several runs").text
    assert "monday and tuesday" in text
    assert "settings.seed" in text
    assert "tuesday: openai/qwen3-vl" in text


def test_all_numbers_of_the_results_are_in_the_page() -> None:
    text = parsed("usual").text
    for row in SUMMARIES["usual"].results:
        assert row.score is not None
        assert f"{100 * row.score.estimate:.1f}%" in text


def rows_of(html: str, name: str) -> list[dict[str, str]]:
    """A table of the page by its name: rows of heading -> cell; a heading that comes twice keeps its second cell."""
    found = ET.fromstring(html.split(f'aria-label="{name}">')[1].split("</div>")[0])
    heads, *rows = [["".join(cell.itertext()) for cell in row] for row in found.iter("tr")]
    assert all(len(row) == len(heads) for row in rows)
    return [dict(zip(heads, row, strict=True)) for row in rows]


def test_numbers_stand_below_their_headings() -> None:
    html, summary = PAGES["usual"], SUMMARIES["usual"]
    audits = html.split('<h2 id="audits">')[1]
    expected = {
        "audit or run": "audit",
        "condition": "clean",
        "pictures": "12",
        "questions": "120",
        "QA": "70.0%",
        "without pictures": "30.0%",
        "SGC": "55.0%",
        "no graph": "1",
        "agreement": "66.0% [61.0, 71.0]",
        "by chance": "30.0%",
        "corrected for chance": "0.50",
        "ceiling": "95.0%",
        "diagnosis": "semantic shortcut (90%)",
    }
    assert expected.items() <= rows_of(audits, "All numbers")[0].items()
    told = {
        "calls": "800",
        "calls a question": "2.00",
        "tokens in": "120,000",
        "cost": "$1.25",
        "median of one": "1.20 s",
    }
    assert told.items() <= rows_of(html, "Costs")[0].items()
    dear = {"pairs": "200", "recovered": "23", "lost": "7", "extra calls": "+320", "extra cost": "$0.25"}
    assert dear.items() <= rows_of(html, "What it takes to get an answer right")[0].items()
    for row, shown in zip(summary.results[::4], rows_of(html, "All numbers by condition"), strict=True):
        assert row.score is not None and row.by == "all"
        assert (shown["condition"], shown["n"], shown["scored"]) == (row.condition, "45", "40")
        assert shown["score"].startswith(f"{100 * row.score.estimate:.1f}% [")
        beside = ("chance", "without pictures", "not readable", "refused", "cut off", "failed calls", "not asked yet")
        assert [shown[name] for name in beside] == ["25.0%", "31.0%", "10.0%", "2.0%", "0.0%", "1", "2"]
        assert shown["not scorable"] == "2"
    moved = [row for row in summary.paired if row.contrast == "condition"]
    for pair, shown in zip(moved, rows_of(html, "All numbers"), strict=True):
        assert pair.flips is not None
        assert (shown["gained"], shown["lost"]) == (str(pair.flips.gained), str(pair.flips.lost))
        assert (shown["McNemar p"], shown["p after Holm"], shown["n"]) == ("0.040", "0.200", "40")


def test_a_large_report_stays_a_page_that_can_be_opened() -> None:
    html, page = PAGES["large"], parsed("large")
    assert len(html) < 12 * 2**20
    assert "more rows stand in the report's CSV tables" in page.text
    assert html.count("<svg") < 150


def test_the_same_summary_gives_the_same_bytes_in_any_process(tmp_path: Path) -> None:
    file = tmp_path / "summary.json"
    file.write_text(SUMMARIES["usual"].model_dump_json(), encoding="utf-8")
    code = (
        "import sys, hashlib\n"
        "from pathlib import Path\n"
        "from seeworthy.diagnostics.report.page import report_page\n"
        "from seeworthy.diagnostics.report.summary import ReportSummary\n"
        "summary = ReportSummary.model_validate_json(Path(sys.argv[1]).read_text(encoding='utf-8'))\n"
        "print(hashlib.sha256(report_page(summary).encode()).hexdigest())\n"
    )
    here = hashlib.sha256(report_page(SUMMARIES["usual"]).encode()).hexdigest()
    there = subprocess.run(
        [sys.executable, "-c", code, str(file)],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "7", "PATH": "/usr/bin"},
    )
    assert there.stdout.strip() == here


def test_flags_of_intervals_are_explained() -> None:
    summary = Maker().summary()
    results = list(summary.results)
    score = results[0].score
    assert score is not None
    few = score.model_copy(update={"flags": ("few_clusters",)})
    results[0] = results[0].model_copy(update={"score": few})
    page = Page(report_page(summary.model_copy(update={"results": tuple(results)})))
    assert "* fewer than 30 scenes" in page.text
