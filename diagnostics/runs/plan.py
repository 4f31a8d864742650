"""The plan of a run: everything that will be asked, of whom and how, written down before the first call."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from ...bench_data.questions import AnswerType
from ...tools.findings import StressFinding
from ...tools.models import CoordinateSpace, GenerationSettings
from ..errors import DiagnosticsError
from .arms import Arm, PlannedArm, Told, Wrap
from .items import PictureRef, RunItem
from .prompts import PROMPTS, Prompt, PromptParts
from .prompts.registry import ModelTurn
from .sources import Source
from .stress import ItemStress

__all__ = [
    "Arm",
    "Call",
    "DataDescription",
    "ImportedFile",
    "ImportedFrom",
    "PlannedArm",
    "PlannedPrompt",
    "RunPlan",
    "RunSettings",
    "Told",
    "Wrap",
    "is_asked",
    "planned_calls",
]

_KEY_FORM: Final = "seeworthy-call-1"
_KEY_JSON: Final = json.JSONEncoder(ensure_ascii=True, sort_keys=True, separators=(",", ":"), allow_nan=False)
_GRAPH_TOKENS: Final = 4096
"""A scene graph takes thousands of tokens; CRISP's graph task allows so many."""


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PlannedPrompt(_Value):
    """A prompt as it is written down."""

    name: str
    version: str


class RunSettings(_Value):
    """How is asked. Two runs with equal settings and equal data ask the same.

    Args:
        sources: the suites.
        conditions: kept; None for all.
        arms: the models.
        prompts: ways of asking.
        repeats: how often each is asked; each time with a seed of its own, for servers that honour seeds.
        seed: of selection, of requests and of the intervals.
        generation: how models decode; None where nobody knows, as in a run that another tool made.
    """

    sources: tuple[Source, ...] = Field(min_length=1)
    conditions: tuple[str, ...] | None = None
    arms: tuple[PlannedArm, ...] = Field(min_length=1)
    prompts: tuple[PlannedPrompt, ...] = Field(min_length=1)
    repeats: int = Field(default=1, ge=1)
    seed: int = 0
    generation: GenerationSettings | None = GenerationSettings()

    @property
    def decoding(self) -> GenerationSettings:
        """How models decode, for asking.

        Raises:
            DiagnosticsError: nobody knows, so that nothing can be asked in the same way.
        """
        if self.generation is None:
            raise DiagnosticsError("an imported run does not say how models decode, so it cannot go on; plan a new one")
        return self.generation

    @classmethod
    def of(
        cls,
        sources: Sequence[Source],
        arms: Sequence[Arm],
        *,
        conditions: Sequence[str] | None = None,
        prompts: Sequence[str] = ("plain",),
        repeats: int = 1,
        seed: int = 0,
        generation: GenerationSettings | None = None,
    ) -> RunSettings:
        """Settings for models at hand.

        Raises:
            DiagnosticsError: a model or prompt twice, no repeats, or a prompt that cannot be asked.
            RegistryError: no such prompt.
        """
        if repeats < 1:
            raise DiagnosticsError(f"repeats must be at least 1, got {repeats}")
        planned = tuple(PlannedArm.of(arm) for arm in arms)
        for what, names in (("model", [arm.name for arm in planned]), ("prompt", list(prompts))):
            twice = [name for name in names if names.count(name) > 1]
            if twice:
                raise DiagnosticsError(f"the {what} {twice[0]!r} is named twice; give each once")
        for name in prompts:
            if not PROMPTS.get(name).askable:
                raise DiagnosticsError(f"the prompt {name!r} only marks imported replies; ask with another")
        return cls(
            sources=tuple(sources),
            conditions=None if conditions is None else tuple(conditions),
            arms=planned,
            prompts=tuple(PlannedPrompt(name=name, version=PROMPTS.get(name).version) for name in prompts),
            repeats=repeats,
            seed=seed,
            generation=generation or GenerationSettings(),
        )


class DataDescription(_Value):
    """What is asked about.

    Args:
        items, questions: how many.
        conditions: condition -> items.
        sha256: over all items, their pictures' bytes included, whatever their order.
    """

    items: int
    questions: int
    conditions: dict[str, int]
    sha256: str

    @classmethod
    def of(cls, items: Sequence[RunItem]) -> DataDescription:
        """Of items with unique ids."""
        digest = hashlib.sha256()
        counts: dict[str, int] = {}
        for item in sorted(items, key=lambda one: one.id):
            counts[item.condition] = counts.get(item.condition, 0) + 1
            content = item.model_dump(mode="json", exclude={"tags", "stress", "wrong_stress"})
            digest.update(json.dumps(content, sort_keys=True, ensure_ascii=True).encode() + b"\n")
        return cls(
            items=len(items),
            questions=len({item.question_id for item in items}),
            conditions=dict(sorted(counts.items())),
            sha256=digest.hexdigest(),
        )


class ImportedFile(_Value):
    """A file that another tool wrote."""

    name: str
    bytes: int
    sha256: str


class ImportedFrom(_Value):
    """Where the replies of a run come from that Seeworthy did not make.

    Args:
        tool: that made it, by the name of its format.
        files: read.
        unknown: what these files do not tell, in words.
    """

    tool: str
    files: tuple[ImportedFile, ...]
    unknown: tuple[str, ...] = ()


class RunPlan(_Value):
    """A run.

    Args:
        settings: how is asked; fixed for a run's folder.
        limit: items in all; may change from one start to the next, for a smaller one is part of a larger one.
        data: what is asked about; may grow.
        versions: of what reads and scores.
        runs, calls: how many combinations of model, prompt, repeat and condition there are, and how many calls.
        imported: None for a run of our own.
    """

    format: Literal["seeworthy run 1"] = "seeworthy run 1"
    settings: RunSettings
    limit: int | None = None
    data: DataDescription
    versions: dict[str, str]
    runs: int
    calls: int
    imported: ImportedFrom | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """One thing to ask.

    Attributes:
        key: SHA-256 of everything that decides the reply; what a record is found by. Two items that show and ask the
            same share it, and one call serves both.
        arm: name of the model.
        prompt: its name.
        repeat: from 0.
        seed: of the request.
        told: what the model is told of the pictures.
    """

    key: str
    item: RunItem
    arm: str
    prompt: str
    repeat: int
    seed: int
    told: Told = "nothing"

    def parts(self, space: CoordinateSpace) -> PromptParts:
        """What to send."""
        return PROMPTS.get(self.prompt).parts(self.item, space)

    @property
    def stress(self) -> tuple[StressFinding, ...] | None:
        """What the model is told to be wrong with each picture; None for nothing."""
        stresses = _stresses(self.item, self.told)
        return None if stresses is None else tuple(one.finding() for one in stresses)

    def decoding(self, generation: GenerationSettings) -> GenerationSettings:
        """How the model decodes this one: scene graphs get room for themselves."""
        return _room_for(self.item, generation)


def planned_calls(settings: RunSettings, items: Sequence[RunItem]) -> list[Call]:
    """Every call of a run: item by item, so that a run that stops early has compared all models on what it did.

    Items of which nobody knows what is wrong with their pictures are left out of the arms and prompts that tell it.
    """
    identities = {arm.name: json.dumps(arm.identity, sort_keys=True, ensure_ascii=True) for arm in settings.arms}
    prompts = {prompt.name: PROMPTS.get(prompt.name) for prompt in settings.prompts}
    decodings: dict[bool, dict[str, object] | None] = {}
    calls = []
    for item in items:
        is_graph = item.answer_format.answer_type is AnswerType.GRAPH
        if is_graph not in decodings:
            decodings[is_graph] = _decoding(settings, item)
        decoding = decodings[is_graph]
        stresses = {told: _findings(item, told) for told in dict.fromkeys(arm.told for arm in settings.arms)}
        for name, prompt in prompts.items():
            messages: dict[CoordinateSpace, list[list[str]]] = {}
            for arm in settings.arms:
                if not is_asked(item, arm, prompt):
                    continue
                if arm.space not in messages:
                    messages[arm.space] = _message(prompt.parts(item, arm.space))
                for repeat in range(settings.repeats):
                    seed = settings.seed + repeat
                    key = _key(
                        identities[arm.name], messages[arm.space], decoding, seed, repeat, stress=stresses[arm.told]
                    )
                    calls.append(Call(key, item, arm.name, name, repeat, seed, arm.told))
    return calls


def is_asked(item: RunItem, arm: PlannedArm, prompt: Prompt) -> bool:
    """Whether an arm can be asked about an item with a prompt; not where it would be told what nobody knows."""
    return item.stress is not None or (arm.told == "nothing" and not prompt.needs_stress)


def _stresses(item: RunItem, told: Told) -> tuple[ItemStress, ...] | None:
    return {"nothing": None, "oracle": item.stress, "wrong": item.wrong_stress}[told]


def _findings(item: RunItem, told: Told) -> list[dict[str, object]] | None:
    stresses = _stresses(item, told)
    return None if stresses is None else [one.finding().model_dump(mode="json") for one in stresses]


def _room_for(item: RunItem, generation: GenerationSettings) -> GenerationSettings:
    if item.answer_format.answer_type is not AnswerType.GRAPH or generation.max_tokens >= _GRAPH_TOKENS:
        return generation
    return generation.model_copy(update={"max_tokens": _GRAPH_TOKENS})


def _decoding(settings: RunSettings, item: RunItem) -> dict[str, object] | None:
    return None if settings.generation is None else _room_for(item, settings.generation).model_dump(mode="json")


def _message(parts: PromptParts) -> list[list[str]]:
    return [_entry(part) for part in parts]


def _entry(part: str | PictureRef | ModelTurn) -> list[str]:
    if isinstance(part, str):
        return ["text", part]
    return ["reply", ""] if isinstance(part, ModelTurn) else ["image", _content(part)]


def _content(picture: PictureRef) -> str:
    return picture.sha256 or f"unreadable: {picture.path}"


def _key(
    identity: str,
    message: list[list[str]],
    decoding: Mapping[str, object] | None,
    seed: int,
    repeat: int,
    *,
    stress: list[dict[str, object]] | None,
) -> str:
    content: list[object] = [_KEY_FORM, identity, message, decoding, seed, repeat]
    if stress is not None:
        content.append(stress)
    return hashlib.sha256(_KEY_JSON.encode(content).encode("ascii")).hexdigest()
