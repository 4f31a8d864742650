"""The page is one file, complete, escapes what models say, and puts things where they belong."""

from __future__ import annotations

import asyncio
import re
from html.parser import HTMLParser

import pytest

from seeworthy.bench_data.building import DataSet
from seeworthy.diagnostics.auditing import AuditPart, AuditSettings, PartSummary, run_audit, summarise
from seeworthy.diagnostics.auditing.page import audit_page
from seeworthy.diagnostics.auditing.page.examples import worst_examples
from seeworthy.diagnostics.auditing.page.scenes import implied_places
from seeworthy.diagnostics.auditing.page.svg import text
from seeworthy.diagnostics.interventions import load_experiment
from seeworthy.diagnostics.scene_graph import SceneEdge, SceneGraph, SceneObject
from seeworthy.diagnostics.subjects import Behaviour, CalibrationSubject, SubjectKind
from seeworthy.tools.models import VisionLanguageModel
from tests.diagnostics.auditing.test_run import Scripted

Audit = tuple[tuple[AuditPart, ...], tuple[PartSummary, ...]]


class Balance(HTMLParser):
    """Notices tags that are not closed."""

    VOID = frozenset({"meta", "img", "br"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += attrs
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def audit(model: VisionLanguageModel, data: DataSet, **settings: object) -> Audit:
    chosen = AuditSettings(**settings)  # type: ignore[arg-type]
    parts = asyncio.run(run_audit(model, data, load_experiment("interventions"), chosen))
    return parts, summarise(parts, resamples=100)


@pytest.fixture(scope="module")
def hallucinated(data: DataSet) -> Audit:
    return audit(
        CalibrationSubject(Behaviour(SubjectKind.HALLUCINATING, 1.0)), data, conditions=("clean", "low_light-bench")
    )


def test_the_page_is_well_formed_and_needs_no_network(hallucinated: Audit) -> None:
    html = audit_page(*hallucinated, examples=4)
    balance = Balance()
    balance.feed(html)
    assert balance.open == []
    links = [value for name, value in balance.attributes if name in ("src", "href") and value]
    assert links and all(value.startswith("data:image/") for value in links)
    assert not re.search(r"https?://(?!www\.w3\.org)", html)
    for words in (
        "consistent hallucination",
        "From above",
        "How that follows",
        "What the degradation did",
        "front behind",
    ):
        assert words in html


def test_the_worst_examples_are_wrong_and_spread_over_pictures(hallucinated: Audit) -> None:
    (part, _), _ = hallucinated
    examples = worst_examples(part, 5)
    assert len(examples) == 5
    assert len({one.id.rsplit("/", 2)[0] for one in examples}) == min(5, len(part.choice.pictures))
    assert all("both wrong" in one.outcome for one in examples[:3])
    assert all(one.truth != one.answer for one in examples)


def test_what_went_well_is_no_example(data: DataSet) -> None:
    parts, summaries = audit(CalibrationSubject(Behaviour(SubjectKind.GROUNDED, 0.0)), data, most_pictures=2)
    assert worst_examples(parts[0]) == ()
    assert "The worst examples" not in audit_page(parts, summaries)


def test_replies_are_escaped(data: DataSet) -> None:
    parts, summaries = audit(
        Scripted(lambda _: "<script>alert('x')</script>", name="<b>bold</b>"), data, most_pictures=1
    )
    html = audit_page(parts, summaries)
    assert "<script>" not in html and "<b>bold" not in html
    assert "&lt;script&gt;" in html


def test_svg_text_is_escaped() -> None:
    assert "<b>" not in text(0, 0, "<b>&\"'")


def test_implied_places() -> None:
    graph = SceneGraph(
        objects=tuple(SceneObject(id=n, distance_to_camera_m=4.0) for n in (1, 2, 3, 4, 5)),
        edges=(
            SceneEdge(source=1, target=2, distance_m=2.0, relations=("left",)),
            SceneEdge(source=1, target=3, distance_m=2**0.5, relations=("right", "behind")),
            SceneEdge(source=1, target=4, distance_m=1.0, relations=("above",)),
            SceneEdge(source=1, target=5, distance_m=1.0, relations=None),
        ),
        centre=1,
    )
    places = implied_places(graph, {1: (0.0, 2.0)})  # told 4 m away, really 2 m, straight ahead
    assert places[1] == (0.0, 4.0)
    assert places[2] == (-2.0, 4.0)
    assert places[3] == pytest.approx((1.0, 5.0))
    assert places[4] == places[1]
    assert 5 not in places
    stated = SceneGraph(objects=(SceneObject(id=7, position_m=(1.0, 0.5, 3.0)),))
    assert implied_places(stated, {}) == {7: (1.0, 3.0)}


def test_a_graph_without_a_centre_cannot_be_placed() -> None:
    assert implied_places(SceneGraph(objects=(SceneObject(id=1),)), {1: (0.0, 1.0)}) == {}
