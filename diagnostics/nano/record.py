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

if TYPE_CHECKING:
    from .training import TrainingPlan

__all__ = ["card_text", "write_card", "write_record"]

_PACKAGES = ("seeworthy", "torch", "transformers", "tokenizers", "numpy")

Curve = Sequence[Mapping[str, float]]


def write_record(folder: Path, plan: TrainingPlan, curves: Mapping[str, Curve]) -> None:
    """Writes ``training.json``: the plan, versions, and the curve of every stage.

    Args:
        folder: of the checkpoint.
        plan: what was done.
        curves: stage -> its curve.
    """
    record = {
        "format": "seeworthy nano training 1",
        "plan": plan.model_dump(mode="json"),
        "versions": {package: version(package) for package in _PACKAGES},
        "curves": {name: [_rounded(row) for row in curve] for name, curve in curves.items()},
    }
    with whole_file(folder / "training.json") as part:
        part.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def card_text(name: str) -> str:
    """The model card, without measured numbers."""
    text = files(__package__).joinpath("card.md").read_text(encoding="utf-8")
    saw = "clean pictures only" if name == "nano" else "clean pictures and, half of the time, degraded ones"
    return Template(text).substitute(name=name, saw=saw)


def write_card(folder: Path, name: str) -> None:
    """Writes ``README.md``: what the model is. A study of it writes a card with its numbers."""
    with whole_file(folder / "README.md") as part:
        part.write_text(card_text(name), encoding="utf-8")


def _rounded(row: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in row.items()}
