"""What a picture shows: how many objects of a category, and whether there is one at all."""

from __future__ import annotations

from collections.abc import Iterator

from ...draws import Uniform
from ...options import below, drawn
from ...query import Exists, LabelCount, Value
from ...question import Fact, Question
from ...units import Unit
from ...wording import plural, with_article
from .kinds import KINDS
from .maker import Candidate, Maker
from .tables import ViewRow

__all__ = ["counts", "existence"]

_BARELY = "an object of the category is barely seen"
_OTHER_NAME = "another category could be meant"


def counts(maker: Maker) -> Iterator[Question]:
    """How many objects of a category a picture shows.

    An object counts when it is seen well. Pictures that show one of the category less well are not asked about, so
    that nobody has to know where the line is drawn.
    """
    kind = KINDS["visible_count"]
    rng = maker.rng(kind.name)
    found: list[Candidate] = []
    for view in maker.tables.views:
        for label, (well, seen) in view.counts.items():
            if well != seen:
                maker.refuse(kind, _BARELY)
            elif seen > maker.settings.most_count:
                maker.refuse(kind, "too many to count")
            elif _also_called(view, label):
                maker.refuse(kind, _OTHER_NAME)
            else:
                facts = (Fact(f"{plural(label)} seen", float(seen), Unit.COUNT),)
                query = Value(LabelCount(label, (0,)))
                # A count has no options; the groups only keep one number from being the answer most of the time.
                found.append(Candidate((view,), query, seen, None, facts, x=plural(label)))
    groups = maker.balanced(kind, rng, found, [one.truth for one in found], least=2)
    for group in maker.few_enough(kind, rng, groups):
        for one in group:
            yield maker.question(kind, rng, one)


def _also_called(view: ViewRow, label: str) -> bool:
    """Whether the picture shows a category that could be called so too: an office chair is a chair."""
    return any(other != label and (_is_a(other, label) or _is_a(label, other)) for other in view.counts)


def _is_a(special: str, general: str) -> bool:
    return special.endswith(" " + general)


def existence(maker: Maker) -> Iterator[Question]:
    """Whether a picture shows a category: for each category as often yes as no."""
    kind = KINDS["visible_existence"]
    rng = maker.rng(kind.name)
    groups = [*_of_this_scene(maker, rng), *_of_other_scenes(maker, rng)]
    for group in maker.few_enough(kind, rng, groups):
        for view, label in group:
            seen = view.counts.get(label, (0, 0))[1]
            facts = (Fact(f"{plural(label)} seen", float(seen), Unit.COUNT),)
            one = Candidate((view,), Exists(label, (0,)), seen > 0, None, facts, x=with_article(label))
            yield maker.question(kind, rng, one)


def _split(maker: Maker, label: str) -> tuple[list[ViewRow], list[ViewRow]]:
    """Pictures that show the category well, and pictures that show nothing of it."""
    kind = KINDS["visible_existence"]
    with_it: list[ViewRow] = []
    without: list[ViewRow] = []
    for view in maker.tables.views:
        well, seen = view.counts.get(label, (0, 0))
        if seen and not well:
            maker.refuse(kind, _BARELY)
        elif not seen and _also_called(view, label):
            maker.refuse(kind, _OTHER_NAME)
        else:
            (with_it if seen else without).append(view)
    return with_it, without


def _of_this_scene(maker: Maker, rng: Uniform) -> Iterator[tuple[tuple[ViewRow, str], ...]]:
    """One picture with it and one without, for each category of the scene."""
    for label in sorted({row.label for row in maker.tables.objects.values()}):
        with_it, without = _split(maker, label)
        count = min(len(with_it), len(without), maker.settings.views_per_label)
        for yes, no in zip(drawn(rng, with_it, count), drawn(rng, without, count), strict=True):
            yield (yes, label), (no, label)


def _of_other_scenes(maker: Maker, rng: Uniform) -> Iterator[tuple[tuple[ViewRow, str], ...]]:
    """Categories of the whole data set, as often yes as no over all scenes.

    A category that a share s of the scenes holds is asked about with probability 1 - s where it is there, and s where
    it is not: s (1 - s) of all scenes say yes, and as many no.
    """
    present = {row.label for row in maker.tables.objects.values()}
    for label, share in sorted(maker.settings.label_shares.items()):
        with_it, without = _split(maker, label)
        views = with_it if label in present else without
        if views and rng.random() < (1 - share if label in present else share):
            yield ((views[below(rng, len(views))], label),)
