"""A real OpenAI-compatible server on this machine, for trying things out and for tests."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import weakref
from pathlib import Path
from types import TracebackType
from typing import Self

from ..errors import ModelError
from .extras import is_installed, require_transformers

__all__ = ["LocalServer"]

_POLL_S = 0.1
_STOP_S = 5.0
_LOG_TAIL_LINES = 15
_START_TRIES = 3
# What the system says when somebody else took the port between our choice and the server's.
_PORT_TAKEN = "address already in use"


class LocalServer:
    """``transformers serve`` with one model folder, as a context manager.

    The server listens on loopback only, never asks the hub, and ends, with its children, when the context does.

    Args:
        directory: a model folder with a chat template.
        device: for the model.
        start_within_s: loading included.

    Attributes:
        directory: as an absolute path, which is also the model's name at the server.

    Example:
        ``with LocalServer(folder) as server: model = resolve_model(server.model_name)``
    """

    def __init__(self, directory: Path, *, device: str = "cpu", start_within_s: float = 180.0) -> None:
        self.directory = Path(directory).expanduser().resolve()
        self._device = device
        self._start_within_s = start_within_s
        self._port = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._log_path: Path | None = None
        self._cleanup: weakref.finalize[[subprocess.Popen[bytes], Path], LocalServer] | None = None

    def __enter__(self) -> Self:
        """Starts the server and waits until it answers.

        Raises:
            ModelError: a package is missing, the folder is no model, or the server did not come up; the message holds
                the end of its log.
        """
        require_transformers()
        missing = [package for package in ("fastapi", "uvicorn") if not is_installed(package)]
        if missing:
            raise ModelError(f"a local server needs {' and '.join(missing)}; run: pip install 'transformers[serving]'")
        if not (self.directory / "config.json").is_file():
            raise ModelError(f"cannot serve {self.directory}: it has no config.json; name a model folder")
        if self._process is not None:
            raise ModelError(f"the server of {self.directory} is already running; use one object for one server")
        try:
            self._start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def base_url(self) -> str:
        """``http://127.0.0.1:PORT/v1``."""
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def model_name(self) -> str:
        """For ``resolve_model``: ``openai/DIRECTORY@BASE_URL``."""
        return f"openai/{self.directory}@{self.base_url}"

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def log(self) -> str:
        """All that the server has written so far; "" before the start and after the end."""
        if self._log_path is None or not self._log_path.exists():
            return ""
        return self._log_path.read_text(encoding="utf-8", errors="replace")

    def stop(self) -> None:
        """Ends the server; does nothing when it is not running."""
        if self._cleanup is not None:
            self._cleanup()
        self._process = self._log_path = self._cleanup = None

    def _start(self) -> None:
        for tries_left in reversed(range(_START_TRIES)):
            self._launch()
            failure = self._wait_until_healthy()
            if failure is None:
                return
            log = self.log()
            self.stop()
            if not tries_left or _PORT_TAKEN not in log.lower():
                tail = "\n".join(log.splitlines()[-_LOG_TAIL_LINES:])
                raise ModelError(f"transformers serve {self.directory} {failure}; the end of its log:\n{tail}")

    def _launch(self) -> None:
        self._port = _free_port()
        descriptor, log_name = tempfile.mkstemp(prefix="seeworthy-server-", suffix=".log")
        self._log_path = Path(log_name)
        command = [
            *(sys.executable, "-m", "transformers.cli.transformers", "serve", str(self.directory)),
            *("--host", "127.0.0.1", "--port", str(self._port), "--device", self._device),
        ]
        offline = {"HF_HUB_OFFLINE": "1", "PYTHONUNBUFFERED": "1", "TOKENIZERS_PARALLELISM": "false"}
        with os.fdopen(descriptor, "wb") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, **offline},
                start_new_session=True,
            )
        self._cleanup = weakref.finalize(self, _end, self._process, self._log_path)

    def _wait_until_healthy(self) -> str | None:
        """None when the server answers, else what went wrong."""
        deadline = time.monotonic() + self._start_within_s
        while time.monotonic() < deadline:
            if not self.is_running:
                code = self._process.returncode if self._process is not None else None
                return f"ended with exit code {code} instead of answering"
            if _is_healthy(f"http://127.0.0.1:{self._port}/health"):
                return None
            time.sleep(_POLL_S)
        return f"did not answer within {self._start_within_s:g} s"


def _free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _is_healthy(url: str) -> bool:
    # A proxy from the environment must never be asked for loopback.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=2.0) as response:
            return int(response.status) == 200
    except (urllib.error.URLError, OSError):
        return False


def _end(process: subprocess.Popen[bytes], log_path: Path) -> None:
    """Ends the whole process group, politely first, and removes the log."""
    _signal_group(process, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=_STOP_S)
    # Also after a polite end: children may have been left behind.
    _signal_group(process, getattr(signal, "SIGKILL", signal.SIGTERM))
    process.wait()
    log_path.unlink(missing_ok=True)


def _signal_group(process: subprocess.Popen[bytes], signal_number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal_number)
        else:
            process.send_signal(signal_number)
