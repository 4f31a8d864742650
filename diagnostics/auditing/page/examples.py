"""The worst examples of an audit, each with its picture, both graphs, and the steps of the derivation."""

from __future__ import annotations

import base64
import io
from collections import Counter
from dataclasses import dataclass

from markupsafe import Markup

from ....bench_data.images import Picture, load_image
from ...consistency import Compared, Outcome, outcome_of
from ...judging import answer_as_text, score_answer
from ..results import AnswerRow, AuditPart
from ..summary import compared_answers
from .scenes import graph_from_above, graph_over_picture

__all__ = ["Example", "picture_uri", "worst_examples"]

_LONG_SIDE_PX = 640
_REPLY_CHARS = 800
_LEAST_BADNESS = 0.5


@dataclass(frozen=True, kw_only=True)
class Example:
    """One question as the page shows it; all texts are plain and are escaped by the template."""

    id: str
    kind: str
    text: str
    options: tuple[str, ...]
    truth: str
    answer: str
    derived: str
    outcome: str
    steps: tuple[str, ...]
    reason: str
    reply: str
    over_picture: Markup
    from_above: Markup


def worst_examples(part: AuditPart, count: int = 10) -> tuple[Example, ...]:
    """The questions whose answer and derivation are farthest from right, those wrong in the same way first.

    One of each picture comes before the second of any; questions that went well are never shown.
    """
    ranked = sorted(compared_answers(part), key=lambda item: (-_badness(item), item.question.id))
    bad = [item for item in ranked if _badness(item) >= _LEAST_BADNESS]
    chosen: list[Compared] = []
    for most_of_a_picture in (1, 2, len(bad)):
        taken = Counter(item.picture for item in chosen)
        for item in bad:
            if len(chosen) < count and taken[item.picture] < most_of_a_picture and item not in chosen:
                taken[item.picture] += 1
                chosen.append(item)
    chosen.sort(key=lambda item: (-_badness(item), item.question.id))
    return tuple(_example(part, item) for item in chosen)


def picture_uri(picture: Picture, long_side_px: int = _LONG_SIDE_PX) -> str:
    """A data URI with a small JPEG of a picture, for looking only."""
    from PIL import Image

    image = Image.fromarray(picture.image_srgb_u8)
    image.thumbnail((long_side_px, long_side_px), Image.Resampling.LANCZOS)
    stream = io.BytesIO()
    image.save(stream, format="JPEG", quality=80)
    return "data:image/jpeg;base64," + base64.b64encode(stream.getvalue()).decode("ascii")


def _badness(item: Compared) -> float:
    answer = 1 - score_answer(item.question, item.direct)
    if item.derived_value is None:
        return answer  # a graph that leaves it open is not wrong
    graph = 1 - score_answer(item.question, item.derived_value)
    return answer + graph + 0.5 * (outcome_of(item) is Outcome.SAME_WRONG)


def _example(part: AuditPart, item: Compared) -> Example:
    question, source = item.question, part.items[item.question.id].picture
    plain = part.experiment.in_role("plain")
    row = None if plain is None else part.answers[plain.name].get(question.id)
    drawn = part.graphs.get((item.picture, "shown"))
    own = None if drawn is None else drawn.graph
    picture = load_image(source.file)
    outcome = outcome_of(item)
    return Example(
        id=question.id,
        kind=question.kind,
        text=question.text,
        options=_options(item),
        truth=answer_as_text(question, question.truth),
        answer=answer_as_text(question, item.direct) if item.direct is not None else _silence(row),
        derived=_derived(item),
        outcome="not comparable" if outcome is None else outcome.value,
        steps=() if item.derived is None else item.derived.steps,
        reason="" if item.derived is None else item.derived.reason,
        reply="" if row is None else row.text[:_REPLY_CHARS],
        over_picture=graph_over_picture(
            picture_uri(picture),
            (picture.width, picture.height),
            source.record.marks.get(question.suite, ()),
            own,
            source.known.graph,
        ),
        from_above=graph_from_above(own, source.placed),
    )


def _options(item: Compared) -> tuple[str, ...]:
    return tuple(answer_as_text(item.question, option.key) for option in item.question.options)


def _silence(row: AnswerRow | None) -> str:
    return "none" if row is None else f"none ({row.read.status.replace('_', ' ')})"


def _derived(item: Compared) -> str:
    if item.derived is None:
        return "none: it drew no graph that could be read"
    if item.derived_value is not None:
        return answer_as_text(item.question, item.derived_value)
    possible = [answer_as_text(item.question, one) for one in item.derived.possible]
    if possible:
        return f"{item.derived.status.value}: {' or '.join(possible)}"
    if item.derived.interval is not None:
        low, high = item.derived.interval
        return f"{item.derived.status.value}: from {low:.3g} to {high:.3g}"
    return item.derived.status.value
