"""Who a run asks, from the command line's words; also called by the workers of a cluster, who make the same anew."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .common import UsageError, parse_settings

if TYPE_CHECKING:
    from ...diagnostics.runs import Arm

__all__ = ["bench_arms"]


def bench_arms(models: Sequence[str], options: Sequence[str], *, slots: int, profile: str) -> dict[str, Arm]:
    """Name of the model that is asked -> who is asked. A model that also stands alone shares its connections.

    Args:
        models: as on the command line, perhaps within an arm of the solver, see `ARMS`.
        options: key=value for their providers.
        slots: calls to a server at once, at most.
        profile: of those that are wrapped.

    Raises:
        UsageError: a model twice, no such profile, or one that does not fit.
        ModelError: a model cannot be built.
    """
    from ...diagnostics.runs import Arm
    from ...tools.models import VisionLanguageModel
    from ...tools.models.registry import parse_model_name, resolve_model
    from ..arms import split_arm
    from ..errors import SolverError
    from ..profiles import profile_named

    given = parse_settings(options, "--model-option")
    leaves: dict[str, VisionLanguageModel] = {}
    arms: dict[str, Arm] = {}
    for name in models:
        kind, inner = split_arm(name)
        if inner not in leaves:
            # The run paces and repeats calls itself, all models of a server together.
            own = {"max_attempts": "1", "max_concurrency": str(slots)}
            paced = own if parse_model_name(inner).provider == "openai" else {}
            leaves[inner] = resolve_model(inner, {**paced, **given})
        try:
            arm = Arm(leaves[inner]) if kind is None else kind.around(leaves[inner], profile_named(profile))
        except SolverError as error:
            raise UsageError(str(error)) from error
        if arm.name in arms:
            raise UsageError(f"--model {name} is given twice")
        arms[arm.name] = arm
    return arms
