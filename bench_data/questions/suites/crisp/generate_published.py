"""The published generator: one attempt after the other until a place is filled, options as published."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...answer_format import AnswerType
from ...draws import Uniform
from ...options import below, shuffled
from ...question import Option, Question
from ...registry import Refusals
from ...scene_truth import SceneTruth
from .answers import option_texts
from .drawing import draw_ask, worded
from .judged import Judged
from .kinds import ABILITIES, KINDS, SLOTS, Ability, Ask, difficulty
from .published import (
    HOPELESS,
    PLACED_M,
    THRESHOLDS_M,
    Published,
    keeps_count,
    published_count_keys,
    published_order_keys,
    published_sector_keys,
)
from .settings import CrispSettings
from .table import Table, distinct_tables

__all__ = ["generate_published", "published_keys"]

_TRIES = 50
_DRAWS = 100

Metres = Mapping[str, tuple[float, ...]]


def generate_published(truth: SceneTruth, settings: CrispSettings, seed: int, refusals: Refusals) -> Iterator[Question]:
    """The questions of a scene as published. Texts state no frame, keys carry no margin, and order is shuffled."""
    rule = Published(truth.kind, zone_m=settings.published_zone_m, vertical=settings.asks_vertical(truth.kind))
    metres = {"count_within": THRESHOLDS_M, "count_beyond": THRESHOLDS_M, "placed_distance": PLACED_M[truth.kind]}
    made: dict[str, int] = {}
    for table in distinct_tables(truth, settings, seed, refusals):
        rng = table.rng
        level = difficulty(len(table.neighbours)) or "easy"
        asked: set[Ask] = set()
        found: list[tuple[Ability, Ask, Judged, tuple[Option, ...]]] = []
        for ability, slots in SLOTS[level].items():
            for _ in range(slots):
                one = _fill(rng, ability, table, rule, metres, asked, refusals)
                if one is None:
                    refusals.add(ability, "no candidate found")
                    continue
                kind = one[0].kind
                made[kind] = made.get(kind, 0) + 1
                if settings.most_per_kind is not None and made[kind] > settings.most_per_kind:
                    refusals.add(kind, "enough of this kind already")
                    continue
                found.append((ability, *one))
        for number, (ability, ask, judged, options) in enumerate(shuffled(rng, found)):
            yield worded(
                ask,
                judged,
                options,
                table,
                rule=rule.rule,
                scene=truth.scene,
                number=number,
                wording=0,
                tags={"ability": ability, "difficulty": level},
                seed=seed,
                published=True,
            )


def _fill(
    rng: Uniform,
    ability: Ability,
    table: Table,
    rule: Published,
    metres: Metres,
    asked: set[Ask],
    refusals: Refusals,
) -> tuple[Ask, Judged, tuple[Option, ...]] | None:
    """One question: tries kinds of the ability, each with many draws."""
    kinds = ABILITIES[ability]
    for _ in range(_TRIES):
        kind = kinds[below(rng, len(kinds))]
        for _ in range(_DRAWS):
            ask = draw_ask(rng, kind, table, metres)
            if ask is None:
                refusals.add(kind, "too few objects")
                break
            judged = rule.judge(ask, table)
            if isinstance(judged, str):
                refusals.add(kind, judged)
                if judged in HOPELESS:
                    break
                continue
            if ability == "counting" and not keeps_count(rng, str(judged.truth)):
                refusals.add(kind, "a count of zero")
                continue
            if ask in asked:
                refusals.add(kind, "asked already in this picture")
                break
            asked.add(ask)
            return ask, judged, _options(rng, ask, judged, table, rule)
    return None


def _options(rng: Uniform, ask: Ask, judged: Judged, table: Table, rule: Published) -> tuple[Option, ...]:
    if KINDS[ask.kind].answer_type is not AnswerType.CHOICE:
        return ()
    keys = published_keys(rng, ask, str(judged.truth), rule)
    texts = option_texts(ask, keys, table)
    return tuple(Option(key, texts[key]) for key in keys)


def published_keys(rng: Uniform, ask: Ask, truth: str, rule: Published) -> list[str]:
    """The keys of the published options in their published order."""
    if ask.kind.startswith("rank"):
        return published_order_keys(ask.objects, " > " if " > " in truth else " < ")
    if ask.kind == "pick_direction":
        return rule.relation_keys(rng, truth)
    if ask.kind.startswith("count"):
        return published_count_keys(rng, int(truth))
    if ask.kind == "perspective":
        return published_sector_keys(rng, truth)
    return [str(one) for one in ask.objects[-2:]]
