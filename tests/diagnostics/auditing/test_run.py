"""Whole audits of subjects and scripted models over a rendered data set."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from seeworthy.bench_data.building import DataSet
from seeworthy.diagnostics.asking import ModelSilentError
from seeworthy.diagnostics.auditing import (
    AuditPart,
    AuditSettings,
    PartSummary,
    Progress,
    choose_pictures,
    run_audit,
    summarise,
)
from seeworthy.diagnostics.auditing.records import answer_lines
from seeworthy.diagnostics.auditing.shown_graphs import NO_OWN_GRAPH
from seeworthy.diagnostics.degradation_errors import ErrorKind
from seeworthy.diagnostics.diagnosis import Mode
from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.interventions import Condition, Experiment, load_experiment
from seeworthy.diagnostics.judging import is_right
from seeworthy.diagnostics.subjects import Behaviour, CalibrationSubject, SubjectKind
from seeworthy.tools.models import (
    Capabilities,
    CoordinateSpace,
    Fault,
    FaultKind,
    Reply,
    ReplyStatus,
    Request,
    VisionLanguageModel,
)


@dataclass
class Scripted:
    """Answers by a function of the text of the request."""

    answer: Callable[[str], Reply | str]
    name: str = "scripted"
    capabilities: Capabilities = field(default_factory=lambda: Capabilities(coordinate_space=CoordinateSpace.PERMILLE))
    calls: int = 0

    async def reply(self, request: Request) -> Reply:
        self.calls += 1
        said = self.answer(request.messages[-1].text)
        return Reply(text=said, status=ReplyStatus.OK) if isinstance(said, str) else said


def audited(
    model: VisionLanguageModel, data: DataSet, experiment: str | Experiment, log: Path | None = None, **settings: object
) -> tuple[tuple[AuditPart, ...], tuple[PartSummary, ...]]:
    chosen = load_experiment(experiment) if isinstance(experiment, str) else experiment
    parts = asyncio.run(run_audit(model, data, chosen, AuditSettings(**settings), log=log))  # type: ignore[arg-type]
    return parts, summarise(parts, resamples=200)


def subject(kind: SubjectKind, strength: float) -> CalibrationSubject:
    return CalibrationSubject(Behaviour(kind, strength))


@pytest.mark.parametrize(
    ("kind", "mode"),
    [
        (SubjectKind.GROUNDED, Mode.GROUNDED),
        (SubjectKind.SHORTCUT, Mode.SEMANTIC_SHORTCUT),
        (SubjectKind.DISCONNECTED, Mode.DISCONNECTION),
        (SubjectKind.TRUSTING, Mode.TRUST_BIAS),
        (SubjectKind.HALLUCINATING, Mode.CONSISTENT_HALLUCINATION),
    ],
)
def test_through_pictures_texts_and_parsers_faults_are_still_found(
    data: DataSet, kind: SubjectKind, mode: Mode
) -> None:
    (part,), (summary,) = audited(subject(kind, 0.0 if kind is SubjectKind.GROUNDED else 1.0), data, "interventions")
    assert summary.diagnosis is not None and summary.diagnosis.mode is mode
    assert all(rates.ok == rates.n for rates in summary.rates.values())
    assert all(graph.parsed is not None and graph.parsed.status.value == "clean" for graph in part.graphs.values())
    assert summary.consistency is not None and summary.consistency.ceiling is not None
    assert summary.consistency.ceiling.right == 1.0  # what the true graph decides it decides rightly


def test_a_perfect_subject_scores_one_everywhere(data: DataSet) -> None:
    _, (summary,) = audited(subject(SubjectKind.GROUNDED, 0.0), data, "audit")
    assert summary.rates["plain"].accuracy == pytest.approx(1)
    # lengths are written with three digits, which is all that is lost
    assert summary.graphs[0].sgc == pytest.approx(1, abs=0.01)
    assert summary.consistency is not None and summary.consistency.agreement is not None
    assert summary.consistency.agreement.estimate > 0.98


def test_a_second_run_asks_nothing_and_gives_the_same(data: DataSet, tmp_path: Path) -> None:
    log = tmp_path / "replies.jsonl"
    _, first = audited(subject(SubjectKind.TRUSTING, 0.7), data, "interventions", log)
    size = log.stat().st_size
    _, again = audited(subject(SubjectKind.TRUSTING, 0.7), data, "interventions", log)
    assert again == first and log.stat().st_size == size


def test_a_stopped_run_goes_on(data: DataSet, tmp_path: Path) -> None:
    log, left = tmp_path / "replies.jsonl", 25

    def until_quota(text: str) -> Reply | str:
        nonlocal left
        left -= 1
        if left < 0:
            return Reply(status=ReplyStatus.ERROR, fault=Fault(kind=FaultKind.QUOTA, message="spent", retryable=False))
        return "A"

    with pytest.raises(ModelSilentError, match="spent"):
        audited(Scripted(until_quota), data, "audit", log, concurrency=1)
    model = Scripted(lambda text: "A")
    (part,), _ = audited(model, data, "audit", log)
    total = sum(len(rows) for rows in part.answers.values()) + len(part.graphs)
    assert model.calls <= total - 25 + 6  # blind graphs and equal requests are asked once


def test_a_missing_own_graph_is_a_condition_of_its_own(data: DataSet) -> None:
    """It draws nothing: those questions are not asked, counted, and shown with how it did on them before."""
    (part,), (summary,) = audited(Scripted(lambda text: "no" if "yes or no" in text else "A"), data, "interventions")
    assert part.answers["own graph"] == {}
    assert set(part.missing["own graph"].values()) == {NO_OWN_GRAPH}
    assert summary.missing["own graph"] == {NO_OWN_GRAPH: len(part.items)}
    trust = next(effect for effect in summary.effects if effect.name == "trust in own text")
    assert (trust.questions, trust.missing, trust.difference) == (0, len(part.items), None)
    assert trust.missing_before == pytest.approx(summary.rates["plain"].accuracy)
    assert summary.graphs[0].failed == summary.graphs[0].pictures
    assert summary.consistency is not None and summary.consistency.no_graph == summary.consistency.questions
    assert summary.diagnosis is not None
    assert not {one.mode: one.tested for one in summary.diagnosis.modes}[Mode.TRUST_BIAS]


HOSTILE = [
    '{"objects": [{"id": 1, "label": "<script>alert(1)</script>"}, {"id": 1}], "edges": [{"from": 1, "to": 1}]}',
    '{"objects": [{"id": "NaN", "distance_to_camera": NaN}]}',
    '{"objects": ' + "[" * 500,
    '{"objects": [' + ",".join(f'{{"id": {n}}}' for n in range(300)) + "]}",
    "",
    "null",
]


@pytest.mark.parametrize("reply", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_replies_never_end_an_audit(data: DataSet, reply: str) -> None:
    parts, summaries = audited(Scripted(lambda text: reply), data, "audit", most_pictures=2)
    assert summaries[0].rates["plain"].n == len(parts[0].items)
    assert summaries[0].consistency is not None and summaries[0].consistency.compared == 0
    assert all(json.loads(line) for part in parts for line in answer_lines(part))


def test_failed_calls_are_neither_right_nor_wrong(data: DataSet) -> None:
    def flaky(text: str) -> Reply | str:
        if "How" in text or "height" in text:
            return Reply(status=ReplyStatus.ERROR, fault=Fault(kind=FaultKind.TOO_LARGE, message="x", retryable=False))
        return "A"

    _, (summary,) = audited(Scripted(flaky), data, "audit", concurrency=1)
    rates = summary.rates["plain"]
    assert rates.errors > 0 and rates.scored == rates.n - rates.errors
    assert summary.consistency is not None and summary.consistency.questions == rates.scored


def test_degradation_hints_chain_and_errors(data: DataSet) -> None:
    parts, (clean, dark) = audited(
        subject(SubjectKind.GROUNDED, 0.0), data, "degradation", conditions=("clean", "low_light-bench")
    )
    assert clean.errors == ()
    assert [one.condition for one in dark.errors] == ["plain", "told", "told wrongly", "two stages"]
    chain = dark.errors[-1]
    assert chain.named == chain.named_rightly == chain.questions
    assert all(row.named == "low_light" for row in parts[1].answers["two stages"].values())
    assert all(row.named == "none" for row in parts[0].answers["two stages"].values())
    assert dark.consistency is None and dark.diagnosis is None  # no graphs were asked for


def test_wrong_answers_about_what_no_one_can_see_are_guesses(data: DataSet) -> None:
    (_, dark), (_, summary) = audited(
        subject(SubjectKind.DISCONNECTED, 1.0), data, "audit", conditions=("clean", "low_light-bench")
    )
    unanswerable = {name for name, item in dark.items.items() if not item.asked.answerable}
    assert unanswerable
    wrong = sum(
        not is_right(dark.items[name].question, dark.answers["plain"][name].read.value) for name in unanswerable
    )
    assert summary.errors[0].kinds[ErrorKind.LOW_VISIBILITY] == wrong > 0


def test_every_medium_goes_through(data: DataSet) -> None:
    media = Experiment(
        name="some media",
        positions=True,
        conditions=(
            Condition(name="plain"),
            Condition(name="both", graph="true", media=("birds_eye", "prose")),
            Condition(name="own drawing", graph="own", media=("birds_eye",)),
        ),
    )
    (part,), (summary,) = audited(subject(SubjectKind.TRUSTING, 0.0), data, media, most_pictures=1)
    assert part.missing["own drawing"] == {}
    assert part.ceilings and all(derived.is_determined for derived in part.ceilings.values())  # places decide it all
    assert summary.rates["both"].accuracy == pytest.approx(1, abs=0.05)


def test_pictures_can_be_drawn_and_are_the_same_each_time(data: DataSet) -> None:
    two = choose_pictures(data, most=2, seed=1)
    assert [one.known.id for one in two.pictures] == [
        one.known.id for one in choose_pictures(data, most=2, seed=1).pictures
    ]
    assert len(two.pictures) == 2 < two.available
    assert len({tuple(one.known.id for one in choose_pictures(data, most=2, seed=s).pictures) for s in range(9)}) > 1


def test_objects_are_asked_for_in_the_order_of_the_numbers_drawn_on_them(data: DataSet) -> None:
    graphs = [picture.known.graph for picture in choose_pictures(data).pictures]
    assert max(len(graph.ids) for graph in graphs) > 3
    for graph in graphs:
        assert list(graph.ids) == sorted(graph.ids)
        assert [edge.target for edge in graph.edges] == [one for one in graph.ids if one != graph.centre]


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"suite": "spacedg"}, "without numbers"),
        ({"suite": "chess"}, "no suite 'chess'"),
        ({"conditions": ("fog",)}, "no condition 'fog'"),
    ],
)
def test_what_cannot_be_audited_is_said(data: DataSet, changes: dict[str, object], complaint: str) -> None:
    with pytest.raises(DiagnosticsError, match=complaint):
        audited(Scripted(lambda text: "A"), data, "audit", **changes)


def test_progress_counts_up(data: DataSet) -> None:
    seen: list[Progress] = []
    settings = AuditSettings(most_pictures=2)
    asyncio.run(
        run_audit(Scripted(lambda text: "A"), data, load_experiment("audit"), settings, on_progress=seen.append)
    )
    assert [one.done for one in seen if one.stage == "clean: graphs"] == [1, 2]
    answers = [one for one in seen if one.stage == "clean: answers"]
    assert [one.done for one in answers] == list(range(1, answers[0].total + 1))


def test_the_published_consistency_is_a_switch(data: DataSet) -> None:
    parts, (sound,) = audited(subject(SubjectKind.GROUNDED, 0.0), data, "audit")
    assert sound.published is None
    (both,) = summarise(parts, resamples=200, scoring="published")
    assert both.published is not None and both.published.consistency is not None
    assert both.model_copy(update={"published": None}) == sound
    # even a perfect subject is not wholly consistent by the published rule: its solver only approximates
    assert 0.6 < both.published.consistency < 1.0
    assert both.published.valid_rate is not None and both.published.valid_rate > 0.8
    assert {"MCQ direction", "NA size"} <= set(both.published.by_group)
