"""What the server is told: names, access, and how much anybody may ask of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator

__all__ = ["LOOPBACK_NAMES", "ServeLimits", "ServeSettings"]

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
"""Host names under which a browser or client on this machine reaches a server on loopback."""

_MIB = 2**20
_LEAST_TOKEN_CHARACTERS = 16

Count = Annotated[int, Field(ge=1)]
Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ServeLimits(_Frozen):
    """Limits for each request, and for all together.

    Attributes:
        max_body_bytes: of one request, as JSON.
        max_buffered_bytes: of all requests that are waiting or under way.
        max_image_bytes: of one picture file.
        max_image_pixels, max_total_pixels: of one picture, and of all pictures of a request, told from their headers.
        max_images, max_messages, max_text_characters, max_choices: in one request; choices are ``n``.
        body_seconds: for a request to arrive whole.
        request_seconds: for its answer, waiting for a free place included.
        fetch_seconds: for one remote picture, redirects included.
        heartbeat_seconds: of silence before a stream is begun and between its signs of life.
        max_running: requests that are answered at once.
        max_waiting: requests that wait for their turn; more are told to come back.
        max_traces, max_trace_bytes: trace pages that are kept; the oldest go first. 0 keeps none.
    """

    max_body_bytes: Count = 32 * _MIB
    max_buffered_bytes: Count = 1024 * _MIB
    max_image_bytes: Count = 20 * _MIB
    max_image_pixels: Count = 32_000_000
    max_total_pixels: Count = 48_000_000
    max_images: Count = 16
    max_messages: Count = 1000
    max_text_characters: Count = 2_000_000
    max_choices: Count = 8
    body_seconds: Seconds = 60.0
    request_seconds: Seconds = 600.0
    fetch_seconds: Seconds = 20.0
    heartbeat_seconds: Seconds = 10.0
    max_running: Count = 16
    max_waiting: Annotated[int, Field(ge=0)] = 128
    max_traces: Annotated[int, Field(ge=0)] = 200
    max_trace_bytes: Annotated[int, Field(ge=0)] = 256 * _MIB


class ServeSettings(_Frozen):
    """How one server behaves.

    Attributes:
        names: what clients may call the model; the first is the one that ``/v1/models`` is asked for most.
        traces: folder of the trace pages.
        token: what clients must show as ``Authorization: Bearer``; None asks for nothing and is for loopback only.
        host_names: values of the ``Host`` header that are answered; None answers all. A server without a token must
            name them: otherwise any web page could reach it through a name of its own that points to this machine.
        image_hosts: where pictures may be fetched from; see ``RemoteImages``. None by default.
        default_max_tokens: for requests that do not say.
        limits: see ``ServeLimits``.
    """

    names: tuple[Annotated[str, Field(min_length=1)], ...] = Field(min_length=1)
    traces: Path
    token: SecretStr | None = None
    host_names: frozenset[str] | None = LOOPBACK_NAMES
    image_hosts: tuple[str, ...] = ()
    default_max_tokens: Count = 1024
    limits: ServeLimits = ServeLimits()

    @field_validator("token")
    @classmethod
    def _strong_token(cls, token: SecretStr | None) -> SecretStr | None:
        if token is None:
            return None
        text = token.get_secret_value()
        if len(text) < _LEAST_TOKEN_CHARACTERS or not all("!" <= character <= "~" for character in text):
            raise ValueError(
                f"the token must have at least {_LEAST_TOKEN_CHARACTERS} printable ASCII characters and no blanks; "
                'make one with: python -c "import secrets; print(secrets.token_urlsafe(32))"'
            )
        return token
