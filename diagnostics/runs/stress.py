"""What is truly wrong with the pictures of an item: told by oracle arms and hints, and wrongly by their controls."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from ...bench_data.degrade.registry import DEGRADATION_REGISTRY, Severity
from ...bench_data.degrade.seeds import derived_rng
from ...bench_data.stress import ROBOSTRESS_TAGS, Stress, robostress_tag
from ...bench_data.suites import AS_FOUND, CLEAN
from ...tools.findings import StressFinding

__all__ = ["DEGRADATIONS_TAG", "STRESS_TAG", "ItemStress", "Level", "true_stress", "wrong_stress"]

STRESS_TAG: Final = "stress"
"""The tag of items whose scene was annotated: ``"M__transparent,G__occlusion"``, as RoboStressBench has it."""
DEGRADATIONS_TAG: Final = "degradations"
"""The tag of items whose condition is a mixture of the data set's own: ``"haze@3,motion_blur@1-2"``."""

Level = Annotated[int, Field(ge=0, le=5)] | Literal["bench"] | None
"""0 to 5, "bench" for the published strength, None where unknown."""

_PUBLISHED_STRENGTH: Final = frozenset({"spacedg"})
"""Suites whose conditions without a level have the published one."""
_UNKNOWN_SEVERITY: Final = 3.0
"""What is told where the strength is not known: the middle of the scale."""
_BENCH_SEVERITY: Final = 5.0
_CONDITION = re.compile(r"^(?P<name>[a-z_]+)(?:[@:-](?P<low>[0-5]|bench)(?:-(?P<high>[0-5]))?)?$")


class ItemStress(BaseModel):
    """One thing that is wrong with the pictures of an item, or hard about their scene.

    Args:
        stress: which.
        level: how strong; of a range that a seed chose from, its lower end.
        up_to: the upper end of that range; None for a level.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    stress: Stress
    level: Level = None
    up_to: Level = None

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """The stress in words such as "haze", "haze-3", "haze@bench", "motion_blur@1-2"; None for anything else."""
        match = _CONDITION.match(text)
        if match is None or match["name"] not in {stress.value for stress in Stress}:
            return None
        low, high = _level(match["low"]), _level(match["high"])
        return cls(stress=Stress(match["name"]), level=low, up_to=high)

    @property
    def severity(self) -> float:
        """On the scale of 0 to 5; the middle of a range, and of the scale where nothing is known."""
        if self.level is None:
            return _UNKNOWN_SEVERITY
        if self.level == "bench":
            return _BENCH_SEVERITY
        upper = self.up_to if isinstance(self.up_to, int) else self.level
        return (self.level + upper) / 2

    @property
    def levels(self) -> tuple[Severity, ...]:
        """The levels that it may have; () where nothing is known."""
        return tuple(dict.fromkeys(level for level in (self.level, self.up_to) if level is not None))

    def finding(self) -> StressFinding:
        """As a solver is told of it: certain, and without any physical parameter."""
        return StressFinding(stress=self.stress, severity=self.severity, confidence=1.0, source="told")


def _level(text: str | None) -> Level:
    return None if text is None else "bench" if text == "bench" else int(text)


def true_stress(condition: str, tags: Mapping[str, str], *, suite: str = "") -> tuple[ItemStress, ...] | None:
    """What is wrong with the pictures of an item: by its condition, and by the tags of its scene.

    Args:
        condition: "clean", a degradation with or without its level, the name of a mixture, or "as_found".
        tags: of the item, see `STRESS_TAG` and `DEGRADATIONS_TAG`.
        suite: of the item.

    Returns:
        () where nothing is wrong; None where nobody knows.

    >>> [(one.stress.value, one.level) for one in true_stress("haze-3", {}) or ()]
    [('haze', 3)]
    >>> true_stress("clean", {}), true_stress("as_found", {})
    ((), None)
    """
    own = tags.get(DEGRADATIONS_TAG)
    done = _listed(own.split(",")) if own else _by_condition(condition, suite)
    scene = tags.get(STRESS_TAG)
    hard = None if scene is None else _listed([tag.partition("__")[2] or tag for tag in scene.split(",") if tag])
    if condition == AS_FOUND:
        return hard
    if done is None or hard is None:
        return done
    return tuple({one.stress: one for one in (*done, *hard)}.values())


def _listed(words: Sequence[str]) -> tuple[ItemStress, ...] | None:
    found = [ItemStress.parse(word) for word in words]
    known = tuple(one for one in found if one is not None and one.level != 0)
    return None if None in found else known


def _by_condition(condition: str, suite: str) -> tuple[ItemStress, ...] | None:
    if condition == CLEAN:
        return ()
    mixture = _mixtures().get(condition)
    if mixture is not None:
        return mixture
    found = ItemStress.parse(condition)
    if found is None:
        return None
    if found.level is None and suite in _PUBLISHED_STRENGTH:
        return (found.model_copy(update={"level": "bench"}),)
    return () if found.level == 0 else (found,)


@cache
def _mixtures() -> dict[str, tuple[ItemStress, ...]]:
    from ...bench_data.degrade.mixtures import RECIPES

    return {
        name: tuple(_of_part(part.degradation, part.severity) for part in recipe.parts)
        for name, recipe in RECIPES.specs()
    }


def _of_part(name: str, severity: Severity | tuple[int, int]) -> ItemStress:
    if isinstance(severity, tuple):
        return ItemStress(stress=Stress(name), level=severity[0], up_to=severity[1])
    return ItemStress.model_validate({"stress": name, "level": severity})


def wrong_stress(true: Sequence[ItemStress], *, question: str, seed: int) -> tuple[ItemStress, ...]:
    """As many things as are wrong, as strong as they are, and none of them true; one thing for a picture without any.

    Degradations are exchanged for degradations, and tags of a scene for tags of a scene.

    Args:
        true: what is wrong.
        question: another one draws others, the same one draws the same under every condition of equal count.
        seed: of the run.
    """
    rng = derived_rng("wrong stress", question, seed)
    taken = {one.stress for one in true} | {robostress_tag(one.stress) for one in true}
    wrong: list[ItemStress] = []
    for one in true or (ItemStress(stress=Stress.NOISE, level=int(_UNKNOWN_SEVERITY)),):
        is_tag = one.stress in ROBOSTRESS_TAGS
        pool = [stress for stress in _family(is_tag=is_tag) if not {stress, robostress_tag(stress)} & (taken - {None})]
        if not pool:
            break
        drawn = pool[int(rng.integers(len(pool)))]
        taken.add(drawn)
        wrong.append(one.model_copy(update={"stress": drawn}))
    return tuple(wrong)


def _family(*, is_tag: bool) -> tuple[Stress, ...]:
    return ROBOSTRESS_TAGS if is_tag else tuple(Stress(name) for name in DEGRADATION_REGISTRY.names())
