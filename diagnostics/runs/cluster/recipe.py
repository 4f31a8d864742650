"""ArmsRecipe: how the models of a run are made anew in another process, perhaps on another machine."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from ...errors import DiagnosticsError
from ..plan import Arm

__all__ = ["ArmsRecipe"]


class ArmsRecipe(BaseModel):
    """A function that makes the arms, and what it is given; a model itself can hold connections and does not travel.

    Args:
        builder: ``"package.module:function"``; the function gives name of the model -> `Arm`.
        arguments: of the function, as JSON has them. No secrets: those belong into the workers' environment.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    builder: str = Field(pattern=r"^[\w.]+:\w+$")
    arguments: dict[str, JsonValue] = {}

    def build(self) -> dict[str, Arm]:
        """The arms, by the names of the models that are asked.

        Raises:
            DiagnosticsError: there is no such function, or it gives something else.
            SeeworthyError: what it raises.
        """
        module_name, _, name = self.builder.partition(":")
        try:
            function = getattr(importlib.import_module(module_name), name)
        except (ImportError, AttributeError) as error:
            raise DiagnosticsError(f"{self.builder} cannot be imported: {error}; is its package installed?") from error
        arms = function(**self.arguments)
        if not isinstance(arms, Mapping) or not all(isinstance(arm, Arm) for arm in arms.values()):
            raise DiagnosticsError(
                f"{self.builder} gave {type(arms).__name__}; it must give a mapping of names of models to arms"
            )
        return dict(arms)
