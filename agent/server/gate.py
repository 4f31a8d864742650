"""Who may come in, decided on the headers, before a byte of the body is read."""

from __future__ import annotations

import base64
import binascii
import hmac
from typing import TYPE_CHECKING

from .completions import encode
from .errors import ApiError
from .settings import ServeSettings

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["Gate", "refuse"]

_OPEN_PATHS = frozenset({"/health"})
_PAGES = "/v1/traces/"


class Gate:
    """Checks the ``Host`` header and the token of every request but those for ``/health``.

    Trace pages are for people, whose browsers cannot send a bearer token; there the token is also taken as the
    password of HTTP's basic authentication, with any user name, which every browser asks for.
    """

    def __init__(self, app: ASGIApp, settings: ServeSettings) -> None:
        self._app = app
        self._token = None if settings.token is None else settings.token.get_secret_value().encode()
        self._host_names = settings.host_names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI entrance."""
        if scope["type"] == "http":
            try:
                self._check(scope)
            except ApiError as error:
                await refuse(error, send)
                return
        await self._app(scope, receive, send)

    def _check(self, scope: Scope) -> None:
        headers = dict(scope["headers"])
        host = headers.get(b"host", b"").decode("latin-1").lower()
        if self._host_names is not None and _without_port(host) not in self._host_names:
            names = ", ".join(sorted(self._host_names))
            raise ApiError(403, f"this server is reached as {names}, not by other names", code="host_not_allowed")
        if self._token is None or scope["path"] in _OPEN_PATHS:
            return
        is_page = scope["path"].startswith(_PAGES)
        given = _credentials(headers.get(b"authorization", b""), basic=is_page)
        if given is None or not hmac.compare_digest(given, self._token):
            wanted = 'Basic realm="seeworthy", charset="UTF-8"' if is_page else 'Bearer realm="seeworthy"'
            what = "no API key was given" if given is None else "the API key is wrong"
            message = f"{what}; send the server's token as Authorization: Bearer"
            raise ApiError(401, message, code="invalid_api_key", headers={"www-authenticate": wanted})


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


def _credentials(header: bytes, *, basic: bool) -> bytes | None:
    scheme, _, value = header.partition(b" ")
    if scheme.lower() == b"bearer":
        return value.strip()
    if basic and scheme.lower() == b"basic":
        try:
            return base64.b64decode(value.strip(), validate=True).partition(b":")[2]
        except binascii.Error:
            return None
    return None


async def refuse(error: ApiError, send: Send) -> None:
    """Sends an error as the whole response."""
    body = encode(error.body())
    headers = {"content-type": "application/json", "content-length": str(len(body)), **error.headers}
    raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": error.status, "headers": raw})
    await send({"type": "http.response.body", "body": body})
