"""Answers beside scene graphs: the numbers of audits, read from their folders, and of runs that ask for both."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import TypeAdapter, ValidationError

from ....bench_data.questions import AnswerType
from ...errors import DiagnosticsError
from ..summary import ALL_DEGRADED, ConsistencyRow, ResultRow, Subject

if TYPE_CHECKING:
    from ...auditing import PartSummary

__all__ = ["audit_rows", "graph_rows"]

_NUMBERS = "results.json"


def audit_rows(folder: Path, label: str) -> tuple[ConsistencyRow, ...]:
    """One for each condition of an audit.

    Args:
        folder: of `seeworthy audit`, or its ``results.json``.

    Raises:
        DiagnosticsError: there are no numbers of an audit.
    """
    from ...auditing import PartSummary

    path = folder if folder.is_file() else folder / _NUMBERS
    try:
        parts = TypeAdapter(list[PartSummary]).validate_json(path.read_bytes())
    except OSError as error:
        raise DiagnosticsError(
            f"cannot read {path}: {error.strerror or error}; is {folder} the folder of an audit?"
        ) from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise DiagnosticsError(
            f"{path} holds no numbers of an audit of this version: {where}: {first['msg']}; run the audit again, which "
            "makes no call twice"
        ) from error
    return tuple(_row(part, label) for part in parts)


def graph_rows(results: Sequence[ResultRow]) -> tuple[ConsistencyRow, ...]:
    """One for each subject and condition of a run that asks for scene graphs. Agreement is left to audits."""
    rows: dict[tuple[Subject, str], list[ResultRow]] = defaultdict(list)
    for row in results:
        if row.by == "answer_format" and row.condition != ALL_DEGRADED:
            rows[row.subject, row.condition].append(row)
    found = []
    for (subject, condition), formats in rows.items():
        graphs = next((row for row in formats if row.category == AnswerType.GRAPH.value), None)
        answers = [row for row in formats if row.category != AnswerType.GRAPH.value]
        if graphs is not None:
            found.append(
                ConsistencyRow(
                    audit=subject.run,
                    model=f"{subject.arm}, {subject.prompt}",
                    condition=condition,
                    pictures=graphs.n,
                    questions=sum(row.n for row in answers),
                    qa=_mean((row.score.estimate if row.score else None, row.scored) for row in answers),
                    qa_blind=_mean((row.blind, row.scored) for row in answers),
                    chance=_mean((row.chance, row.scored) for row in answers),
                    sgc=graphs.score.estimate if graphs.score else None,
                    graphs=graphs.n - graphs.errors - graphs.missing,
                    graphs_failed=round((graphs.n - graphs.errors - graphs.missing) * _failed(graphs)),
                    coverage=None,
                    agreement=None,
                    agreement_chance=None,
                    kappa=None,
                    ceiling=None,
                    mode=None,
                    mode_probability=None,
                )
            )
    return tuple(found)


def _failed(row: ResultRow) -> float:
    return (row.parse_failure or 0.0) + (row.refusal or 0.0) + (row.truncation or 0.0)


def _mean(parts: Iterable[tuple[float | None, int]]) -> float | None:
    known = [(value, weight) for value, weight in parts if value is not None and weight]
    return sum(value * weight for value, weight in known) / sum(weight for _, weight in known) if known else None


def _row(part: PartSummary, label: str) -> ConsistencyRow:
    plain, blind = part.rates.get("plain"), part.rates.get("blind")
    shown = next((graphs for graphs in part.graphs if graphs.source == "shown"), None)
    found, diagnosis = part.consistency, part.diagnosis
    return ConsistencyRow(
        audit=label,
        model=part.model,
        condition=part.condition,
        pictures=part.pictures,
        questions=0 if plain is None else plain.n,
        qa=None if plain is None else plain.accuracy,
        qa_blind=None if blind is None else blind.accuracy,
        chance=None if plain is None else plain.chance,
        sgc=None if shown is None else shown.sgc,
        graphs=0 if shown is None else shown.pictures,
        graphs_failed=0 if shown is None else shown.failed,
        coverage=None if found is None else found.coverage,
        agreement=None if found is None else found.agreement,
        agreement_chance=None if found is None else found.chance,
        kappa=None if found is None else found.kappa,
        ceiling=None if found is None or found.ceiling is None else found.ceiling.overall,
        mode=None if diagnosis is None else diagnosis.mode.value,
        mode_probability=None if diagnosis is None else diagnosis.probability,
    )
