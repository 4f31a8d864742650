"""Puts questions together: running numbers, words, four options in a random order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple, TypeVar

from ...answer_format import AnswerType
from ...draws import Uniform, derived_draws
from ...options import below, drawn, shuffled, whole_groups
from ...query import Query
from ...question import Fact, Option, Question
from ...registry import Refusals
from ...seen import Seen
from .kinds import Kind
from .settings import RoboStressSettings

__all__ = ["FEW", "Asked", "Maker", "dealt"]

T = TypeVar("T")

ENOUGH = "more than asked for"
FEW = "too few objects seen well"


class Asked(NamedTuple):
    """A question without its words.

    Args:
        view: name of the picture.
        query, truth, margin, facts, options: as of the question.
        names: objects that the text or an option names.
        words: what the wording puts in, by place.
        other: ask in the second half of the wordings.
    """

    view: str
    query: Query
    truth: str
    margin: float | None
    facts: tuple[Fact, ...]
    options: Sequence[Option]
    names: Mapping[int, str] | None = None
    words: Mapping[str, str] | None = None
    other: bool | None = None


class Maker:
    """Makes the questions of one scene.

    Args:
        scene: its id.
        settings: of the suite.
        seed: of the whole suite.
        refusals: where candidates that are not asked are counted.
    """

    def __init__(self, *, scene: str, settings: RoboStressSettings, seed: int, refusals: Refusals) -> None:
        self.scene = scene
        self.settings = settings
        self.seed = seed
        self._refusals = refusals
        self._count = 0

    def rng(self, kind: Kind) -> Uniform:
        """The random numbers of a kind; no kind's draws depend on another one."""
        return derived_draws("robostress", self.scene, self.seed, kind.name)

    def refuse(self, kind: Kind, reason: str, count: int = 1) -> None:
        """Counts candidates that are not asked."""
        if count:
            self._refusals.add(kind.name, reason, count)

    def sets(self, rng: Uniform, kind: Kind, objects: Sequence[Seen], size: int) -> Iterator[tuple[Seen, ...]]:
        """Different sets of a picture's objects in random order: all of them where they are few, else some."""
        if len(objects) < size:
            self.refuse(kind, FEW)
            return
        if len(objects) <= size + 2:
            for chosen in drawn(rng, list(combinations(objects, size)), self.settings.sets_per_view):
                yield tuple(shuffled(rng, chosen))
            return
        done: set[frozenset[int]] = set()
        for _ in range(self.settings.sets_per_view):
            chosen = tuple(drawn(rng, objects, size))
            key = frozenset([one.id for one in chosen])
            if key not in done:
                done.add(key)
                yield chosen

    def limited(self, kind: Kind, rng: Uniform, items: Sequence[T]) -> Sequence[T]:
        """As many items as are wanted of a kind, drawn from all; the others are counted as refused."""
        most = self.settings.most_per_kind
        if most is None or len(items) <= most:
            return items
        self.refuse(kind, ENOUGH, len(items) - most)
        return drawn(rng, items, most)

    def few_enough(self, kind: Kind, rng: Uniform, groups: Sequence[tuple[T, ...]]) -> Sequence[tuple[T, ...]]:
        """Whole groups drawn at random, with not more items in all than are wanted of a kind."""
        kept = whole_groups(rng, groups, self.settings.most_per_kind)
        self.refuse(kind, ENOUGH, sum(map(len, groups)) - sum(map(len, kept)))
        return kept

    def question(self, kind: Kind, rng: Uniform, asked: Asked) -> Question:
        """One question, in a wording drawn from those of its kind."""
        self._count += 1
        ways = len(kind.wordings)
        wording = below(rng, ways) if asked.other is None else below(rng, ways // 2) + (ways // 2) * asked.other
        return Question(
            id=f"{self.scene}/{asked.view}/robostress-{self._count}",
            suite="robostress",
            kind=kind.name,
            scene=self.scene,
            views=(asked.view,),
            query=asked.query,
            text=kind.wordings[wording].format(**asked.words or {}),
            answer_type=AnswerType.CHOICE,
            truth=asked.truth,
            options=tuple(shuffled(rng, asked.options)),
            margin=asked.margin,
            margin_unit="" if asked.margin is None else kind.margin_unit,
            derivation=asked.facts,
            names=asked.names or {},
            wording=wording,
            tags=kind.tags,
            seed=self.seed,
        )


def dealt(rng: Uniform, items: Sequence[T]) -> Iterator[T]:
    """The items over and over, each round in a random order: all of them equally often, and none to be foreseen."""
    while True:
        yield from shuffled(rng, items)
