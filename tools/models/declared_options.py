"""Provider options: declared once as a pydantic model, read from a mapping or from the command line."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from ..errors import ModelError

__all__ = ["ProviderOptions", "option_help", "read_options"]


class ProviderOptions(BaseModel):
    """Base of a provider's options: one field an option, ``Field(description=...)`` its line of help.

    Values given as text (``timeout_s="30"``), as a command line gives them, are converted.

    Attributes:
        undeciding: names of the options that say how a reply is fetched and paid, and never what it says.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    undeciding: ClassVar[frozenset[str]] = frozenset()


OptionsT = TypeVar("OptionsT", bound=ProviderOptions)


def option_help(kind: type[ProviderOptions]) -> dict[str, str]:
    """Option name to a line of help with the default at its end."""
    lines: dict[str, str] = {}
    for name, option in kind.model_fields.items():
        text = option.description or ""
        plain = option.default_factory is None and not option.is_required() and option.default is not None
        shown = f" (default: {option.default})" if plain else ""
        lines[name] = text + shown
    return lines


def read_options(kind: type[OptionsT], given: Mapping[str, object], *, provider: str) -> OptionsT:
    """Checks options and fills in the defaults.

    Raises:
        ModelError: an option is unknown (the nearest known one is named) or its value cannot be used. The message
            never repeats the value, which may be a secret that was put in the wrong place.
    """
    known = tuple(kind.model_fields)
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(str(name), known, n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise ModelError(
                f"provider {provider!r} has no option {name!r}; {hint}It knows: {', '.join(sorted(known))}"
            )
    try:
        return kind.model_validate(dict(given))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "options"
        raise ModelError(f"provider {provider!r}: option {where!r} cannot be used: {first['msg']}") from None
