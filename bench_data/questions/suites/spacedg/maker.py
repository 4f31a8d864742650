"""Puts questions together: running numbers, words, options in a random order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ....degrade.seeds import derived_rng
from ...options import balanced_blocks, below, shuffled
from ...query import Query
from ...question import Fact, Option, Question, Truth
from ...registry import Refusals
from .kinds import Kind
from .settings import SpaceDGSettings
from .tables import ObjectRow, SceneTables, ViewRow

__all__ = ["Candidate", "Maker"]

_NO_NAMES: Mapping[int, str] = {}


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A question that could be asked.

    Args:
        views: the pictures that it shows.
        query: what is asked.
        truth: for a choice the key of the right option.
        facts: what the truth rests on.
        objects: that the text names, as {a}, {b}, {c}.
        x: what the text puts in for {x}.
        tags: instead of the kind's.
    """

    views: tuple[ViewRow, ...]
    query: Query
    truth: Truth
    margin: float | None
    facts: tuple[Fact, ...]
    objects: tuple[ObjectRow, ...] = ()
    x: str = ""
    tags: Mapping[str, str] | None = None


class Maker:
    """Makes the questions of one scene.

    Args:
        tables: the scene.
        seed: of the whole suite.
        refusals: where candidates that are not asked are counted.
    """

    def __init__(self, tables: SceneTables, seed: int, refusals: Refusals) -> None:
        self.tables = tables
        self.settings: SpaceDGSettings = tables.settings
        self.seed = seed
        self.refusals = refusals
        self._count = 0

    def rng(self, family: str) -> np.random.Generator:
        """The random numbers of a family of kinds; no family's draws depend on another family."""
        return derived_rng("spacedg", self.tables.truth.scene, self.seed, family)

    def refuse(self, kind: Kind, reason: str, count: int = 1) -> None:
        """Counts candidates that are not asked."""
        if count:
            self.refusals.add(kind.name, reason, count)

    def limited(self, kind: Kind, candidates: list[Candidate]) -> list[Candidate]:
        """The first candidates, as many as are wanted of a kind; the others are counted as refused."""
        most = self.settings.most_per_kind
        if most is None or len(candidates) <= most:
            return candidates
        self.refuse(kind, "more than asked for", len(candidates) - most)
        return candidates[:most]

    def blocks(
        self, kind: Kind, rng: np.random.Generator, keys: Sequence[object], *, most: int = 4, least: int | None = None
    ) -> list[tuple[int, ...]]:
        """Groups of candidates (places in ``keys``) with different answers, as many as are wanted of a kind."""
        least = self.settings.least_options if least is None else least
        found = balanced_blocks(rng, keys, most=most, least=least)
        used = sum(map(len, found))
        self.refuse(kind, "no other answer to balance it", len(keys) - used)
        wanted = self.settings.most_per_kind
        if wanted is None or used <= wanted:
            return found
        # Large groups come first; to leave out the last ones would leave out the most frequent answers.
        kept, count = [], 0
        for block in shuffled(rng, found):
            if count + len(block) <= wanted:
                kept.append(block)
                count += len(block)
        self.refuse(kind, "more than asked for", used - count)
        return kept

    def choices(
        self, kind: Kind, rng: np.random.Generator, candidates: Sequence[Candidate], options: Mapping[str, Option]
    ) -> Iterator[Question]:
        """Choices in groups, whose answers are the options of all of the group."""
        for block in self.blocks(kind, rng, [one.truth for one in candidates]):
            shown = [options[str(candidates[place].truth)] for place in block]
            for place in block:
                yield self.question(kind, rng, candidates[place], tuple(shuffled(rng, shown)))

    def numbers(self, kind: Kind, rng: np.random.Generator, candidates: list[Candidate]) -> Iterator[Question]:
        """Questions without options."""
        for one in self.limited(kind, candidates):
            yield self.question(kind, rng, one)

    def question(
        self, kind: Kind, rng: np.random.Generator, one: Candidate, options: tuple[Option, ...] = ()
    ) -> Question:
        """One question."""
        names = [row.name for row in one.objects]
        text = self.worded(kind, wording := below(rng, len(kind.wordings)), names, one.x)
        return self.asked(
            kind, one, text, wording, options, {row.id: row.name for row in one.objects} if names else _NO_NAMES
        )

    def worded(self, kind: Kind, wording: int, names: Sequence[str], x: str = "") -> str:
        """A template with names put in."""
        a, b, c = (*names, "", "", "")[:3]
        return kind.wordings[wording].format(a=a, b=b, c=c, x=x)

    def asked(
        self,
        kind: Kind,
        one: Candidate,
        text: str,
        wording: int,
        options: tuple[Option, ...] = (),
        names: Mapping[int, str] = _NO_NAMES,
    ) -> Question:
        """A question whose text is at hand."""
        self._count += 1
        views = tuple([view.name for view in one.views])
        scene = self.tables.truth.scene
        return Question(
            id=f"{scene}/{'+'.join(views)}/spacedg-{self._count}",
            suite="spacedg",
            kind=kind.name,
            scene=scene,
            views=views,
            query=one.query,
            text=text,
            answer_type=kind.answer_type,
            truth=one.truth,
            unit=kind.unit,
            options=options,
            margin=one.margin,
            margin_unit=kind.margin_unit,
            derivation=one.facts,
            names=names,
            wording=wording,
            tags=kind.tags if one.tags is None else one.tags,
            published=self.settings.published,
            seed=self.seed,
        )
