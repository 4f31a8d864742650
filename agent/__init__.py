"""The robust solver: a state machine around any vision-language model, and the command line.

>>> from seeworthy.agent import RobustVLM
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .profiles import PROFILES, Budget, Profile
    from .records import Outcome, View
    from .result import SolverResult
    from .robust import RobustVLM

__all__ = ["PROFILES", "Budget", "Outcome", "Profile", "RobustVLM", "SolverResult", "View"]

_HOME = {
    "PROFILES": "profiles",
    "Budget": "profiles",
    "Profile": "profiles",
    "Outcome": "records",
    "View": "records",
    "SolverResult": "result",
    "RobustVLM": "robust",
}


def __getattr__(name: str) -> object:
    """Loads a public name when it is first used: the command line must answer --help without LangGraph."""
    from importlib import import_module

    try:
        home = _HOME[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    return getattr(import_module(f"{__name__}.{home}"), name)
