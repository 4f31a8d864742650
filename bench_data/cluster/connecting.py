"""Connecting to a Ray cluster: one that runs already, or a small one on this machine for as long as it is needed."""

from __future__ import annotations

import importlib.util
import logging
import os
import shutil
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..errors import ClusterError
from ..render.cpu.crew import available_threads
from .quiet import quiet_ray

__all__ = ["Cluster", "ClusterSettings", "connected", "start_local"]

_STARTS: Final = 2
"""Ray gives its processes 30 s to appear, which a busy machine may not manage the first time."""
_PATIENT: Final = {
    "RAY_agent_register_timeout_ms": "120000",
    "RAY_worker_register_timeout_seconds": "240",
    "RAY_prestart_worker_first_driver": "0",
}
"""For busy machines too: what Ray waits for its helpers, and no worker before somebody needs it."""
_REACHED_WITHIN_S = 5.0
_SHOWN_CHARACTERS = 200
"""Of each end of a message of Ray's."""
_MOST_STORE_BYTES: Final = 2 * 2**30
_LEAST_STORE_BYTES: Final = 100 * 2**20
"""Ray refuses a store of less than 75 MiB."""


@dataclass(frozen=True, kw_only=True)
class ClusterSettings:
    """Which cluster, and how much of it.

    Args:
        address: "auto" for the cluster that Ray finds (``RAY_ADDRESS``, or one that runs on this machine), "local" for
            one of our own on this machine, or HOST:PORT of a cluster that this machine belongs to.
        workers: processes; None for one a core, or one a share of GPUs.
        gpus: of each worker; fractions share a GPU.
    """

    address: str = "auto"
    workers: int | None = None
    gpus: float = 0.0

    def __post_init__(self) -> None:
        if not self.address.strip():
            raise ClusterError("the address of a Ray cluster is empty; give auto, local or HOST:PORT")
        if self.workers is not None and self.workers < 1:
            raise ClusterError(f"a cluster needs at least 1 worker, got {self.workers}")
        if not 0 <= self.gpus < float("inf"):
            raise ClusterError(f"the GPUs of a worker must be 0 or more, got {self.gpus}")


@dataclass(frozen=True)
class Cluster:
    """A cluster that this process is connected to.

    Attributes:
        workers: how many to hire.
        gpus: of each.
        is_local: whether it was started here, for us.
    """

    workers: int
    gpus: float
    is_local: bool


@contextmanager
def connected(settings: ClusterSettings) -> Iterator[Cluster]:
    """Connects for the length of the block; a cluster that was started here ends with it.

    A program that is connected to Ray already keeps its connection; its address then is "auto".

    Raises:
        ClusterError: Ray is not installed, no cluster is there, or it has another version of Ray or of Python.
    """
    if importlib.util.find_spec("ray") is None:
        raise ClusterError("a Ray cluster needs ray, which this Python lacks; run: pip install 'seeworthy[ray]'")
    _be_discreet()
    import ray

    with quiet_ray():
        if ray.is_initialized():
            if settings.address != "auto":
                raise ClusterError(
                    f"this program is connected to a Ray cluster already, so {settings.address!r} cannot be reached; "
                    "give auto, or disconnect first"
                )
            yield _measured(settings, is_local=False)
            return
        _connect(settings)
        try:
            yield _measured(settings, is_local=settings.address == "local")
        finally:
            ray.shutdown()


def start_local(cores: int) -> None:
    """Starts a cluster of one machine, this one, which ends with this process or with ``ray.shutdown()``.

    Its ports are open to the network; Ray guards them with a token in the user's home (``~/.ray/auth_token``), unless
    ``RAY_AUTH_MODE`` says otherwise.

    Args:
        cores: that the cluster counts with.

    Raises:
        ClusterError: Ray's processes do not come up.
    """
    _be_discreet()
    import ray

    for left in reversed(range(_STARTS)):
        try:
            with _own_signal_handlers(), _patience():
                ray.init(
                    address="local",
                    num_cpus=cores,
                    object_store_memory=_store_bytes(),
                    include_dashboard=False,
                    log_to_driver=False,
                    logging_level=logging.ERROR,
                )
            return
        except Exception as error:  # Ray raises plain exceptions here
            ray.shutdown()
            if not left:
                raise ClusterError(f"Ray cannot be started on this machine: {_one_line(error)}") from error


def _connect(settings: ClusterSettings) -> None:
    import ray

    address = settings.address
    if address == "local":
        start_local(settings.workers or available_threads())
        return
    named = os.environ.get("RAY_ADDRESS", "auto") if address == "auto" else address
    if named not in ("auto", "local"):
        _check_reachable(named)
    try:
        with _own_signal_handlers():
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except Exception as error:  # Ray raises plain exceptions here
        raise ClusterError(_not_there(address, error)) from error


def _be_discreet() -> None:
    """Ray reports its use to its makers, unless it is told not to before it is first imported."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")


@contextmanager
def _patience() -> Iterator[None]:
    """What Ray's processes inherit; where the user has set a variable, it stays."""
    added = {name: value for name, value in _PATIENT.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


def _not_there(address: str, error: Exception) -> str:
    if address == "auto" and isinstance(error, ConnectionError):
        return (
            "no Ray cluster was found: RAY_ADDRESS is not set and none runs on this machine; start one with "
            "`ray start --head`, or give local"
        )
    return (
        f"cannot work on the Ray cluster at {address}: {_one_line(error)}; run the command on a machine of the "
        "cluster, with the cluster's versions of ray and Python"
    )


def _one_line(error: Exception) -> str:
    """Ray's messages can hold whole log files: what failed stands at their beginning, and why often at their end."""
    words = " ".join(str(error).split())
    if len(words) <= 2 * _SHOWN_CHARACTERS:
        return words
    return f"{words[:_SHOWN_CHARACTERS]} ... {words[-_SHOWN_CHARACTERS:]}"


def _check_reachable(address: str) -> None:
    """Ray tries for a minute and more; a wrong address should be told at once."""
    host, _, port = address.rpartition(":")
    if "://" in address:
        raise ClusterError(
            f"{address!r} is an address of Ray Client, through which pictures would travel twice; run the command on "
            "a machine of the cluster and give HOST:PORT, such as 10.0.0.1:6379, or auto"
        )
    if not host or not port.isdecimal() or int(port) > 0xFFFF:
        raise ClusterError(f"{address!r} is no address of a Ray cluster; give auto, local or HOST:PORT")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=_REACHED_WITHIN_S):
            return
    except OSError as error:
        raise ClusterError(
            f"nothing answers at {address} ({error.strerror or error}); `ray status` on the cluster's head shows "
            "whether it runs, and `ray start --head` prints its address"
        ) from error


def _measured(settings: ClusterSettings, *, is_local: bool) -> Cluster:
    import ray

    has: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    room = int(has.get("GPU", 0.0) / settings.gpus) if settings.gpus else int(has.get("CPU", 0.0))
    if settings.gpus and room < 1:
        raise ClusterError(
            f"a worker shall have {settings.gpus:g} GPUs, and the Ray cluster has {has.get('GPU', 0.0):g}; ask for less"
        )
    return Cluster(settings.workers or max(room, 1), settings.gpus, is_local)


def _store_bytes() -> int:
    """Half of what shared memory has room for, within reason: pictures pass through, they do not stay."""
    shared = Path("/dev/shm")  # noqa: S108 - where Linux keeps shared memory, not a temporary file
    free = shutil.disk_usage(shared).free if shared.is_dir() else _MOST_STORE_BYTES
    return max(_LEAST_STORE_BYTES, min(_MOST_STORE_BYTES, free // 2))


@contextmanager
def _own_signal_handlers() -> Iterator[None]:
    """Ray takes SIGTERM for itself when it starts; ending in order is our business."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
