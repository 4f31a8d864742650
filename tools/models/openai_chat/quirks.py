"""What a server was found not to take, learnt from its own error and remembered."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..protocol import Request
from .server_errors import ServerError
from .settings import OpenAIChatOptions, TokenParameter

__all__ = ["TOKEN_PARAMETERS", "Quirks"]

_DROPPABLE = ("temperature", "top_p", "seed", "stop", "logprobs")
TOKEN_PARAMETERS = ("max_tokens", "max_completion_tokens")
_UNKNOWN_CODES = frozenset({"unsupported_parameter", "unsupported_value", "unknown_parameter", "extra_forbidden"})
_UNKNOWN = re.compile(
    r"unsupported|not supported|(does not|doesn't|do not) support|unknown|unrecogni[sz]ed|unexpected"
    r"|extra (fields|inputs)|not permitted|deprecated"
)
# "Only the default (1) value" and "strictly positive" refuse temperature 0, which is all that greedy decoding can ask.
_VALUE = re.compile(r"only the default|strictly positive")


@dataclass(frozen=True)
class Quirks:
    """How requests to one server must be written.

    Attributes:
        budget_field: what it calls the output budget.
        dropped: fields that it refuses.
    """

    budget_field: str = "max_tokens"
    dropped: frozenset[str] = frozenset()

    @classmethod
    def stated(cls, options: OpenAIChatOptions) -> Quirks:
        """What the user says beforehand."""
        said = {"temperature": options.honours_temperature, "seed": options.honours_seed}
        chosen = options.max_tokens_parameter
        return cls(
            budget_field="max_tokens" if chosen is TokenParameter.AUTO else chosen.value,
            dropped=frozenset(name for name, honoured in said.items() if honoured is False),
        )

    def lesson(self, error: ServerError, sent: Mapping[str, object]) -> str | None:
        """The field that the server does not take, None when the error is about something else.

        Only a 400 or 422 that names a field which was sent, and says that it is not taken, counts.
        """
        return _blamed_field(error, sent) if error.status in (400, 422) else None

    def without(self, name: str) -> Quirks:
        """Quirks that avoid a field: the output budget goes by its other name, everything else is left out."""
        if name in TOKEN_PARAMETERS:
            return replace(self, budget_field=TOKEN_PARAMETERS[1 - TOKEN_PARAMETERS.index(name)])
        return replace(self, dropped=self.dropped | {name})

    def notes(self, request: Request) -> tuple[str, ...]:
        """What a reader of the reply must know: settings that the request holds and the server never saw."""
        notes = []
        if self.budget_field != "max_tokens":
            notes.append(f"the output budget was sent as {self.budget_field}")
        wanted = {
            "temperature": True,
            "seed": request.seed is not None,
            "top_p": request.settings.top_p is not None,
            "stop": bool(request.settings.stop),
            "logprobs": request.settings.logprobs,
        }
        lacking = [name for name in _DROPPABLE if name in self.dropped and wanted[name]]
        return (*notes, *(f"{name} was not sent: the server does not take it" for name in lacking))


def _blamed_field(error: ServerError, sent: Mapping[str, object]) -> str | None:
    words = error.message.lower()
    refused = bool(error.codes & _UNKNOWN_CODES or _UNKNOWN.search(words))
    candidates = [name for name in (*TOKEN_PARAMETERS, *_DROPPABLE) if name in sent]
    named = [name for name in candidates if _mentions(words, name)]
    named.sort(key=words.index)
    if error.parameter in candidates:
        named.insert(0, error.parameter)
    for name in named:
        if refused or (name not in TOKEN_PARAMETERS and _VALUE.search(words)):
            return name
    return None


def _mentions(words: str, name: str) -> bool:
    # "stop" is also an English word, so there it must stand in quotes or before a colon.
    pattern = rf"(?<![a-z_]){name}(?![a-z_])" if name != "stop" else r"['\"`]stop['\"`]|\bstop:"
    return re.search(pattern, words) is not None
