"""The numbers of audits, read from their folders."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import TypeAdapter, ValidationError

from ...errors import DiagnosticsError
from ..summary import ConsistencyRow

if TYPE_CHECKING:
    from ...auditing import PartSummary

__all__ = ["audit_rows"]

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
