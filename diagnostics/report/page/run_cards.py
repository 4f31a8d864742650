"""The run cards side by side: everything that one must know to make the runs again, or to doubt them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from ..summary import ArmCard, PromptExample, ReportSummary, RunCard, SentPictures
from .formats import DASH, Column, Table, table

__all__ = ["ArmView", "CardSection", "PromptView", "card_section"]

_SHOWN_CHARACTERS = 300


@dataclass(frozen=True)
class ArmView:
    """A model of a run."""

    run: str
    name: str
    identity: str
    reported: str
    space: str
    sent: Table


@dataclass(frozen=True)
class PromptView:
    """The exact words of a request."""

    runs: str
    prompt: PromptExample


@dataclass(frozen=True)
class CardSection:
    """What the section shows.

    Args:
        facts: a row a fact, a column a run.
        differences: settings that differ from the first run's; None for one run.
        arms: by run.
        prompts: each once, with the runs that share it.
    """

    facts: Table
    differences: Table | None
    arms: tuple[ArmView, ...]
    prompts: tuple[PromptView, ...]


def card_section(summary: ReportSummary) -> CardSection | None:
    """None without a run."""
    if not summary.runs:
        return None
    facts = [_facts(run) for run in summary.runs]
    names = list(dict.fromkeys(name for one in facts for name in one))
    rows = [(name, *(one.get(name, DASH) for one in facts)) for name in names]
    columns = [Column(name, "words") for name in ("", *(run.label for run in summary.runs))]
    differences = [(one.run, one.name, _json(one.left), _json(one.right)) for one in summary.differences]
    prompts: dict[PromptExample, list[str]] = {}
    for run in summary.runs:
        for prompt in run.prompts:
            prompts.setdefault(prompt, []).append(run.label)
    several = len(summary.runs) > 1
    return CardSection(
        facts=table("", columns, rows),
        differences=table("", "<run|<setting|<in the first run|<in this run", differences) if several else None,
        arms=tuple(_arm(run.label if several else "", arm) for run in summary.runs for arm in run.arms),
        prompts=tuple(PromptView(", ".join(runs) if several else "", one) for one, runs in prompts.items()),
    )


def _facts(run: RunCard) -> dict[str, str]:
    generation = None if run.generation is None else run.generation.model_dump(mode="json", exclude_none=True)
    imported = None if run.imported is None else run.imported.model_dump(mode="json", exclude_none=True)
    facts = {
        "data": ", ".join(run.sources),
        "data SHA-256": run.data_sha256,
        "items, questions, scenes": f"{run.items:,}, {run.questions:,}, {run.scenes:,}",
        "conditions": ", ".join(f"{name} ({count:,})" for name, count in run.conditions.items()),
        "limit of items": "none" if run.limit is None else f"{run.limit:,}",
        "prompts": ", ".join(dict.fromkeys(f"{one.prompt} (version {one.version})" for one in run.prompts))
        or "not known",
        "repeats": f"{run.repeats:,}",
        "seed": str(run.seed),
        "generation": "not known" if generation is None else _settings(generation),
        **({} if imported is None else {"replies from another tool": _settings(imported)}),
        "calls": f"{run.planned_calls:,} planned, {run.calls_left:,} without a reply",
        "first and last call": f"{run.first_call or DASH} … {run.last_call or DASH}",
        "made with": _settings(run.versions),
        "read with": _settings(run.report_versions),
    }
    return {name: words or DASH for name, words in facts.items()}


def _settings(values: Mapping[str, object]) -> str:
    return ", ".join(
        f"{name} {value if isinstance(value, str) else json.dumps(value)}" for name, value in values.items()
    )


def _arm(run: str, arm: ArmCard) -> ArmView:
    reported = ", ".join(f"{name or 'no name'} ({count:,})" for name, count in arm.reported.items())
    return ArmView(
        run=run,
        name=arm.name,
        identity=json.dumps(arm.identity, indent=2, ensure_ascii=False, sort_keys=True),
        reported=reported or DASH,
        space=arm.space.value.replace("_", " "),
        sent=table("", "<in the file|<sent|<as|pictures", [_sent(one) for one in arm.sent]),
    )


def _sent(one: SentPictures) -> tuple[str, ...]:
    quality = "" if one.jpeg_quality is None else f", quality {one.jpeg_quality}"
    return (
        _size(one.original_size),
        _size(one.sent_size),
        (one.media_type or "several") + quality,
        f"{one.count:,}",
    )


def _size(size: tuple[int, int] | None) -> str:
    return "other sizes" if size is None else f"{size[0]}×{size[1]}"


def _json(value: JsonValue) -> str:
    text = "not there" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 1] + "…"
