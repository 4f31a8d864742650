"""The run card, out of a run's plan and records."""

from __future__ import annotations

import hashlib
import importlib.metadata
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

import numpy as np

from ....tools.models import CoordinateSpace
from ....tools.models.surrogates import without_lone_surrogates
from ...runs import PROMPTS, JudgedRun, PictureRef, RunItem
from ...runs.judged import SentForm
from ...runs.prompts import PromptParts
from ...runs.prompts.registry import ModelTurn
from ..summary import ArmCard, PromptExample, RunCard, SentPictures

__all__ = ["blind_prompts", "report_versions", "run_card"]

_SIZES_LISTED: Final = 20
_SOME_SPACE: Final = CoordinateSpace.PERMILLE
_SCORING: Final = ("replies", "runs", "scene_graph", "metrics", "report/numbers")
"""What decides scores, in `diagnostics`; the digest of its source is the version of parsing and scoring."""


def run_card(run: JudgedRun, label: str) -> RunCard:
    """Everything that one must know to make the run again."""
    plan, settings = run.plan, run.plan.settings
    return RunCard(
        label=label,
        sources=tuple(
            without_lone_surrogates(one.path if one.format is None else f"{one.path} ({one.format})")
            for one in settings.sources
        ),
        limit=plan.limit,
        data_sha256=plan.data.sha256,
        conditions=plan.data.conditions,
        items=plan.data.items,
        questions=plan.data.questions,
        scenes=len({item.cluster for item in run.items}),
        arms=tuple(
            ArmCard.model_validate(
                {
                    "name": arm.name,
                    "identity": arm.identity,
                    "space": arm.space,
                    "reported": dict(sorted(run.reported[arm.name].items())),
                    "sent": _sent(run.sent[arm.name]),
                }
            )
            for arm in settings.arms
        ),
        prompts=tuple(_prompts(run)),
        repeats=settings.repeats,
        seed=settings.seed,
        generation=settings.generation,
        imported=plan.imported,
        planned_calls=plan.calls,
        calls_left=run.left,
        stray_records=run.stray,
        versions=plan.versions,
        report_versions=report_versions(),
        first_call=run.first_at or None,
        last_call=run.last_at or None,
    )


def blind_prompts(run: JudgedRun) -> frozenset[str]:
    """The prompts that show no picture of an item that has some."""
    found = set()
    for place, prompt in enumerate(run.plan.settings.prompts):
        if not PROMPTS.get(prompt.name).askable:
            continue  # another tool asked, and what it showed is not known
        shown = next((item for item in _asked_with(run, place) if item.pictures), None)
        if shown is not None and not _shows_pictures(PROMPTS.get(prompt.name).parts(shown, _SOME_SPACE)):
            found.add(prompt.name)
    return frozenset(found)


def _asked_with(run: JudgedRun, prompt: int) -> Iterator[RunItem]:
    """In the order of their ids."""
    return (run.items[place] for place in np.unique(run.item[run.prompt == prompt]).tolist())


@cache
def report_versions() -> dict[str, str]:
    """Of the package, and the digest of the source of everything that reads and scores replies."""
    digest = hashlib.sha256()
    root = files(__package__.rpartition(".report")[0])
    for name in _SCORING:
        for path, file in sorted(_sources(name, root.joinpath(name))):
            digest.update(f"{path}\x1f".encode() + file.read_bytes())
    return {"seeworthy": importlib.metadata.version("seeworthy"), "scoring": digest.hexdigest()[:16]}


def _sources(name: str, place: Traversable) -> Iterator[tuple[str, Traversable]]:
    if place.is_dir():
        for part in place.iterdir():
            yield from _sources(f"{name}/{part.name}", part)
    elif name.endswith(".py"):
        yield name, place


def _prompts(run: JudgedRun) -> Iterator[PromptExample]:
    """Of each prompt whose words are known, form of answer and different wording the item with the first id."""
    settings = run.plan.settings
    blind = blind_prompts(run)
    spaces = sorted({arm.space for arm in settings.arms})
    for place, prompt in enumerate(settings.prompts):
        if not PROMPTS.get(prompt.name).askable:
            continue
        by_form: dict[str, RunItem] = {}
        for item in _asked_with(run, place):
            by_form.setdefault(item.answer_format.answer_type.value, item)
        for form, item in sorted(by_form.items()):
            told: list[tuple[tuple[str, str], ...]] = []
            for space in spaces:
                parts = tuple(map(_part, PROMPTS.get(prompt.name).parts(item, space)))
                if parts in told:
                    continue
                told.append(parts)
                yield PromptExample(
                    prompt=prompt.name,
                    version=prompt.version,
                    blind=prompt.name in blind,
                    answer_format=form,
                    space=space,
                    item=without_lone_surrogates(item.id),
                    parts=parts,
                )


def _part(part: str | PictureRef | ModelTurn) -> tuple[str, str]:
    if isinstance(part, PictureRef):
        return "image", without_lone_surrogates(part.path)
    return ("reply", "") if isinstance(part, ModelTurn) else ("text", without_lone_surrogates(part))


def _shows_pictures(parts: PromptParts) -> bool:
    return any(isinstance(part, PictureRef) for part in parts)


def _sent(forms: Counter[SentForm]) -> tuple[SentPictures, ...]:
    """The most frequent forms, then all others together."""
    ordered = sorted(forms.items(), key=lambda one: (-one[1], one[0][:3], one[0][3] or 0))
    found = [
        SentPictures(original_size=original, sent_size=sent, media_type=media, jpeg_quality=quality, count=count)
        for (original, sent, media, quality), count in ordered[:_SIZES_LISTED]
    ]
    others = sum(count for _, count in ordered[_SIZES_LISTED:])
    if others:
        found.append(SentPictures(original_size=None, sent_size=None, media_type="", jpeg_quality=None, count=others))
    return tuple(found)
