"""What a change of condition does to the answers, on the same questions, with intervals over pictures."""

from __future__ import annotations

from collections.abc import Mapping, Set

from pydantic import BaseModel, ConfigDict

from ..metrics import PairedDifference, paired_difference
from .experiment import Experiment

__all__ = ["EffectResult", "measure_effects"]

_NONE: Mapping[str, Set[str]] = {}


class EffectResult(BaseModel):
    """An effect.

    Attributes:
        name, before, after, meaning: as the experiment says.
        questions: asked under both conditions, on which the difference rests.
        missing: questions that one of the two conditions could not be asked for (the model drew no graph to show it).
        missing_before: the mean score under ``before`` on those of them that it was asked; compare it with
            ``difference.before`` to see whether the missing ones are the hard ones. None without any.
        difference: None without questions.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    before: str
    after: str
    meaning: str
    questions: int
    missing: int
    missing_before: float | None
    difference: PairedDifference | None


def measure_effects(
    experiment: Experiment,
    scores: Mapping[str, Mapping[str, float]],
    pictures: Mapping[str, str],
    *,
    seed: int,
    missing: Mapping[str, Set[str]] = _NONE,
    resamples: int = 2000,
) -> tuple[EffectResult, ...]:
    """The effects of an experiment.

    Args:
        scores: condition -> question -> score.
        pictures: question -> the picture it is about.
        seed: of the bootstrap.
        missing: condition -> questions that could not be asked under it.
    """
    found = []
    for effect in experiment.effects:
        before, after = scores.get(effect.before, {}), scores.get(effect.after, {})
        both = [question for question in before if question in after]
        left_out = set(missing.get(effect.before, ())) | set(missing.get(effect.after, ()))
        known = [before[question] for question in sorted(left_out) if question in before]
        found.append(
            EffectResult(
                name=effect.name,
                before=effect.before,
                after=effect.after,
                meaning=effect.meaning,
                questions=len(both),
                missing=len(left_out),
                missing_before=sum(known) / len(known) if known else None,
                difference=paired_difference(
                    [before[question] for question in both],
                    [after[question] for question in both],
                    [pictures[question] for question in both],
                    seed=seed,
                    resamples=resamples,
                )
                if both
                else None,
            )
        )
    return tuple(found)
