"""Pictures come from listed hosts only, whatever a URL, a name server or a redirect says."""

from __future__ import annotations

import socket
import threading
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from seeworthy.agent.errors import SolverError
from seeworthy.agent.server.errors import ApiError
from seeworthy.agent.server.remote_images import ImageHost, RemoteImages, read_image_host

from ..conftest import ScriptedModel
from .conftest import Serve, chat, noise, user

WHERE = "messages[0].content[0].image_url.url"


class FileServer(ThreadingHTTPServer):
    """Serves bytes by path; a path may also be a redirect (text) or silence (None)."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, files: Mapping[str, bytes | str | None]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files = files
        self.seen: list[tuple[str, str]] = []
        self.closing = threading.Event()

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: FileServer

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class calls it so
        """Quiet."""

    def do_GET(self) -> None:
        self.server.seen.append((self.headers["Host"], self.path))
        found = self.server.files.get(self.path, b"")
        if found is None:
            self.server.closing.wait(20)
            return
        if isinstance(found, str):
            self.send_response(302)
            self.send_header("Location", found)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(200 if self.path in self.server.files else 404)
        self.send_header("Content-Length", str(len(found)))
        self.end_headers()
        self.wfile.write(found)


@contextmanager
def files(**by_name: bytes | str | None) -> Iterator[FileServer]:
    server = FileServer({f"/{name}": content for name, content in by_name.items()})
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()


def resolving(addresses: Mapping[str, Sequence[str]], asked: list[str] | None = None):  # type: ignore[no-untyped-def]
    async def resolve(host: str, port: int) -> Sequence[str]:
        if asked is not None:
            asked.append(host)
        if host not in addresses:
            raise socket.gaierror("no such name")
        return addresses[host]

    return resolve


def remote(*hosts: str, seconds: float = 5.0, max_bytes: int = 10_000, **addresses: Sequence[str]) -> RemoteImages:
    named = {name.replace("_", "."): found for name, found in addresses.items()}
    return RemoteImages(hosts, max_bytes=max_bytes, seconds=seconds, resolve=resolving(named))


async def refused(images: RemoteImages, url: str) -> ApiError:
    with pytest.raises(ApiError) as caught:
        await images.fetch(url, where=WHERE)
    assert caught.value.param == WHERE
    return caught.value


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("images.example.org", ImageHost("https", "images.example.org", 443)),
        ("Images.Example.org.", ImageHost("https", "images.example.org", 443)),
        ("http://images.example.org", ImageHost("http", "images.example.org", 80)),
        ("http://10.0.0.7:8080/", ImageHost("http", "10.0.0.7", 8080)),
        ("https://[2001:db8::1]", ImageHost("https", "2001:db8::1", 443)),
    ],
)
def test_hosts_are_read(text: str, host: ImageHost) -> None:
    assert read_image_host(text) == host


@pytest.mark.parametrize(
    "text", ["", "ftp://a.org", "https://a.org/path", "https://u:p@a.org", "a b.org", "a.org:99999"]
)
def test_what_is_no_host_is_refused_at_the_start(text: str) -> None:
    with pytest.raises(SolverError, match="names no host"):
        read_image_host(text)


async def test_a_listed_address_is_fetched_also_over_redirects() -> None:
    with files(a=b"picture", b="/a", c="b") as server:
        images = remote(server.origin)
        assert await images.fetch(f"{server.origin}/c", where=WHERE) == b"picture"
        assert [path for _, path in server.seen] == ["/c", "/b", "/a"]


async def test_redirects_are_counted_and_checked_like_the_first_url() -> None:
    with files(inner=b"secret") as inside:
        hops = {
            "loop": "/loop",
            "inside": f"{inside.origin}/inner",
            "cloud": "http://169.254.169.254/latest/",
            "name": f"http://localhost:{inside.server_address[1]}/inner",
            "file": "file:///etc/passwd",
            "relative": f"//127.0.0.1:{inside.server_address[1]}/inner",
        }
        with files(**hops) as server:
            images = remote(server.origin)
            assert "redirects" in str(await refused(images, f"{server.origin}/loop"))
            for name in ("inside", "cloud", "name", "relative"):
                assert (await refused(images, f"{server.origin}/{name}")).code == "image_host_not_allowed"
            assert (await refused(images, f"{server.origin}/file")).code == "invalid_image_url"
        assert inside.seen == [], "the server behind the redirect was never asked"


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "fe80::1",
        "fd00::1",
        "::ffff:127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b:1::7f00:1",
        "2002:7f00:1::",
        "::7f00:1",
        "fec0::1",
        "2001:db8::1",
        "not an address",
    ],
)
async def test_a_listed_name_with_a_private_address_is_refused(address: str) -> None:
    alone = remote("evil.example.org", evil_example_org=[address])
    assert (await refused(alone, "https://evil.example.org/a.png")).code == "image_host_not_allowed"
    mixed = remote("evil.example.org", evil_example_org=["93.184.216.34", address])
    assert (await refused(mixed, "https://evil.example.org/a.png")).code == "image_host_not_allowed"


@pytest.mark.parametrize(
    "url",
    [
        "https://images.example.org@127.0.0.1/a.png",
        "https://127.0.0.1\\@images.example.org/a.png",
        "https://images.example.org.evil.test/a.png",
        "https://images.example.org:8443/a.png",
        "http://images.example.org/a.png",
        "https://127.0.0.1/a.png",
        "https://2130706433/a.png",
        "https://0x7f.1/a.png",
        "https://images.example.org%2f@127.0.0.1/",
        "https://images.example.org\t.evil.test/",
        "https://ımages.example.org/a.png",
        "https://[::ffff:127.0.0.1]/a.png",
        "gopher://images.example.org/",
        "https:///a.png",
        "https://images.example.org:port/",
        "https://images.example.org/" + "a" * 5000,
    ],
)
async def test_urls_that_only_look_listed_are_refused_without_a_look_up(url: str) -> None:
    asked: list[str] = []
    resolve = resolving({"images.example.org": ["93.184.216.34"]}, asked)
    images = RemoteImages(["images.example.org"], max_bytes=100, seconds=5.0, resolve=resolve)
    assert (await refused(images, url)).code in ("image_host_not_allowed", "invalid_image_url")
    assert asked == []


async def test_the_connection_goes_to_the_address_that_was_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that answers differently the second time is looked up once, and the certificate is that of the name."""
    import httpx

    sent: list[tuple[str, str, object]] = []

    class Body(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield b"picture"

    async def record(self: httpx.AsyncHTTPTransport, request: httpx.Request) -> httpx.Response:
        sent.append((str(request.url), request.headers["host"], request.extensions["sni_hostname"]))
        return httpx.Response(200, stream=Body())

    monkeypatch.setattr(httpx.AsyncHTTPTransport, "handle_async_request", record)
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    asked: list[str] = []
    resolve = resolving({"images.example.org": ["93.184.216.34"]}, asked)
    images = RemoteImages(["images.example.org"], max_bytes=100, seconds=5.0, resolve=resolve)
    assert await images.fetch("https://images.example.org/a.png?b=1", where=WHERE) == b"picture"
    assert sent == [("https://93.184.216.34/a.png?b=1", "images.example.org", "images.example.org")]
    assert asked == ["images.example.org"]


async def test_large_missing_and_silent_files_end_in_time() -> None:
    with files(large=b"x" * 20_000, silent=None) as server:
        images = remote(server.origin, seconds=20)
        assert (await refused(images, f"{server.origin}/large")).status == 413
        assert "HTTP 404" in str(await refused(images, f"{server.origin}/missing"))
        hasty = remote(server.origin, seconds=0.2)
        assert "did not arrive within" in str(await refused(hasty, f"{server.origin}/silent"))
    gone = await refused(images, f"{server.origin}/large")
    assert (gone.status, gone.code) == (400, "image_unreachable")
    unknown = remote("nowhere.example.org")
    assert "cannot be found" in str(await refused(unknown, "https://nowhere.example.org/"))


def test_a_listed_picture_reaches_the_model(serve: Serve) -> None:
    model, picture = ScriptedModel(lambda r: "B"), noise(3)
    with files(a=picture.png(), text=b"not a picture") as host:
        server = serve(model, image_hosts=(host.origin,))
        assert server.post(chat(user("?", f"{host.origin}/a"))).status_code == 200
        assert model.asked[0].pictures[0].sha256 == picture.sha256
        answer = server.post(chat(user("?", f"{host.origin}/text")))
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_image")
