"""The trace page: whole, self-contained, and safe to open whatever the model wrote."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from seeworthy.agent import RobustVLM
from seeworthy.bench_data.images import Picture

from .conftest import AddTool, ScriptedModel
from .test_editors import blackens, good
from .test_graph import OPTIONS

HOSTILE = '<script>alert("x")</script><img src=x onerror=alert(1)> {{ 7*7 }} A'


class _Balance(HTMLParser):
    """Counts tags and collects what a browser would fetch."""

    VOID = frozenset({"meta", "img", "br", "link", "input", "hr"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.fetched: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in self.VOID:
            self.open.append(tag)
        self.fetched += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.usefixtures("always_dark")
async def test_the_page_tells_the_story_and_runs_nothing(dark: Picture, only_tool: AddTool, tmp_path: Path) -> None:
    only_tool(blackens, good)
    result = await RobustVLM(ScriptedModel(lambda r: HOSTILE)).solve(f"Where? {HOSTILE}", [dark], options=OPTIONS)
    result.write_trace(tmp_path / "trace.html")
    page = (tmp_path / "trace.html").read_text(encoding="utf-8")
    parsed = _Balance()
    parsed.feed(page)
    assert parsed.open == []
    assert "script" not in parsed.tags
    assert all(target.startswith("data:image/jpeg;base64,") for target in parsed.fetched)
    assert not re.search(r"https?://", page)
    assert "{{ 7*7 }}" in page, "a reply is never read as a template"
    for expected in ("rejected", "accepted", "blackens", "good", "low light", "both view"):
        assert expected in page


async def test_a_clean_picture_has_a_page_too(photograph: Picture, tmp_path: Path) -> None:
    result = await RobustVLM(ScriptedModel(lambda r: "no idea")).solve("Where?", [photograph], options=OPTIONS)
    result.write_trace(tmp_path / "trace.html")
    page = (tmp_path / "trace.html").read_text(encoding="utf-8")
    assert "Cannot tell" in page
    assert "No stress found" in page
