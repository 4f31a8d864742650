"""Gathering single calls into batches on one worker thread, and halving a batch that fails.

Nothing here knows about models: items go in, results come out, in any event loop.
"""

from __future__ import annotations

import asyncio
import atexit
import threading
import time
import weakref
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

from ..errors import ModelError

__all__ = ["BatchWorker", "Job", "run_halving"]

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")

_LAST_WAIT_S = 5.0


@dataclass(eq=False)
class Job(Generic[ItemT, ResultT]):
    """One call that waits for its result.

    Attributes:
        abandoned: set when the caller was cancelled while the job ran; work on it may stop.
    """

    item: ItemT
    key: Hashable
    future: Future[ResultT] = field(default_factory=Future)
    abandoned: threading.Event = field(default_factory=threading.Event)


class BatchWorker(Generic[ItemT, ResultT]):
    """Runs items in batches on a thread of its own, so that no event loop is ever blocked.

    The oldest waiting item decides what a batch is made of: it takes along the items with the same key, in the order
    of their arrival, so no item can starve. Cancelled items are dropped before they run.

    Args:
        run: gets the jobs of one batch, returns one result for each. An exception reaches every caller of the batch.
        key: only items with equal keys share a batch.
        max_size: items in a batch at most.
        max_wait_s: how long the oldest item waits for company.
        name: of the thread, for debuggers.
    """

    def __init__(
        self,
        run: Callable[[Sequence[Job[ItemT, ResultT]]], Sequence[ResultT]],
        *,
        key: Callable[[ItemT], Hashable],
        max_size: int,
        max_wait_s: float,
        name: str,
    ) -> None:
        if max_size < 1 or not 0 <= max_wait_s < float("inf"):
            raise ModelError(f"a batch needs size >= 1 and a finite wait >= 0 s, got {max_size} and {max_wait_s}")
        self._inbox: SimpleQueue[Job[ItemT, ResultT] | None] = SimpleQueue()
        self._gatherer = _Gatherer(self._inbox, max_size, max_wait_s)
        self._run = run
        self._key = key
        self._name = name
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        # The thread must not hold this object, or a forgotten worker would live for ever.
        self._stop = weakref.finalize(self, self._inbox.put, None)

    async def submit(self, item: ItemT) -> ResultT:
        """The result for ``item``; cancelling the caller abandons the item.

        Raises:
            ModelError: the worker was closed.
        """
        job: Job[ItemT, ResultT] = Job(item, self._key(item))
        with self._lock:
            # Under the lock, so that no job can slip in behind the end mark.
            self._ensure_thread()
            self._inbox.put(job)
        try:
            return await asyncio.wrap_future(job.future)
        except asyncio.CancelledError:
            job.abandoned.set()
            raise

    def close(self) -> None:
        """Lets the thread end after what already waits; later calls are refused."""
        with self._lock:
            self._stop()

    def _ensure_thread(self) -> None:
        if not self._stop.alive:
            raise ModelError(f"{self._name} is closed; build the model again")
        if self._thread is None:
            self._thread = threading.Thread(
                target=_work, args=(self._gatherer, self._run), name=self._name, daemon=True
            )
            _THREADS[self._thread] = self._inbox
            self._thread.start()


_THREADS: weakref.WeakKeyDictionary[threading.Thread, SimpleQueue[Job[Any, Any] | None]] = weakref.WeakKeyDictionary()


@atexit.register
def _end_threads() -> None:
    """A thread that ends while the interpreter is being taken down takes the process with it if torch has run on it."""
    threads = dict(_THREADS)
    for inbox in threads.values():
        inbox.put(None)
    for thread in threads:
        thread.join(_LAST_WAIT_S)


class _Gatherer(Generic[ItemT, ResultT]):
    """Draws batches from an inbox, which None closes; used by the worker thread alone."""

    def __init__(self, inbox: SimpleQueue[Job[ItemT, ResultT] | None], max_size: int, max_wait_s: float) -> None:
        self._inbox = inbox
        self._max_size = max_size
        self._max_wait_s = max_wait_s
        self._waiting: list[Job[ItemT, ResultT]] = []
        self._closed = False

    def next_batch(self) -> list[Job[ItemT, ResultT]]:
        """The next jobs that still have a caller; empty when the inbox was closed and nothing waits."""
        while True:
            if not self._waiting and not self._closed:
                self._receive(None)
            if not self._waiting:
                return []
            self._wait_for_company()
            live = [job for job in self._take() if job.future.set_running_or_notify_cancel()]
            if live:
                return live

    def _wait_for_company(self) -> None:
        head = self._waiting[0].key
        company = sum(job.key == head for job in self._waiting)
        deadline = time.monotonic() + self._max_wait_s
        while company < self._max_size and not self._closed:
            try:
                job = self._receive(max(0.0, deadline - time.monotonic()))
            except Empty:
                return
            company += job is not None and job.key == head

    def _receive(self, timeout_s: float | None) -> Job[ItemT, ResultT] | None:
        job = self._inbox.get(timeout=timeout_s)
        if job is None:
            self._closed = True
        else:
            self._waiting.append(job)
        return job

    def _take(self) -> list[Job[ItemT, ResultT]]:
        head = self._waiting[0].key
        taken = [job for job in self._waiting if job.key == head][: self._max_size]
        self._waiting = [job for job in self._waiting if job not in taken]
        return taken


def _work(
    gatherer: _Gatherer[ItemT, ResultT], run: Callable[[Sequence[Job[ItemT, ResultT]]], Sequence[ResultT]]
) -> None:
    while batch := gatherer.next_batch():
        try:
            results = run(batch)
            if len(results) != len(batch):
                raise ModelError(f"a batch of {len(batch)} gave {len(results)} results")
        except BaseException as error:  # noqa: BLE001 - the thread must live on; every caller gets the exception
            # A StopIteration can never leave a future.
            failure = RuntimeError(f"StopIteration: {error}") if isinstance(error, StopIteration) else error
            for job in batch:
                job.future.set_exception(failure)
            continue
        for job, result in zip(batch, results, strict=True):
            job.future.set_result(result)
        # A waiting thread must not keep the last batch (pictures, results) alive.
        del results, job, result
        batch = []


def run_halving(
    run: Callable[[Sequence[ItemT]], Sequence[ResultT]],
    items: Sequence[ItemT],
    *,
    single_failure: Callable[[ItemT, Exception], ResultT],
    before_retry: Callable[[Exception], None] = lambda error: None,
) -> list[ResultT]:
    """Runs a batch; one that fails is split in two until the items that fail stand alone.

    Args:
        run: one result for each item, or an exception for the whole batch.
        items: at least one.
        single_failure: turns the exception of an item that fails on its own into its result.
        before_retry: called with each failure, when the failed attempt holds no more memory.

    Returns:
        One result for each item, in order.
    """
    try:
        return list(run(items))
    except Exception as error:  # noqa: BLE001 - whatever it was, it is retried smaller and reported in the end
        failure = _without_frames(error)
    before_retry(failure)
    if len(items) == 1:
        return [single_failure(items[0], failure)]
    middle = len(items) // 2
    return [
        result
        for half in (items[:middle], items[middle:])
        for result in run_halving(run, half, single_failure=single_failure, before_retry=before_retry)
    ]


def _without_frames(error: Exception) -> Exception:
    """Tracebacks hold the frames of the failed attempt, and those hold its arrays."""
    link: BaseException | None = error
    while link is not None:
        link.__traceback__ = None
        link = link.__cause__ or link.__context__
    return error
