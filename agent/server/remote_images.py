"""Fetching pictures from listed hosts, without being sent anywhere else (server-side request forgery).

A name is looked up once, its addresses are checked, and the connection goes to a checked address: a name that changes
its mind between the check and the connection gains nothing. Every redirect is checked like the first URL.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import SplitResult, urljoin, urlsplit

from ..errors import SolverError
from .errors import ApiError, bad_request, too_large

__all__ = ["ImageHost", "RemoteImages", "Resolve", "read_image_host"]

_MOST_REDIRECTS = 3
_MOST_URL_CHARACTERS = 4096
_PORTS = {"https": 443, "http": 80}

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""From a host name and a port to the addresses that it stands for."""


@dataclass(frozen=True)
class ImageHost:
    """One place from which pictures may come. Host names are in lower case, IPv6 addresses without brackets."""

    scheme: str
    host: str
    port: int

    @property
    def is_address(self) -> bool:
        """Whether the operator spelt out an address; then it may be a private one, since nobody else chose it."""
        return _address(self.host) is not None


def read_image_host(text: str) -> ImageHost:
    """``images.example.org`` (HTTPS on its usual port) or a full origin such as ``http://10.0.0.7:8080``.

    >>> read_image_host("images.example.org")
    ImageHost(scheme='https', host='images.example.org', port=443)
    """
    url = text if "://" in text else f"https://{text}"
    try:
        parts = urlsplit(url)
        host = _host_of(url, parts)
    except ValueError:
        host = None
    if host is None or parts.path not in ("", "/") or parts.query or parts.fragment:
        raise SolverError(f"{text!r} names no host of pictures; write images.example.org or http://10.0.0.7:8080")
    return host


def _host_of(url: str, parts: SplitResult) -> ImageHost | None:
    """Where a URL points; None when that is not plain."""
    if parts.scheme not in _PORTS or not parts.hostname or parts.username is not None or parts.password is not None:
        return None
    # Backslashes, blanks and control characters are read differently by different parsers, which is how checks are
    # walked around.
    if any(character <= " " or character in '\\"<>^`{|}' or ord(character) > 126 for character in url):
        return None
    return ImageHost(parts.scheme, parts.hostname.rstrip("."), parts.port or _PORTS[parts.scheme])


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


async def _look_up(host: str, port: int) -> Sequence[str]:
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


class RemoteImages:
    """Fetches picture files from listed hosts.

    Args:
        hosts: as ``read_image_host`` takes them; without any, every remote URL is refused.
        max_bytes: of one file.
        seconds: for one file, redirects included.
        resolve: looks up names; the operating system's resolver unless given.
    """

    def __init__(self, hosts: Iterable[str], *, max_bytes: int, seconds: float, resolve: Resolve | None = None) -> None:
        self._hosts = frozenset(read_image_host(text) for text in hosts)
        self._max_bytes = max_bytes
        self._seconds = seconds
        self._resolve = resolve or _look_up

    async def fetch(self, url: str, *, where: str) -> bytes:
        """The file behind a URL.

        Args:
            where: the place in the request, for messages.

        Raises:
            ApiError: 400 when it may not or cannot be fetched, 413 when it is too large.
        """
        try:
            async with asyncio.timeout(self._seconds):
                return await self._follow(url, where)
        except TimeoutError:
            message = f"{where}: the picture did not arrive within {self._seconds:g} s"
            raise bad_request(message, param=where, code="image_unreachable") from None

    async def _follow(self, url: str, where: str) -> bytes:
        for _ in range(_MOST_REDIRECTS + 1):
            found = await self._get(url, where)
            if isinstance(found, bytes):
                return found
            url = urljoin(url, found)
        message = f"{where}: more than {_MOST_REDIRECTS} redirects"
        raise bad_request(message, param=where, code="image_unreachable")

    async def _get(self, url: str, where: str) -> bytes | str:
        """The file, or the URL to which the server points instead."""
        import httpx

        target, address = await self._checked(url, where)
        # Neither proxies nor credentials from the environment: both would change where the request really goes.
        async with httpx.AsyncClient(trust_env=False, follow_redirects=False, timeout=self._seconds) as client:
            headers = {"host": _host_header(target), "accept": "image/*", "accept-encoding": "identity"}
            try:
                pinned = httpx.URL(url).copy_with(scheme=target.scheme, host=address, port=target.port)
                # The certificate must be that of the name, although the connection goes to the address.
                named = {"sni_hostname": target.host}
                async with client.stream("GET", pinned, headers=headers, extensions=named) as answer:
                    if answer.has_redirect_location:
                        return str(answer.headers["location"])
                    if answer.status_code != 200:
                        raise self._unreachable(where, f"{target.host} answered HTTP {answer.status_code}")
                    return await self._bounded(answer.aiter_raw(), where)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                raise self._unreachable(where, f"{target.host}: {type(error).__name__}") from None

    async def _bounded(self, chunks: AsyncIterator[bytes], where: str) -> bytes:
        """Reads no further than allowed, whatever length the server stated."""
        data = bytearray()
        async for chunk in chunks:
            data += chunk
            if len(data) > self._max_bytes:
                message = f"{where}: the picture is larger than {self._max_bytes:,} bytes"
                raise too_large(message, param=where, code="image_too_large")
        return bytes(data)

    async def _checked(self, url: str, where: str) -> tuple[ImageHost, str]:
        """The host that a URL names, and a checked address of it."""
        target = None
        if len(url) <= _MOST_URL_CHARACTERS:
            try:
                target = _host_of(url, urlsplit(url))
            except ValueError:
                target = None
        if target is None:
            raise bad_request(f"{where} is not a plain http(s) URL or data URI", param=where, code="invalid_image_url")
        if target not in self._hosts:
            message = (
                f"{where}: pictures are not fetched from {target.scheme}://{target.host}:{target.port}; send the "
                "picture itself as a data URI, or start the server with --image-host"
            )
            raise bad_request(message, param=where, code="image_host_not_allowed")
        if target.is_address:
            return target, target.host
        try:
            addresses = await self._resolve(target.host, target.port)
        except (OSError, UnicodeError):
            raise self._unreachable(where, f"{target.host} cannot be found") from None
        # All must be public, not just the first: which one is used would otherwise be up to chance.
        if not addresses or not all(_is_public(address) for address in addresses):
            message = f"{where}: {target.host} does not stand for a public address"
            raise bad_request(message, param=where, code="image_host_not_allowed")
        return target, addresses[0]

    def _unreachable(self, where: str, why: str) -> ApiError:
        return bad_request(f"{where}: the picture cannot be fetched: {why}", param=where, code="image_unreachable")


def _is_public(text: str) -> bool:
    address = _address(text)
    if isinstance(address, ipaddress.IPv6Address):
        # Addresses that carry another one inside are as public as what they carry.
        carried = address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
        if carried is not None:
            address = carried
        elif address in ipaddress.ip_network("64:ff9b::/96"):
            address = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        elif address.is_site_local:
            return False
    return address is not None and address.is_global and not (address.is_multicast or address.is_reserved)


def _host_header(target: ImageHost) -> str:
    name = f"[{target.host}]" if ":" in target.host else target.host
    return name if target.port == _PORTS[target.scheme] else f"{name}:{target.port}"
