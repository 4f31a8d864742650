"""The numbers of an audit: rates, graph scores, consistency, effects, errors and the diagnosis of each condition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict

from ..consistency import Compared, ConsistencyReport, consistency
from ..degradation_errors import DegradedAnswer, ErrorCounts, count_errors
from ..diagnosis import Diagnosis, Evidence, Thresholds, diagnose
from ..diagnosis.gather import gather_evidence
from ..interventions import EffectResult, Role, measure_effects
from ..judging import Tolerances, chance_of, is_right
from ..metrics import ScoreRates, score_rates
from ..scene_graph import AXES, AxisName, GraphScores, ParsedGraph, Scoring, pool_scores
from ..scene_graph.score_parts import Side
from .published import PublishedValues, published_values
from .results import AuditPart

__all__ = ["AskedGraphs", "PartSummary", "RelationConfusion", "audit_errors", "compared_answers", "summarise"]

CLEAN = "clean"


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RelationConfusion(_Record):
    """How often each side of an axis was told, over all true edges.

    Attributes:
        axis: "left_right", "front_behind" or "above_below".
        rows, columns: sides as they are, and as they were told.
        counts: (rows, columns).
    """

    axis: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


class AskedGraphs(_Record):
    """The graphs that a model drew.

    Attributes:
        source: what was shown: the picture, a grey one, none.
        pictures, failed: asked for, and without a graph that could be read.
        statuses: how reading them ended, with how many.
        sgc, estimation, relation: sound scores, see `GraphScores`; None where nothing of the kind was asked.
        relation_of_empty_answer: what a graph without any relation gets.
        nodes_f1, edges_f1: of what was found and invented.
        unit_slip: the unit that lengths seem to be told in, if not metres.
        mirror_slip: which relations are told the wrong way round throughout.
        confusions: of relations, by axis.
    """

    source: str
    pictures: int
    failed: int
    statuses: dict[str, int]
    sgc: float | None
    estimation: float | None
    relation: float | None
    relation_of_empty_answer: float | None
    nodes_f1: float | None
    edges_f1: float | None
    unit_slip: str | None
    mirror_slip: str
    confusions: tuple[RelationConfusion, ...]


class PartSummary(_Record):
    """The numbers of one condition of the data.

    Attributes:
        model, condition, experiment: of what.
        pictures, available: audited, and there to choose from.
        left_out: questions that cannot be audited, by reason.
        rates: condition of the experiment -> what became of its questions.
        missing: condition of the experiment -> reason -> questions it could not be asked.
        graphs: by what was shown.
        consistency, diagnosis: None where no graphs, or no plain questions, were asked.
        effects: of the experiment.
        errors: what the degradation did, by condition of the experiment; () for clean pictures.
        published: consistency as published, where it was asked for.
    """

    model: str
    condition: str
    experiment: str
    pictures: int
    available: int
    left_out: dict[str, int]
    rates: dict[str, ScoreRates]
    missing: dict[str, dict[str, int]]
    graphs: tuple[AskedGraphs, ...]
    consistency: ConsistencyReport | None
    diagnosis: Diagnosis | None
    effects: tuple[EffectResult, ...]
    errors: tuple[ErrorCounts, ...] = ()
    published: PublishedValues | None = None


def summarise(
    parts: Sequence[AuditPart],
    *,
    seed: int = 0,
    thresholds: Thresholds | None = None,
    tolerances: Tolerances | None = None,
    resamples: int = 2000,
    scoring: Scoring = "sound",
) -> tuple[PartSummary, ...]:
    """The numbers of an audit, one condition of the data after the other.

    Args:
        parts: of one audit; the clean one, if there, tells which errors were there before a degradation.
        seed: of all intervals.
        thresholds: of the diagnosis.
        tolerances: when measures are right, and the same.
        scoring: "published" adds the published consistency to the sound one.
    """
    clean = next((part for part in parts if part.condition == CLEAN), None)
    found = tuple(_summary(part, clean, seed, thresholds, tolerances, resamples) for part in parts)
    if scoring == "sound":
        return found
    return tuple(
        one.model_copy(update={"published": published_values(part) if "shown" in part.experiment.graphs else None})
        for part, one in zip(parts, found, strict=True)
    )


def compared_answers(part: AuditPart) -> tuple[Compared, ...]:
    """The questions asked with the picture alone, with both answers; failed calls are left out."""
    plain = part.experiment.in_role("plain")
    rows = {} if plain is None else part.answers.get(plain.name, {})
    return tuple(
        Compared(
            question=part.items[name].question,
            picture=part.items[name].picture.known.id,
            direct=row.read.value,
            derived=part.derived.get(name),
            ceiling=part.ceilings.get(name),
        )
        for name, row in rows.items()
        if row.score is not None
    )


def audit_errors(
    part: AuditPart, clean: AuditPart | None, tolerances: Tolerances | None = None
) -> tuple[DegradedAnswer, ...]:
    """The answers of a degraded part as errors are counted from, beside those to clean pictures asked the same way.

    Blind conditions are left out: what cannot be seen cannot be degraded.
    """
    found = []
    for condition, rows in part.answers.items():
        if part.experiment.condition(condition).is_blind:
            continue
        before = {} if clean is None else clean.answers.get(condition, {})
        for name, row in rows.items():
            if row.score is None:
                continue
            item = part.items[name]
            earlier = before.get(name)
            found.append(
                DegradedAnswer(
                    condition=condition,
                    query=item.question.query,
                    answered=row.read.value is not None,
                    right=is_right(item.question, row.read.value, tolerances),
                    right_when_clean=None
                    if clean is None or earlier is None or earlier.score is None
                    else is_right(clean.items[name].question, earlier.read.value, tolerances),
                    answerable=item.asked.answerable,
                    degradations=tuple(one.name for one in item.picture.record.degradations),
                    named=row.named,
                )
            )
    return tuple(found)


def _summary(
    part: AuditPart,
    clean: AuditPart | None,
    seed: int,
    thresholds: Thresholds | None,
    tolerances: Tolerances | None,
    resamples: int,
) -> PartSummary:
    compared = compared_answers(part) if "shown" in part.experiment.graphs else ()
    evidence = _evidence(part, compared, tolerances)
    degraded = any(item.picture.record.degradations for item in part.items.values())
    return PartSummary(
        model=part.model,
        condition=part.condition,
        experiment=part.experiment.name,
        pictures=len(part.choice.pictures),
        available=part.choice.available,
        left_out=dict(part.choice.left_out),
        rates={name: _rates(part, name) for name in part.answers},
        missing={name: _reasons(reasons) for name, reasons in part.missing.items() if reasons},
        graphs=tuple(_graphs(part, source) for source in part.experiment.graphs),
        consistency=consistency(compared, seed=seed, tolerances=tolerances, resamples=resamples) if compared else None,
        diagnosis=diagnose(evidence, seed=seed, thresholds=thresholds, resamples=resamples) if evidence else None,
        effects=measure_effects(
            part.experiment,
            {name: _scores(part, name) for name in part.answers},
            {name: item.picture.known.id for name, item in part.items.items()},
            seed=seed,
            missing={name: set(reasons) for name, reasons in part.missing.items()},
            resamples=resamples,
        ),
        errors=count_errors(audit_errors(part, clean, tolerances)) if degraded else (),
    )


def _evidence(part: AuditPart, compared: Sequence[Compared], tolerances: Tolerances | None) -> tuple[Evidence, ...]:
    def in_role(role: Role) -> Mapping[str, float]:
        condition = part.experiment.in_role(role)
        return {} if condition is None else _scores(part, condition.name)

    return gather_evidence(
        compared,
        blind=in_role("blind"),
        own=in_role("own"),
        true=in_role("true"),
        shuffled=in_role("shuffled"),
        tolerances=tolerances,
    )


def _scores(part: AuditPart, condition: str) -> dict[str, float]:
    """Question -> score; failed calls are left out."""
    rows = part.answers.get(condition, {})
    return {name: row.score for name, row in rows.items() if row.score is not None}


def _rates(part: AuditPart, condition: str) -> ScoreRates:
    rows = part.answers[condition]
    return score_rates(
        [row.read.status for row in rows.values()],
        [row.score for row in rows.values()],
        chance_levels=[chance_of(part.items[name].question) for name in rows],
    )


def _reasons(reasons: Mapping[str, str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for reason in reasons.values():
        counts[reason] = counts.get(reason, 0) + 1
    return counts


def _graphs(part: AuditPart, source: str) -> AskedGraphs:
    drawn = [graph for (_, shown), graph in part.graphs.items() if shown == source]
    scores = pool_scores(graph.scores for graph in drawn)
    slip = scores.scale().slip
    return AskedGraphs(
        source=source,
        pictures=len(drawn),
        failed=sum(graph.graph is None for graph in drawn),
        statuses=_reasons({str(place): _status(graph.parsed) for place, graph in enumerate(drawn)}),
        sgc=scores.sgc,
        estimation=scores.estimation,
        relation=scores.relation,
        relation_of_empty_answer=scores.relation_of_empty_answer,
        nodes_f1=scores.nodes.f1,
        edges_f1=scores.edges.f1,
        unit_slip=None if slip is None else slip.value,
        mirror_slip=scores.mirror_slip,
        confusions=_confusions(scores),
    )


def _status(parsed: ParsedGraph | None) -> str:
    return "call failed" if parsed is None else parsed.status.value


def _confusions(scores: GraphScores) -> tuple[RelationConfusion, ...]:
    return tuple(_confusion(axis, scores) for axis in AXES if axis in scores.axes and scores.axes[axis].edges)


def _confusion(axis: AxisName, scores: GraphScores) -> RelationConfusion:
    words: dict[Side, str] = {"first": AXES[axis][0], "none": "neither", "second": AXES[axis][1]}
    told: dict[Side, str] = {**words, "both": "both", "unsaid": "not told"}
    counts = scores.axes[axis].counts
    return RelationConfusion(
        axis=axis,
        rows=tuple(words.values()),
        columns=tuple(told.values()),
        counts=tuple(tuple(counts.get((row, column), 0) for column in told) for row in words),
    )
