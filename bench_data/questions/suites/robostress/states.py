"""What there is in a picture, and what it looks like."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...options import drawn, shuffled
from ...query import Choose, LabelCount, Matches
from ...question import Fact, Option, Question
from ...seen import Seen, SeenView, alike
from ...units import Unit
from ...wording import with_article
from .kinds import KEYS, KINDS, Kind
from .maker import FEW, Asked, Maker, dealt

__all__ = ["appearances", "existence"]

AMBIGUOUS = "nouns that may mean one another"
SHARED = "two of them look the same"

_SUBSTANCES = {"wooden": "wood", "woollen": "wool", "golden": "gold"}
"""Adjectives whose noun is another word."""


def existence(maker: Maker, views: Sequence[SeenView], labels: Sequence[str]) -> Iterator[Question]:
    """Which of four is to be seen, or is not, equally often.

    A category that most pictures show is once in four times the one that is there, and three times in four one of the
    three that are there too: how common a thing is says nothing.

    Args:
        labels: all categories of the scene.
    """
    kind = KINDS["state.existence"]
    rng = maker.rng(kind)
    found: list[tuple[SeenView, list[str], list[str]]] = []
    kin = {label: frozenset([other for other in labels if alike(label, other)]) for label in labels}
    for view in views:
        present = sorted({one.label for one in view.objects if one.well})
        shown = {one.label for one in view.objects}
        absent = [label for label in labels if kin[label].isdisjoint(shown)]
        if len(present) < 3 or len(absent) < 3:
            maker.refuse(kind, FEW)
            continue
        found += [(view, present, absent)] * maker.settings.questions_per_view
    for (view, present, absent), missing in zip(
        maker.limited(kind, rng, found), dealt(rng, (True, False)), strict=False
    ):
        there, not_there = drawn(rng, present, 3 if missing else 1), drawn(rng, absent, 1 if missing else 3)
        four = shuffled(rng, [*there, *not_there])
        if any(alike(one, other) for place, one in enumerate(four) for other in four[:place]):
            maker.refuse(kind, AMBIGUOUS)
            continue
        seen = [one.label for one in view.objects]
        counts = [seen.count(label) for label in four]
        answer = not_there[0] if missing else there[0]
        yield maker.question(
            kind,
            rng,
            Asked(
                view=view.name,
                query=Choose(
                    {key: LabelCount(label, (0,)) for key, label in zip(KEYS, four, strict=True)},
                    "smallest" if missing else "largest",
                ),
                truth=KEYS[four.index(answer)],
                margin=float(min(count for count in counts if count)),
                facts=tuple(
                    [Fact(f"of {label}", count, Unit.COUNT) for label, count in zip(four, counts, strict=True)]
                ),
                options=[Option(key, with_article(label)) for key, label in zip(KEYS, four, strict=True)],
                other=missing,
            ),
        )


def appearances(maker: Maker, views: Sequence[SeenView], attribute: str) -> Iterator[Question]:
    """Which of four objects has a colour, or is of a material; asked of each of the four equally often.

    Asking for the object and not for the colour leaves those without a picture at chance: that plants are green helps
    only if they know which four colours there are.

    Args:
        attribute: "colour" or "material".
    """
    kind = KINDS[f"state.{attribute}"]
    rng = maker.rng(kind)
    found: list[tuple[SeenView, tuple[Seen, ...]]] = []
    for view in views:
        # Without rivals the noun alone says which object is meant, and does not give its colour away.
        lone = [
            one
            for one in view.objects
            if one.well and one.attributes.get(attribute) and sum(alike(one.label, o.label) for o in view.objects) == 1
        ]
        asked = 0
        for four in maker.sets(rng, kind, lone, 4):
            if asked == maker.settings.questions_per_view:
                break
            if len({one.attributes[attribute] for one in four}) < 4:
                maker.refuse(kind, SHARED)
            else:
                asked += 1
                found.append((view, four))
    for (view, four), place in zip(maker.limited(kind, rng, found), dealt(rng, range(4)), strict=False):
        yield maker.question(kind, rng, _appearance(kind, view, four, place, attribute))


def _appearance(kind: Kind, view: SeenView, four: tuple[Seen, ...], place: int, attribute: str) -> Asked:
    word = four[place].attributes[attribute]
    names = {one.id: f"the {one.label}" for one in four}
    return Asked(
        view=view.name,
        query=Choose({key: Matches(one.ref, attribute, word) for key, one in zip(KEYS, four, strict=True)}, "largest"),
        truth=KEYS[place],
        margin=1.0,
        facts=tuple([Fact(f"{names[one.id]} is {word}", float(one is four[place])) for one in four]),
        options=[Option(key, names[one.id]) for key, one in zip(KEYS, four, strict=True)],
        names=names,
        words={"x": _SUBSTANCES.get(word, word) if attribute == "material" else word},
    )
