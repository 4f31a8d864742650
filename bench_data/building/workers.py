"""Processes that make scenes side by side, each with one thread; what they say goes through pipes as JSON.

A worker ends with its parent, also when that is killed: a thread of it waits for the parent to be gone.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import traceback
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from multiprocessing import connection, get_context, parent_process
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from ..errors import BenchDataError, SeeworthyError
from .output import Output
from .scene_stage import SceneCache
from .scene_work import Finished, Stage, mark_numbers_for, stage_units
from .settings import BuildSettings, SceneSpec

__all__ = ["Workers"]

_PATIENCE_S = 5.0


class Workers:
    """A number of processes for the length of a ``with`` block; with one job all is done in this process.

    Args:
        settings: of the data set.
        root: its folder.
        jobs: how many.
    """

    def __init__(self, settings: BuildSettings, root: Path, jobs: int) -> None:
        self._settings = settings
        self._root = root
        self._jobs = jobs
        self._crew: list[tuple[BaseProcess, Connection]] = []
        self._here = SceneCache()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        for process, pipe in self._crew:
            process.terminate()
            pipe.close()
        for process, _pipe in self._crew:
            process.join(_PATIENCE_S)
            if process.is_alive():
                process.kill()
                process.join()
        self._crew.clear()

    def run(
        self, stage: Stage, specs: Sequence[SceneSpec], done: Mapping[str, Collection[str]], finished: Finished
    ) -> None:
        """See `SceneWorkers`.

        Raises:
            BenchDataError: a scene could not be made, or a process was ended.
        """
        if self._jobs == 1 or len(specs) <= 1:
            for spec in specs:
                _run_stage(stage, self._settings, self._root, spec, done.get(spec.id, ()), self._here, finished)
            return
        self._hire(min(self._jobs, len(specs)))
        waiting = deque(specs)
        busy: dict[Connection, SceneSpec] = {}
        idle = [pipe for _, pipe in self._crew]
        while waiting or busy:
            while waiting and idle:
                spec, pipe = waiting.popleft(), idle.pop()
                mine = sorted(done.get(spec.id, ()))
                self._send(pipe, {"stage": stage, "scene": spec.model_dump(mode="json"), "done": mine})
                busy[pipe] = spec
            for ready in connection.wait(list(busy)):
                if not isinstance(ready, Connection):
                    continue
                message = self._received(ready, busy[ready])
                if "unit" in message:
                    finished(str(message["unit"]), _files(message["files"]))
                elif "error" in message:
                    raise BenchDataError(f"scene {busy[ready].id}: {message['error']}")
                else:
                    del busy[ready]
                    idle.append(ready)

    def _hire(self, count: int) -> None:
        context = get_context("spawn")
        while len(self._crew) < count:
            ours, theirs = context.Pipe()
            process = context.Process(
                target=_work, args=(theirs, self._settings.model_dump_json(), str(self._root)), daemon=True
            )
            with _one_thread_each(), _deaf_to_interrupts():
                process.start()
            theirs.close()
            self._crew.append((process, ours))

    def _send(self, pipe: Connection, message: dict[str, object]) -> None:
        try:
            pipe.send_bytes(json.dumps(message).encode())
        except OSError as error:
            raise BenchDataError(f"a process of the build is gone ({error}); run the same command again") from error

    def _received(self, pipe: Connection, spec: SceneSpec) -> dict[str, object]:
        try:
            message: dict[str, object] = json.loads(pipe.recv_bytes())
        except (EOFError, OSError):
            process = next(one for one, own in self._crew if own is pipe)
            process.join(_PATIENCE_S)
            raise BenchDataError(
                f"the process that made scene {spec.id} was ended (exit code {process.exitcode}; -9 often means that "
                "memory ran out); run the same command again, with fewer --jobs"
            ) from None
        return message


def _run_stage(
    stage: Stage,
    settings: BuildSettings,
    root: Path,
    spec: SceneSpec,
    done: Collection[str],
    cache: SceneCache,
    finished: Finished,
) -> None:
    """One stage of one scene, in this process."""
    output = Output(root)
    numbers = mark_numbers_for(stage, settings, root, spec.id)
    for unit in stage_units(stage, settings, spec, numbers=numbers, done=done, cache=cache, output=output):
        finished(unit, output.taken())


def _files(value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        raise BenchDataError("a process of the build sent something else than files; run the same command again")
    return {str(name): str(sha256) for name, sha256 in value.items()}


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Libraries that a worker loads shall not start threads of their own: there is a worker for each core."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(dict.fromkeys(names, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Ctrl-C reaches all processes of a terminal; workers inherit to leave it to the parent, which ends them.

    It is held back, not ignored: one that comes in this very moment stops the parent at the end of the block.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(pipe: Connection, settings_json: str, root: str) -> None:
    """A worker's life."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    import cv2

    cv2.setNumThreads(1)
    settings = BuildSettings.model_validate_json(settings_json)
    cache = SceneCache()

    def say(message: dict[str, object]) -> None:
        pipe.send_bytes(json.dumps(message).encode())

    while True:
        try:
            task = json.loads(pipe.recv_bytes())
        except (EOFError, OSError):
            return
        spec = SceneSpec.model_validate(task["scene"])
        try:
            _run_stage(
                task["stage"],
                settings,
                Path(root),
                spec,
                frozenset(task["done"]),
                cache,
                lambda unit, files: say({"unit": unit, "files": files}),
            )
        except SeeworthyError as error:
            say({"error": str(error)})
        except Exception as error:  # noqa: BLE001 - whatever it was, the parent must hear of it and stop
            traceback.print_exc(file=sys.stderr)
            say({"error": f"{type(error).__name__}: {error}"})
        else:
            say({"done": spec.id})


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
