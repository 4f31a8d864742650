"""A server that speaks the OpenAI chat protocol around a wrapped model; needs ``pip install "seeworthy[serve]"``.

>>> from seeworthy.agent.server import ServeSettings, create_app
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .app import create_app
    from .settings import ServeLimits, ServeSettings

__all__ = ["ServeLimits", "ServeSettings", "create_app"]

_HOME = {"ServeLimits": "settings", "ServeSettings": "settings", "create_app": "app"}


def __getattr__(name: str) -> object:
    """Loads a public name when it is first used: the settings must be readable without FastAPI."""
    from importlib import import_module

    try:
        home = _HOME[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    return getattr(import_module(f"{__name__}.{home}"), name)
