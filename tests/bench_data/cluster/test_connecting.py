"""Connecting: what is refused, in which words; and that Ray stays unloaded until somebody asks for it."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from seeworthy.bench_data.cluster import ClusterSettings, connected
from seeworthy.bench_data.cluster.connecting import start_local
from seeworthy.bench_data.cluster.quiet import quiet_ray
from seeworthy.bench_data.errors import ClusterError
from tests.tools.models.fault_server import unused_port


@pytest.fixture
def no_cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As in a process that is not connected."""
    ray = pytest.importorskip("ray", reason="needs ray: pip install 'seeworthy[ray]'")
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    yield


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"address": " "}, "is empty"),
        ({"workers": 0}, "at least 1 worker"),
        ({"gpus": -1.0}, "0 or more"),
        ({"gpus": float("nan")}, "0 or more"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, object], words: str) -> None:
    with pytest.raises(ClusterError, match=words):
        ClusterSettings(**settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("ray://127.0.0.1:10001", r"is an address of Ray Client.*HOST:PORT, such as 10\.0\.0\.1:6379"),
        ("127.0.0.1", "is no address of a Ray cluster; give auto, local or HOST:PORT"),
        ("127.0.0.1:port", "is no address"),
        ("127.0.0.1:99999", "is no address"),
        (":6379", "is no address"),
        ("127.0.0.1:{free}", r"nothing answers at 127\.0\.0\.1:\d+ \(Connection refused\); `ray status`"),
    ],
)
@pytest.mark.usefixtures("no_cluster")
def test_wrong_addresses_are_told_at_once(address: str, words: str) -> None:
    with (
        pytest.raises(ClusterError, match=words),
        connected(ClusterSettings(address=address.format(free=unused_port()))),
    ):
        pytest.fail("connected to nothing")


@pytest.mark.usefixtures("no_cluster")
def test_the_environment_s_address_is_looked_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", f"127.0.0.1:{unused_port()}")
    with pytest.raises(ClusterError, match="nothing answers at"), connected(ClusterSettings()):
        pytest.fail("connected to nothing")


def test_without_ray_the_hint_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ClusterError, match=r"pip install 'seeworthy\[ray\]'"), connected(ClusterSettings()):
        pytest.fail("connected without Ray")


@pytest.mark.xdist_group("ray")
@pytest.mark.usefixtures("ray_cluster")
def test_a_connection_that_is_there_is_used_and_kept() -> None:
    import ray

    with connected(ClusterSettings(workers=3)) as cluster:
        assert (cluster.workers, cluster.is_local) == (3, False)
    with connected(ClusterSettings()) as cluster:
        assert cluster.workers == 4
    with pytest.raises(ClusterError, match="connected to a Ray cluster already"):
        connected(ClusterSettings(address="local")).__enter__()
    with pytest.raises(ClusterError, match="shall have 1 GPUs, and the Ray cluster has 0"):
        connected(ClusterSettings(gpus=1)).__enter__()
    assert ray.is_initialized()


def test_ray_is_not_loaded_before_it_is_asked_for() -> None:
    code = (
        "import sys, seeworthy.agent.cli.bench, seeworthy.agent.cli.data.build, seeworthy.bench_data.building, "
        "seeworthy.diagnostics.runs.cluster; sys.exit('ray' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=120).returncode == 0


def test_what_rays_threads_print_is_dropped_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    with quiet_ray():
        for name in ("ray_listen_error_messages", "somebody"):
            thread = threading.Thread(target=print, args=(f"from {name}",), name=name)
            thread.start()
            thread.join()
        print("from here")
        print("and here", file=sys.stderr)
    said = capsys.readouterr()
    assert (said.out, said.err) == ("from somebody\nfrom here\n", "and here\n")


def test_of_a_long_message_both_ends_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = pytest.importorskip("ray", reason="needs ray: pip install 'seeworthy[ray]'")

    def fail(**settings: object) -> None:
        raise RuntimeError("The raylet did not start.\n" + "a line of its log\n" * 500 + "bind: address already in use")

    monkeypatch.setattr(ray, "init", fail)
    monkeypatch.setattr(ray, "shutdown", lambda: None)
    with pytest.raises(
        ClusterError, match=r"The raylet did not start\..* \.\.\. .*bind: address already in use$"
    ) as told:
        start_local(1)
    assert len(str(told.value)) < 500
