"""The options of commands that can work on a Ray cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from .common import UsageError, say

if TYPE_CHECKING:
    from ...bench_data.cluster import Cluster

__all__ = ["GPUS_HELP", "RAY_HELP", "cluster_for"]

RAY_HELP: Final = "Work on a Ray cluster: auto, local or HOST:PORT."
GPUS_HELP: Final = "Of each worker of the Ray cluster; 0.5 shares one."


@contextmanager
def cluster_for(address: str | None, *, workers: int | None, gpus: float) -> Iterator[Cluster | None]:
    """The cluster that ``--ray`` names, for the length of the block; None without ``--ray``.

    Raises:
        UsageError: options of a cluster, and none is named.
        ClusterError: there is none at this address.
    """
    if address is None:
        if gpus:
            raise UsageError("--gpus is of the workers of a Ray cluster; name one with --ray, or leave it out")
        yield None
        return
    from ...bench_data.cluster import ClusterSettings, connected

    if address == "local":
        say("starting Ray on this machine")
    with connected(ClusterSettings(address=address, workers=workers, gpus=gpus)) as cluster:
        of_them = "worker" if cluster.workers == 1 else "workers"
        say(f"the Ray cluster has {cluster.workers} {of_them} for this")
        yield cluster
