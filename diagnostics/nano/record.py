"""The training record and the model card that lie beside the weights."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from ...bench_data.whole_file import whole_file
from ..errors import DiagnosticsError

if TYPE_CHECKING:
    from .plans import Plan

__all__ = ["card_text", "read_record", "write_card", "write_record"]

_RECORD = "training.json"
_PACKAGES = ("seeworthy", "torch", "transformers", "tokenizers", "numpy")

Curve = Sequence[Mapping[str, float]]


def write_record(
    folder: Path, plan: Plan, curves: Mapping[str, Curve], *, before: Mapping[str, object] | None = None
) -> None:
    """Writes ``training.json``: the plan, versions, and the curve of every stage.

    Args:
        folder: of the checkpoint.
        plan: what was done.
        curves: stage -> its curve.
        before: the record of the training that this one goes on from.
    """
    record: dict[str, object] = {
        "format": "seeworthy nano training 1",
        "plan": plan.model_dump(mode="json"),
        "versions": {package: version(package) for package in _PACKAGES},
        "curves": {name: [_rounded(row) for row in curve] for name, curve in curves.items()},
    }
    if before is not None:
        record["before"] = before
    with whole_file(folder / _RECORD) as part:
        part.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def read_record(folder: Path) -> dict[str, object] | None:
    """The record beside a model; None without one.

    Raises:
        DiagnosticsError: a damaged file.
    """
    file = folder / _RECORD
    if not file.is_file():
        return None
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DiagnosticsError(f"cannot read {file}: {error}; remove it to go on without a record") from error
    if not isinstance(record, dict):
        raise DiagnosticsError(f"{file} is no record of a training; remove it to go on without one")
    return record


def card_text(name: str) -> str:
    """The model card, without measured numbers."""
    text = files(__package__).joinpath("card.md").read_text(encoding="utf-8")
    saw = "clean pictures only" if name == "nano" else "clean and degraded pictures"
    return Template(text).substitute(name=name, saw=saw)


def write_card(folder: Path, name: str) -> None:
    """Writes ``README.md``: what the model is. A study of it writes a card with its numbers."""
    with whole_file(folder / "README.md") as part:
        part.write_text(card_text(name), encoding="utf-8")


def _rounded(row: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in row.items()}
