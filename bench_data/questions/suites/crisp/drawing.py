"""Draws asks of a kind in a picture, and words them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from ....scene_graphs.relations import Relation
from ...answer_format import AnswerType
from ...draws import Uniform
from ...options import below, drawn
from ...question import Option, Question, Truth
from ...units import Unit
from .derivation import facts_of
from .judged import Judged
from .kinds import KINDS, NO_HEIGHT, RELATION_NOTES, RELATION_PHRASES, Ask
from .queries import Rule, query_of
from .table import Table

__all__ = ["LEVEL_RELATIONS", "draw_ask", "metres_words", "worded"]

LEVEL_RELATIONS: tuple[Relation, ...] = ("left", "right", "front", "behind")

_TRUTH_DIGITS = 9
"""Lengths are kept to a nanometre; rounding noise would otherwise differ from machine to machine."""


def draw_ask(rng: Uniform, kind: str, table: Table, metres: Mapping[str, tuple[float, ...]]) -> Ask | None:
    """A random ask of a kind, all equally likely; None where the picture has too few objects.

    Args:
        rng: draws.
        kind: its name.
        table: the picture.
        metres: kind -> the distances that it may speak of.
    """
    match kind:
        case "count_direction":
            return Ask(kind, (table.centre,), LEVEL_RELATIONS[below(rng, 4)])
        case "count_within" | "count_beyond":
            return Ask(kind, (table.centre,), None, _one_of(rng, metres[kind]))
        case "nearer_anchor" | "farther_anchor" | "perspective":
            others = drawn(rng, table.neighbours, 2)
            return Ask(kind, (table.centre, *others)) if len(others) == 2 else None
        case "rank_volume" | "rank_height" | "rank_camera_distance":
            return Ask(kind, tuple(drawn(rng, table.ids, 3))) if len(table.ids) > 2 else None
        case "bigger_volume" | "taller" | "wider" | "nearer_camera" | "farther_camera":
            return Ask(kind, tuple(drawn(rng, table.ids, 2)))
        case "length" | "width" | "height" | "camera_distance":
            return Ask(kind, (table.ids[below(rng, len(table.ids))],))
    other = table.neighbours[below(rng, len(table.neighbours))]
    pair = (table.centre, other) if rng.random() < 0.5 else (other, table.centre)
    if kind == "placed_distance":
        return Ask(kind, pair, LEVEL_RELATIONS[below(rng, 4)], _one_of(rng, metres[kind]))
    return Ask(kind, pair)


def _one_of(rng: Uniform, values: tuple[float, ...]) -> float:
    return values[below(rng, len(values))]


@cache
def metres_words(value: float) -> str:
    """A length in words.

    >>> metres_words(1.0), metres_words(2.5)
    ('1 metre', '2.5 metres')
    """
    return f"{value:g} metre" if value == 1 else f"{value:g} metres"


def worded(
    ask: Ask,
    judged: Judged,
    options: tuple[Option, ...],
    table: Table,
    *,
    rule: Rule,
    scene: str,
    number: int,
    wording: int,
    tags: Mapping[str, str],
    seed: int,
    published: bool,
) -> Question:
    """The question of an ask.

    Args:
        ask, judged, options, table: what is asked, and the answer.
        rule: how the query is to be read.
        scene: its id.
        number: of the question in its picture.
        wording: which one.
        tags: what reports group by.
        seed: of the suite.
        published: made by the published rule, whose text states no frame.
    """
    kind = KINDS[ask.kind]
    objects = ask.objects
    names = {one: table.names[one] for one in objects}
    words = dict(zip("abc", names.values(), strict=False))
    relation = ask.relation
    if relation is not None:
        words["r"] = RELATION_PHRASES[relation]
    elif ask.kind == "pick_direction" and ("above" in str(judged.truth) or "below" in str(judged.truth)):
        # A note explains the relation.
        relation = "above"
    if ask.metres:
        words["m"] = metres_words(ask.metres)
    truth: Truth = judged.truth
    answer_type, unit = kind.answer_type, kind.unit
    if isinstance(truth, float) and not published:
        truth = round(truth, _TRUTH_DIGITS)
    counts = ask.kind.startswith("count")
    if counts and not options:
        answer_type, unit, truth = AnswerType.NUMBER, Unit.COUNT, int(judged.truth)
    return Question(
        id=f"{scene}/{table.view}/crisp/{number}",
        suite="crisp",
        kind=ask.kind,
        scene=scene,
        views=(table.view,),
        query=query_of(ask, rule, table.neighbours if counts else ()),
        text=_template(ask.kind, wording, relation, rule.vertical, published).format(**words),
        answer_type=answer_type,
        truth=truth,
        unit=unit,
        options=options,
        margin=judged.margin,
        margin_unit="" if judged.margin is None else _MARGIN_UNITS.get(ask.kind, "m"),
        derivation=facts_of(ask, judged, table, rule),
        names=names,
        marks=table.marks,
        wording=wording,
        tags=tags,
        published=published,
        seed=seed,
    )


@cache
def _template(kind: str, wording: int, relation: Relation | None, vertical: bool, published: bool) -> str:
    """A wording with its notes; the published ones state no frame."""
    found = KINDS[kind]
    notes = ["" if published else found.note]
    if relation is not None and not published:
        notes.append(RELATION_NOTES[relation])
    if kind == "pick_direction" and not vertical and not published:
        notes.append(NO_HEIGHT)
    return " ".join([found.wordings[wording], *filter(None, notes)])


_MARGIN_UNITS = {"bigger_volume": "m3", "rank_volume": "m3", "perspective": "deg"}
