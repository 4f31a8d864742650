"""Puts questions together: running numbers, words, options in a random order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ...draws import Uniform, derived_draws
from ...options import balanced_blocks, below, shuffled, whole_groups
from ...query import Query
from ...question import Fact, Option, Question, Truth
from ...registry import Refusals
from .kinds import Kind
from .settings import SpaceDGSettings
from .tables import ObjectRow, SceneTables, ViewRow

__all__ = ["Candidate", "Maker"]

T = TypeVar("T")

_MOST_OPTIONS = 4


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

    def rng(self, family: str) -> Uniform:
        """The random numbers of a family of kinds; no family's draws depend on another family."""
        return derived_draws("spacedg", self.tables.truth.scene, self.seed, family)

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

    def balanced(
        self,
        kind: Kind,
        rng: Uniform,
        items: Sequence[T],
        keys: Sequence[object],
        *,
        least: int | None = None,
    ) -> list[tuple[T, ...]]:
        """Groups of items with different answers (their ``keys``)."""
        least = self.settings.least_options if least is None else least
        blocks = balanced_blocks(rng, keys, most=_MOST_OPTIONS, least=least)
        self.refuse(kind, "no other answer to balance it", len(keys) - sum(map(len, blocks)))
        return [tuple([items[place] for place in block]) for block in blocks]

    def few_enough(self, kind: Kind, rng: Uniform, groups: Sequence[tuple[T, ...]]) -> Sequence[tuple[T, ...]]:
        """Whole groups, with not more items in all than are wanted of a kind."""
        kept = whole_groups(rng, groups, self.settings.most_per_kind)
        self.refuse(kind, "more than asked for", sum(map(len, groups)) - sum(map(len, kept)))
        return kept

    def choices(
        self,
        kind: Kind,
        rng: Uniform,
        classes: Iterable[Sequence[Candidate]],
        options: Mapping[str, Option],
    ) -> Iterator[Question]:
        """Choices in groups, whose answers are the options of all of the group; no group mixes classes."""
        groups = [group for found in classes for group in self.balanced(kind, rng, found, [one.truth for one in found])]
        for group in self.few_enough(kind, rng, groups):
            shown = [options[str(one.truth)] for one in group]
            for one in group:
                yield self.question(kind, rng, one, tuple(shuffled(rng, shown)))

    def numbers(self, kind: Kind, rng: Uniform, candidates: list[Candidate]) -> Iterator[Question]:
        """Questions without options."""
        for one in self.limited(kind, candidates):
            yield self.question(kind, rng, one)

    def question(self, kind: Kind, rng: Uniform, one: Candidate, options: tuple[Option, ...] = ()) -> Question:
        """One question, in a wording drawn from those of its kind."""
        wordings = (kind.published_wordings if self.settings.published else ()) or kind.wordings
        wording = below(rng, len(wordings))
        a, b, c = (*[row.name for row in one.objects], "", "", "")[:3]
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
            text=wordings[wording].format(a=a, b=b, c=c, x=one.x),
            answer_type=kind.answer_type,
            truth=one.truth,
            unit=kind.unit,
            options=options,
            margin=one.margin,
            margin_unit=kind.margin_unit,
            derivation=one.facts,
            names={row.id: row.name for row in one.objects},
            wording=wording,
            tags=kind.tags if one.tags is None else one.tags,
            published=self.settings.published,
            seed=self.seed,
        )
