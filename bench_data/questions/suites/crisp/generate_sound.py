"""The sound generator: questions of each picture by its difficulty, with options that are blind to the answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from ....scene_graphs.relations import Relation
from ...answer_format import AnswerType
from ...draws import Uniform, derived_draws
from ...options import balanced_blocks, below, drawn
from ...question import Option, Question
from ...registry import Refusals
from ...scene_truth import SceneTruth
from .answers import key_options, sound_options
from .drawing import LEVEL_RELATIONS, draw_ask, worded
from .judged import Judged
from .kinds import ABILITIES, KINDS, SLOTS, Ability, Ask, difficulty
from .settings import CrispSettings
from .sound import Sound
from .table import Table, distinct_tables

__all__ = ["generate_sound"]

_BLOCK = 4
_SECTOR_CANDIDATES = 4

NO_DRAW = "too few objects"
TWICE = "asked already in this picture"
EMPTY = "no clear candidate found"


class _Draft(NamedTuple):
    ask: Ask
    judged: Judged
    options: tuple[Option, ...] = ()


@dataclass
class _Pool:
    """Candidates of a scene whose options come from one another: counts, and directions from an imagined place.

    Left alone, the number of objects to one side is rarely 0 and rarely all, so that the middle one of four numbers
    would be right too often. In a group of four candidates with different answers, each is right for exactly one.
    """

    entries: dict[object, list[tuple[int, Ask, Judged]]] = field(default_factory=lambda: defaultdict(list))

    def add(self, group: object, picture: int, ask: Ask, judged: Judged) -> None:
        self.entries[group].append((picture, ask, judged))

    def grouped(self, rng: Uniform) -> dict[int, list[tuple[Ask, Judged, tuple[str, ...]]]]:
        """Picture -> its candidates that found partners, with the keys of their options."""
        found: dict[int, list[tuple[Ask, Judged, tuple[str, ...]]]] = defaultdict(list)
        for entries in self.entries.values():
            keys = [str(judged.truth) for _, _, judged in entries]
            for block in balanced_blocks(rng, keys, most=_BLOCK, least=_BLOCK):
                shared = tuple(keys[place] for place in block)
                for place in block:
                    picture, ask, judged = entries[place]
                    found[picture].append((ask, judged, shared))
        return found


def generate_sound(truth: SceneTruth, settings: CrispSettings, seed: int, refusals: Refusals) -> Iterator[Question]:
    """The questions of a scene, picture by picture."""
    margins = settings.margins(truth.kind)
    sound = Sound(margins, vertical=settings.asks_vertical(truth.kind))
    metres = {
        "count_within": margins.thresholds_m,
        "count_beyond": margins.thresholds_m,
        "placed_distance": margins.placed_m,
    }
    pictures = distinct_tables(truth, settings, seed, refusals)
    maker = _Maker(sound, settings, metres, refusals)
    counts, sectors = _Pool(), _Pool()
    for number, table in enumerate(pictures):
        maker.pool_counts(number, table, counts)
        maker.pool_sectors(number, table, sectors)
    scene_rng = derived_draws("crisp options", truth.scene, seed)
    grouped = {"counting": counts.grouped(scene_rng), "transformation": sectors.grouped(scene_rng)}
    left: dict[str, int] = defaultdict(lambda: -1 if settings.most_per_kind is None else settings.most_per_kind)
    for number, table in enumerate(pictures):
        level = difficulty(len(table.neighbours)) or "easy"
        running = 0
        for ability, least in SLOTS[level].items():
            slots = least * settings.questions_factor
            if ability in grouped:
                drafts = maker.pooled(ability, table, grouped[ability].get(number, []), slots)
            else:
                drafts = maker.fresh(ability, table, slots)
            for draft in drafts:
                kind = draft.ask.kind
                if left[kind] == 0:
                    refusals.add(kind, "enough of this kind already")
                    continue
                left[kind] -= 1
                yield worded(
                    draft.ask,
                    draft.judged,
                    draft.options,
                    table,
                    rule=sound.rule,
                    scene=truth.scene,
                    number=running,
                    wording=below(table.rng, len(KINDS[kind].wordings)),
                    tags=_tags(ability, level),
                    seed=seed,
                    published=False,
                )
                running += 1


@cache
def _tags(ability: Ability, level: str) -> dict[str, str]:
    return {"ability": ability, "difficulty": level}


class _Maker:
    """Draws candidates, has them judged, and counts what is refused."""

    def __init__(
        self, sound: Sound, settings: CrispSettings, metres: dict[str, tuple[float, ...]], refusals: Refusals
    ) -> None:
        self._judges = sound.judges
        self._tries = settings.tries
        self._metres = metres
        self._refusals = refusals
        self._kinds = {
            ability: tuple(k for k in kinds if sound.vertical or k not in ("is_above", "is_below"))
            for ability, kinds in ABILITIES.items()
        }
        self._counts: list[tuple[str, str, Relation | None, float]] = []
        for kind in self._kinds["counting"]:
            if kind == "count_direction":
                self._counts += [(kind, kind, relation, 0.0) for relation in LEVEL_RELATIONS]
            else:
                self._counts += [(f"{kind} {m:g}", kind, None, m) for m in metres[kind]]

    def _judged(self, ask: Ask, table: Table) -> Judged | None:
        judged = self._judges[ask.kind](ask, table)
        if isinstance(judged, str):
            self._refusals.add(ask.kind, judged)
            return None
        return judged

    def fresh(self, ability: Ability, table: Table, slots: int) -> Iterator[_Draft]:
        """Questions of an ability, each of a kind drawn anew."""
        asked: set[tuple[object, ...]] = set()
        for _ in range(slots):
            for _ in range(self._tries):
                draft = self._try(ability, table, asked)
                if draft is not None:
                    yield draft
                    break
            else:
                self._refusals.add(ability, EMPTY)

    def _try(self, ability: Ability, table: Table, asked: set[tuple[object, ...]]) -> _Draft | None:
        kinds = self._kinds[ability]
        kind = kinds[below(table.rng, len(kinds))]
        ask = draw_ask(table.rng, kind, table, self._metres)
        if ask is None:
            self._refusals.add(kind, NO_DRAW)
            return None
        same = (kind, *sorted(ask.objects), ask.relation, ask.metres)
        if same in asked:
            self._refusals.add(kind, TWICE)
            return None
        judged = self._judged(ask, table)
        if judged is None:
            return None
        asked.add(same)
        if KINDS[kind].answer_type is not AnswerType.CHOICE:
            return _Draft(ask, judged)
        return _Draft(ask, judged, sound_options(table.rng, ask, str(judged.truth), table))

    def pool_counts(self, number: int, table: Table, pool: _Pool) -> None:
        """All counts of a picture; those about a distance compete only with others about the same one."""
        if len(table.neighbours) < _BLOCK - 1:
            return
        centre = (table.centre,)
        for group, kind, relation, metres in self._counts:
            ask = Ask(kind, centre, relation, metres)
            judged = self._judged(ask, table)
            if judged is not None:
                pool.add(group, number, ask, judged)

    def pool_sectors(self, number: int, table: Table, pool: _Pool) -> None:
        """Some candidates with different targets."""
        if len(table.neighbours) < 2:
            return
        asked: set[Ask] = set()
        for _ in range(_SECTOR_CANDIDATES):
            ask = draw_ask(table.rng, "perspective", table, self._metres)
            if ask is None or ask in asked:
                continue
            asked.add(ask)
            judged = self._judged(ask, table)
            if judged is not None:
                pool.add("perspective", number, ask, judged)

    def pooled(
        self,
        ability: Ability,
        table: Table,
        candidates: list[tuple[Ask, Judged, tuple[str, ...]]],
        slots: int,
    ) -> Iterator[_Draft]:
        """Questions whose options come from their partners; where there are none, without partners."""
        if ability == "counting" and candidates:
            kinds = sorted({ask.kind for ask, _, _ in candidates})
            wanted = kinds[below(table.rng, len(kinds))]
            candidates = [one for one in candidates if one[0].kind == wanted]
        taken = drawn(table.rng, candidates, slots)
        for ask, judged, keys in taken:
            yield _Draft(ask, judged, key_options(table.rng, keys))
        for _ in range(slots - len(taken)):
            draft = self._alone(ability, table, {ask for ask, _, _ in taken})
            if draft is None:
                self._refusals.add(ability, EMPTY)
            else:
                yield draft

    def _alone(self, ability: Ability, table: Table, asked: set[Ask]) -> _Draft | None:
        """A count as a plain number, or a direction among sectors drawn at random."""
        for _ in range(self._tries):
            kinds = self._kinds[ability]
            ask = draw_ask(table.rng, kinds[below(table.rng, len(kinds))], table, self._metres)
            if ask is None or ask in asked:
                continue
            judged = self._judged(ask, table)
            if judged is None:
                continue
            if ability == "counting":
                return _Draft(ask, judged)
            return _Draft(ask, judged, sound_options(table.rng, ask, str(judged.truth), table))
        return None
