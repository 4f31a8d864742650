"""How far the solver may go, and what it may spend."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

from ..tools.measure.judge_settings import FIDELITY, PERCEPTION, WEIGHED, JudgeSettings
from .errors import SolverError
from .records import View

__all__ = ["PROFILES", "Budget", "Profile", "Weighing", "profile_named"]


class Budget(BaseModel):
    """Limits for one question. A stage that would pass one is skipped, and the trace says so.

    Attributes:
        max_calls: model calls, detection included. One call is always made: without it there is no answer.
        max_seconds: after this no further tool or optional call is started.
        max_cost_usd: known spending; a model without a known price then gets its first call only.
        tool_seconds: time-out of a single tool run.
        call_seconds: time-out of a single model call, the adapter's own retries included.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_calls: int = Field(default=8, ge=1)
    max_seconds: float = Field(default=300.0, gt=0)
    max_cost_usd: float | None = Field(default=None, gt=0)
    tool_seconds: float = Field(default=60.0, gt=0)
    call_seconds: float = Field(default=1000.0, gt=0)


class Weighing(StrEnum):
    """What decides between answers that differ."""

    TRUST = "trust"
    """Most in seeing both pictures, and in the original the less the worse it is; who stands alone is not believed."""
    SURENESS = "sureness"
    """How likely the model was to say just this of the repaired picture. One in which it sees little leaves it torn
    between options, so a repair that shows it nothing does not change its answer."""


class Profile(BaseModel):
    """A way of working.

    Attributes:
        act_from_severity, act_from_confidence: below either, doing nothing is the plan.
        max_steps: stresses treated per picture.
        max_alternatives: tools tried per stress; the verifier picks.
        faithful_only: only tools that cannot change what is in the scene.
        judge: the verifier's thresholds.
        ask_model_for_stress: spend one call on asking the model what is wrong with the picture.
        views: what the model is shown when a picture was rectified, in the order in which a small budget drops them
            from the end.
        explain_repairs: say in words which of the pictures is repaired, and what was wrong with it.
        show_repairs: False shows the original wherever the repaired picture would be, with the same words and calls: a
            control that tells what the repair's pixels are worth.
        samples_per_view: more than one asks again with other seeds at ``sample_temperature``.
        weighing: what an answer weighs: how far its view is trusted, or how sure the model says it is.
        min_support: an answer with less of the weight behind it is not given.
        max_replans: a second plan when every try of the first was rejected.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    rectify: bool = True
    act_from_severity: float = Field(default=1.5, ge=0, le=5)
    act_from_confidence: float = Field(default=0.5, ge=0, le=1)
    max_steps: int = Field(default=3, ge=0)
    max_alternatives: int = Field(default=2, ge=1)
    faithful_only: bool = True
    judge: JudgeSettings = FIDELITY
    ask_model_for_stress: bool = False
    views: tuple[View, ...] = (View.BOTH, View.ORIGINAL, View.RECTIFIED)
    explain_repairs: bool = True
    show_repairs: bool = True
    samples_per_view: int = Field(default=1, ge=1)
    sample_temperature: float = Field(default=0.7, gt=0)
    weighing: Weighing = Weighing.TRUST
    min_support: float = Field(default=0.5, ge=0, le=1)
    max_replans: int = Field(default=1, ge=0, le=1)


PROFILES: dict[str, Profile] = {
    "fidelity": Profile(name="fidelity"),
    "perception": Profile(
        name="perception",
        act_from_severity=1.0,
        max_steps=4,
        max_alternatives=3,
        faithful_only=False,
        judge=PERCEPTION,
        ask_model_for_stress=True,
        views=(View.BOTH, View.RECTIFIED, View.ORIGINAL),
    ),
    # For models that take one picture, or few words: asked once, in the question's own words, about the picture as
    # repaired. Of two single views that disagree neither could outvote the other, so each such answer would be lost.
    "replace": Profile(name="replace", views=(View.RECTIFIED,), explain_repairs=False, min_support=0.0),
    # For models that take one picture and answer in few words, and tell how likely these were: asked about either
    # picture alone, in the question's own words, and believed of the repaired one where they are sure.
    "surest": Profile(
        name="surest",
        judge=WEIGHED,
        views=(View.ORIGINAL, View.RECTIFIED),
        explain_repairs=False,
        weighing=Weighing.SURENESS,
        min_support=0.0,
    ),
    "off": Profile(name="off", rectify=False, max_steps=0, views=(View.ORIGINAL,)),
}


def profile_named(name: str) -> Profile:
    """The profile called ``name``."""
    try:
        return PROFILES[name]
    except KeyError:
        raise SolverError(f"unknown profile {name!r}; choose one of {', '.join(PROFILES)}") from None
