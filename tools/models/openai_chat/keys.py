"""The API key: read from the environment, sent to the server, shown nowhere."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import NoReturn
from urllib.parse import urlsplit

from ...errors import ModelError

__all__ = ["DEFAULT_BASE_URL", "DEFAULT_KEY_VARIABLE", "ApiKey", "check_base_url", "is_local", "read_api_key"]

DEFAULT_BASE_URL = "https://api.openai.com/v1"
DEFAULT_KEY_VARIABLE = "OPENAI_API_KEY"
_NO_KEY = "no-key-needed"
"""Local servers want some key in the header and do not look at it."""


class ApiKey:
    """A key that does not print.

    Attributes:
        variable: the environment variable it came from, None for the dummy key of a local server.
    """

    __slots__ = ("_key", "variable")

    def __init__(self, key: str, variable: str | None) -> None:
        self._key = key
        self.variable = variable

    def reveal(self) -> str:
        """The key itself, for the client and nothing else."""
        return self._key

    def scrub(self, text: str) -> str:
        """``text`` without the key; servers like to echo it."""
        return text if self.variable is None else text.replace(self._key, "[API key]")

    def __repr__(self) -> str:
        return f"ApiKey(from {self.variable})" if self.variable else "ApiKey(none)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("an API key is not written to files or sent to other processes; read it there again")


def read_api_key(variable: str | None, base_url: str, environ: Mapping[str, str]) -> ApiKey:
    """The key for a server.

    Args:
        variable: the environment variable that the user named; None means the default one, which a local server
            (``is_local``) may lack.

    Raises:
        ModelError: no key, or one that cannot stand in an HTTP header. The message never holds the key.
    """
    name = variable or DEFAULT_KEY_VARIABLE
    key = environ.get(name, "").strip()
    if not key:
        if variable is None and is_local(base_url):
            return ApiKey(_NO_KEY, None)
        raise ModelError(f"no API key for {base_url}: set {name}, or name another variable with option api_key_env")
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ModelError(f"the key in {name} holds blanks, control or non-ASCII characters; set it again")
    return ApiKey(key, name)


def check_base_url(base_url: str) -> str:
    """The base URL without a slash at the end.

    Raises:
        ModelError: no host, a bad port, a password inside, or the address of the endpoint instead of the base.
    """
    try:
        parts = urlsplit(base_url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise ModelError(f"base URL cannot be used: {error}; write http://host:port/v1") from None
    if "@" in parts.netloc:
        raise ModelError("base URL holds a user name or password; put the key into an environment variable instead")
    if not host or parts.scheme not in ("http", "https"):
        raise ModelError(f"base URL {base_url!r} has no host; write http://host:port/v1")
    if parts.path.rstrip("/").endswith("/chat/completions"):
        raise ModelError(f"base URL {base_url!r} names the endpoint; leave /chat/completions away")
    return base_url.rstrip("/")


def is_local(base_url: str) -> bool:
    """Whether a server runs on this machine or in a private network, by its address."""
    host = urlsplit(base_url).hostname or ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return "." not in host or host.endswith((".local", ".localhost", ".internal"))
    return address.is_loopback or address.is_private or address.is_unspecified or address.is_link_local
