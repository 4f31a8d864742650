"""Opening the door: where to listen, and running until told to stop."""

from __future__ import annotations

import ipaddress
import signal
import socket
from types import FrameType
from typing import TYPE_CHECKING

from ..errors import SolverError

if TYPE_CHECKING:
    from starlette.types import ASGIApp

__all__ = ["address_of", "is_loopback", "listen", "run_until_stopped"]

_BACKLOG = 1024
# Long enough for an answer that is nearly there, short enough for a person who waits for the prompt.
_GRACE_S = 5


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server that listens on ``host``."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes any free one.

    Raises:
        SolverError: the address is unknown or taken.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        door = socket.socket(family, kind, protocol)
        try:
            door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            door.bind(address)
            door.listen(_BACKLOG)
        except OSError:
            door.close()
            raise
    except OSError as error:
        raise SolverError(f"cannot listen on {host} port {port}: {error}; choose others with --host, --port") from error
    return door


def address_of(door: socket.socket) -> str:
    """The URL at which clients find it, without a path."""
    host, port = door.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def run_until_stopped(app: ASGIApp, door: socket.socket, *, log_requests: bool) -> None:
    """Serves until Ctrl-C or SIGTERM, then lets requests under way end for a few seconds.

    Raises:
        KeyboardInterrupt: it was told to stop.
    """
    import uvicorn

    def stop(number: int, frame: FrameType | None) -> None:
        # The server hands the signal on when it has stopped; its usual effect would skip all cleaning up.
        raise KeyboardInterrupt

    config = uvicorn.Config(
        app,
        log_config=_logging(log_requests=log_requests),
        server_header=False,
        proxy_headers=False,
        ws="none",
        timeout_graceful_shutdown=_GRACE_S,
    )
    before = signal.signal(signal.SIGTERM, stop)
    try:
        uvicorn.Server(config).run(sockets=[door])
    finally:
        signal.signal(signal.SIGTERM, before)


def _logging(*, log_requests: bool) -> dict[str, object]:
    """Everything to stderr; a line a request on demand. Nothing that a request or an answer says is logged."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "plain": {"format": "%(asctime)s %(levelname)s %(message)s"},
            "access": {
                "()": "uvicorn.logging.AccessFormatter",
                "fmt": '%(asctime)s %(client_addr)s "%(request_line)s" %(status_code)s',
                "use_colors": False,
            },
        },
        "handlers": {
            "plain": {"class": "logging.StreamHandler", "formatter": "plain", "stream": "ext://sys.stderr"},
            "access": {"class": "logging.StreamHandler", "formatter": "access", "stream": "ext://sys.stderr"},
        },
        "loggers": {
            "uvicorn": {"handlers": ["plain"], "level": "WARNING", "propagate": False},
            "uvicorn.access": {
                "handlers": ["access"],
                "level": "INFO" if log_requests else "WARNING",
                "propagate": False,
            },
            "seeworthy": {"handlers": ["plain"], "level": "INFO" if log_requests else "WARNING", "propagate": False},
        },
    }
