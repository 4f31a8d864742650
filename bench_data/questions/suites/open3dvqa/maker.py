"""Puts questions together: running numbers, words, draws that are even between the answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ...answer_format import AnswerType
from ...draws import Uniform, derived_draws
from ...options import below, shuffled, whole_groups
from ...query import Query
from ...question import Fact, Option, Question, Truth
from ...registry import Refusals
from . import reasons
from .kinds import Kind

__all__ = ["Asked", "Maker", "any_wording", "dealt"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A question without its words.

    Args:
        view: name of the picture.
        names: the objects that the text names, as {a} and {b}: number -> name, in that order.
        truth: the answer; of a choice its key.
    """

    view: str
    names: Mapping[int, str]
    query: Query
    truth: Truth
    margin: float | None
    facts: tuple[Fact, ...]


class Maker:
    """Makes the questions of one scene.

    Args:
        scene: its id.
        seed: of the whole suite.
        published: made by the published rule.
        most_per_kind: how many of a kind are wanted.
        refusals: where candidates that are not asked are counted.
    """

    def __init__(
        self, *, scene: str, seed: int, published: bool, most_per_kind: int | None, refusals: Refusals
    ) -> None:
        self.scene = scene
        self.seed = seed
        self.published = published
        self.most_per_kind = most_per_kind
        self._refusals = refusals
        self._count = 0

    def rng(self, family: str) -> Uniform:
        """The random numbers of a family of kinds; no family's draws depend on another family."""
        return derived_draws("open3dvqa", self.scene, self.seed, family)

    def refuse(self, kind: Kind, reason: str, count: int = 1) -> None:
        """Counts candidates that are not asked."""
        if count:
            self._refusals.add(kind.name, reason, count)

    def limited(self, kind: Kind, items: Sequence[T]) -> Sequence[T]:
        """The first items, as many as are wanted of a kind; the others are counted as refused."""
        if self.most_per_kind is None or len(items) <= self.most_per_kind:
            return items
        self.refuse(kind, reasons.ENOUGH, len(items) - self.most_per_kind)
        return items[: self.most_per_kind]

    def few_enough(self, kind: Kind, rng: Uniform, groups: Sequence[tuple[T, ...]]) -> Sequence[tuple[T, ...]]:
        """Whole groups drawn at random, with not more items in all than are wanted of a kind."""
        kept = whole_groups(rng, groups, self.most_per_kind)
        self.refuse(kind, reasons.ENOUGH, sum(map(len, groups)) - sum(map(len, kept)))
        return kept

    def question(
        self,
        kind: Kind,
        asked: Asked,
        *,
        wording: int,
        options: tuple[Option, ...] = (),
        answer_type: AnswerType | None = None,
        tags: Mapping[str, str] | None = None,
    ) -> Question:
        """One question in a given wording; its answer type and tags are those of its kind if not given."""
        self._count += 1
        wordings = kind.published_wordings if self.published else kind.wordings
        return Question(
            id=f"{self.scene}/{asked.view}/open3dvqa-{self._count}",
            suite="open3dvqa",
            kind=kind.name,
            scene=self.scene,
            views=(asked.view,),
            query=asked.query,
            text=wordings[wording].format(**dict(zip("ab", asked.names.values(), strict=False))),
            answer_type=kind.answer_type if answer_type is None else answer_type,
            truth=asked.truth,
            unit=kind.unit,
            options=options,
            margin=asked.margin,
            margin_unit="" if asked.margin is None else kind.margin_unit,
            derivation=asked.facts,
            names=asked.names,
            wording=wording,
            tags=kind.tags if tags is None else tags,
            published=self.published,
            seed=self.seed,
        )


def dealt(rng: Uniform, items: Sequence[T]) -> Iterator[T]:
    """The items over and over, each round in a random order: all of them equally often, and none to be foreseen."""
    while True:
        yield from shuffled(rng, items)


def any_wording(rng: Uniform, kind: Kind) -> int:
    """The number of a wording, all equally likely."""
    return below(rng, len(kind.wordings))
