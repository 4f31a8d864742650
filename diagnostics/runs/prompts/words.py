"""What several prompts say: the question itself, hints about the pictures, and closed lists to name a stress from."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from ....bench_data.degrade.registry import DEGRADATION_REGISTRY, Severity
from ....bench_data.degrade.seeds import derived_rng
from ....bench_data.questions import AnswerType
from ....bench_data.stress import ROBOSTRESS_TAGS, StressDimension
from ....tools.models import CoordinateSpace
from ...asking import question_text
from ..items import RunItem
from ..stress import STRESS_TAG, ItemStress

__all__ = ["asked_text", "hint", "stress_choices"]

_DRAWS = 64
_DIMENSIONS = {
    StressDimension.MATERIAL: "material",
    StressDimension.VIEWPOINT: "viewpoint",
    StressDimension.LIGHTING: "lighting",
    StressDimension.GEOMETRY: "geometry",
}


def asked_text(item: RunItem, space: CoordinateSpace) -> str:
    """The question with its options and the form of its answer; a graph task says itself what it wants."""
    if item.answer_format.answer_type is AnswerType.GRAPH:
        return item.text.strip()
    return question_text(item, space=space)


def hint(stresses: Sequence[ItemStress], *, pictures: int) -> str:
    """One paragraph on what is wrong with the pictures of a question.

    As in SpaceDG's note, a degradation is named with the range of its parameters, the same for all pictures of its
    strength; here the strength is named, too. Tags of a scene are named with their dimension, as StressDART's reasoner
    is told of them. Where nothing is wrong, that is said.
    """
    subject, verb = ("The picture", "is") if pictures == 1 else ("The pictures", "are")
    degraded = [one for one in stresses if one.stress not in ROBOSTRESS_TAGS]
    tags = [one for one in stresses if one.stress in ROBOSTRESS_TAGS]
    if not stresses:
        return f"{subject} {verb} not degraded."
    said = []
    if degraded:
        said.append(f"{subject} {verb} degraded: {'; '.join(_described(one) for one in degraded)}.")
    if tags:
        named = ", ".join(f"{one.stress.label} ({_DIMENSIONS[one.stress.dimension]})" for one in tags)
        said.append(f"{subject} {verb} hard to read because of: {named}.")
    return " ".join(said)


def stress_choices(item: RunItem) -> str:
    """What may be wrong with a picture, one a line: RoboStressBench's tags where the suite has them, else degradations.

    The list is the same for all items of a suite, so that it gives nothing away.
    """
    if STRESS_TAG in item.tags:
        lines = [f"- {tag.label} ({_DIMENSIONS[tag.dimension]})" for tag in ROBOSTRESS_TAGS]
    else:
        lines = [f"- {name.replace('_', ' ')}: {spec.summary}" for name, spec in DEGRADATION_REGISTRY.specs()]
    return "\n".join([*lines, "- none: nothing is wrong"])


def _described(one: ItemStress) -> str:
    spec = DEGRADATION_REGISTRY.get(one.stress.value)
    words = f"{one.stress.label} ({spec.summary})"
    if not one.levels:
        return words
    shown = " to ".join("the published strength" if level == "bench" else str(level) for level in one.levels)
    strength = shown if "bench" in one.levels else f"severity {shown} of 5"
    ranges = ", ".join(_ranges(one.stress.value, one.levels))
    return f"{words}, {strength}" + (f" ({ranges})" if ranges else "")


@cache
def _ranges(name: str, levels: tuple[Severity, ...]) -> tuple[str, ...]:
    """Every positive parameter with about its least and its largest value; seeds, angles and vectors say nothing."""
    parameters = DEGRADATION_REGISTRY.get(name).parameters
    values: dict[str, list[float]] = {}
    for level in levels:
        for draw in range(_DRAWS):
            drawn = parameters.sample(level, derived_rng("range of a hint", name, str(level), draw))
            for key, value in drawn.model_dump(exclude_none=True).items():
                if isinstance(value, int | float) and not isinstance(value, bool) and not key.endswith("seed"):
                    values.setdefault(key, []).append(float(value))
    spans = {key: (min(found), max(found)) for key, found in values.items()}
    return tuple(
        f"{key} {low:.2g}" if f"{low:.2g}" == f"{high:.2g}" else f"{key} {low:.2g} to {high:.2g}"
        for key, (low, high) in spans.items()
        if low > 0
    )
