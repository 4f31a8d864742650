"""The plan of a run: everything that will be asked, of whom and how, written down before the first call."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from ...tools.models import CoordinateSpace, GenerationSettings, VisionLanguageModel
from ...tools.models.identity import model_identity
from ..errors import DiagnosticsError
from .items import PictureRef, RunItem
from .prompts import PROMPTS, PromptParts
from .sources import Source

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
    "Wrap",
    "planned_calls",
]

_KEY_FORM: Final = "seeworthy-call-1"
Wrap = Callable[[VisionLanguageModel, Path | None], VisionLanguageModel]


@dataclass(frozen=True)
class Arm:
    """Who is asked: a model, perhaps wrapped.

    Args:
        leaf: the model whose calls are counted, paced and paid.
        wrap: makes the model that is asked out of the leaf and a folder for what it keeps (None while planning).
    """

    leaf: VisionLanguageModel
    wrap: Wrap | None = None

    def model(self, leaf: VisionLanguageModel | None = None, folder: Path | None = None) -> VisionLanguageModel:
        """The model that is asked, over another leaf if one is given."""
        base = self.leaf if leaf is None else leaf
        return base if self.wrap is None else self.wrap(base, folder)


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PlannedArm(_Value):
    """An arm as it is written down.

    Args:
        name: of the model.
        identity: what decides its replies beside the request, see `model_identity`.
        space: what its boxes and points are measured in.
    """

    name: str
    identity: dict[str, object]
    space: CoordinateSpace

    @classmethod
    def of(cls, model: VisionLanguageModel) -> PlannedArm:
        """The arm that asks a model."""
        identity = json.loads(model_identity(model))
        return cls(name=model.name, identity=identity, space=model.capabilities.coordinate_space)


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
        models = [arm.model() for arm in arms]
        for what, names in (("model", [model.name for model in models]), ("prompt", list(prompts))):
            twice = [name for name in names if names.count(name) > 1]
            if twice:
                raise DiagnosticsError(f"the {what} {twice[0]!r} is named twice; give each once")
        for name in prompts:
            if not PROMPTS.get(name).askable:
                raise DiagnosticsError(f"the prompt {name!r} only marks imported replies; ask with another")
        return cls(
            sources=tuple(sources),
            conditions=None if conditions is None else tuple(conditions),
            arms=tuple(PlannedArm.of(model) for model in models),
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
            content = item.model_dump(mode="json", exclude={"tags"})
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
    """

    key: str
    item: RunItem
    arm: str
    prompt: str
    repeat: int
    seed: int

    def parts(self, space: CoordinateSpace) -> PromptParts:
        """The turn to send."""
        return PROMPTS.get(self.prompt).parts(self.item, space)


def planned_calls(settings: RunSettings, items: Sequence[RunItem]) -> list[Call]:
    """Every call of a run: item by item, so that a run that stops early has compared all models on what it did."""
    identities = {arm.name: json.dumps(arm.identity, sort_keys=True, ensure_ascii=True) for arm in settings.arms}
    generation = None if settings.generation is None else settings.generation.model_dump(mode="json")
    prompts = {prompt.name: PROMPTS.get(prompt.name) for prompt in settings.prompts}
    calls = []
    for item in items:
        for name, prompt in prompts.items():
            told: dict[CoordinateSpace, list[list[str]]] = {}
            for arm in settings.arms:
                if arm.space not in told:
                    told[arm.space] = _message(prompt.parts(item, arm.space))
                for repeat in range(settings.repeats):
                    seed = settings.seed + repeat
                    key = _key(identities[arm.name], told[arm.space], generation, seed, repeat)
                    calls.append(Call(key, item, arm.name, name, repeat, seed))
    return calls


def _message(parts: PromptParts) -> list[list[str]]:
    return [["image", _content(part)] if isinstance(part, PictureRef) else ["text", part] for part in parts]


def _content(picture: PictureRef) -> str:
    return picture.sha256 or f"unreadable: {picture.path}"


def _key(
    identity: str, message: list[list[str]], generation: Mapping[str, object] | None, seed: int, repeat: int
) -> str:
    content = [_KEY_FORM, identity, message, generation, seed, repeat]
    text = json.dumps(content, ensure_ascii=True, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()
