"""Interventions: the same questions with one thing changed, and what that change does to the answers."""

from .effects import EffectResult, measure_effects
from .experiment import (
    Condition,
    Effect,
    Experiment,
    GraphSource,
    PictureSource,
    Role,
    experiment_names,
    load_experiment,
)
from .hints import (
    CLEAN_NAME,
    ToldDegradation,
    degradation_choices,
    hint_text,
    read_named_degradation,
    wrong_degradation,
)
from .requests import condition_request, graph_parts, graph_request, grey_picture, name_request, shown_pictures

__all__ = [
    "CLEAN_NAME",
    "Condition",
    "Effect",
    "EffectResult",
    "Experiment",
    "GraphSource",
    "PictureSource",
    "Role",
    "ToldDegradation",
    "condition_request",
    "degradation_choices",
    "experiment_names",
    "graph_parts",
    "graph_request",
    "grey_picture",
    "hint_text",
    "load_experiment",
    "measure_effects",
    "name_request",
    "read_named_degradation",
    "shown_pictures",
    "wrong_degradation",
]
