"""The batch worker loses nothing, mixes nothing up and blocks nothing, whatever its users do."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seeworthy.tools.errors import ModelError
from seeworthy.tools.models.batching import BatchWorker, Job, run_halving

IntJobs = Sequence[Job[int, int]]


class Recorder:
    """Doubles numbers; remembers the batches it got."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.gate = threading.Event()
        self.gate.set()
        self.entered = threading.Event()

    def __call__(self, jobs: IntJobs) -> list[int]:
        self.batches.append([job.item for job in jobs])
        self.entered.set()
        self.gate.wait(timeout=30)
        return [2 * job.item for job in jobs]


def worker(run: Recorder, *, max_size: int = 4, max_wait_s: float = 0.05, modulus: int = 1) -> BatchWorker[int, int]:
    return BatchWorker(run, key=lambda item: item % modulus, max_size=max_size, max_wait_s=max_wait_s, name="test")


async def enter(run: Recorder) -> None:
    await asyncio.to_thread(run.entered.wait, 30)


@settings(max_examples=25, deadline=None)
@given(
    items=st.lists(st.integers(-50, 50), max_size=30),
    max_size=st.integers(1, 5),
    modulus=st.integers(1, 3),
)
def test_every_item_gets_its_own_result_and_batches_hold_one_key(items: list[int], max_size: int, modulus: int) -> None:
    run = Recorder()
    subject = worker(run, max_size=max_size, max_wait_s=0.0, modulus=modulus)

    async def go() -> list[int]:
        return await asyncio.gather(*(subject.submit(item) for item in items))

    assert asyncio.run(go()) == [2 * item for item in items]
    subject.close()
    assert sorted(item for batch in run.batches for item in batch) == sorted(items)
    for batch in run.batches:
        assert len(batch) <= max_size
        assert len({item % modulus for item in batch}) == 1


async def test_concurrent_items_share_a_batch_up_to_its_size() -> None:
    run = Recorder()
    subject = worker(run, max_size=3, max_wait_s=5.0)
    results = await asyncio.gather(*(subject.submit(item) for item in range(6)))
    assert results == [0, 2, 4, 6, 8, 10]
    # A full batch does not wait for the time limit, and order is kept.
    assert run.batches == [[0, 1, 2], [3, 4, 5]]


async def test_a_lone_item_does_not_wait_for_ever() -> None:
    run = Recorder()
    assert await asyncio.wait_for(worker(run, max_size=100, max_wait_s=0.01).submit(21), 30) == 42


async def test_a_rare_key_is_not_starved() -> None:
    run = Recorder()
    run.gate.clear()
    subject = worker(run, max_size=2, max_wait_s=0.0, modulus=10)
    first = asyncio.ensure_future(subject.submit(0))
    await enter(run)
    waiting = [asyncio.ensure_future(subject.submit(item)) for item in (10, 7, 20, 30, 40)]
    await asyncio.sleep(0)
    run.gate.set()
    await asyncio.gather(first, *waiting)
    # 7 came second of those that waited, so only the batch of the first may run before it.
    assert run.batches == [[0], [10, 20], [7], [30, 40]]


async def test_a_cancelled_item_that_waits_is_never_run() -> None:
    run = Recorder()
    run.gate.clear()
    subject = worker(run, max_size=1, max_wait_s=0.0)
    first = asyncio.ensure_future(subject.submit(1))
    await enter(run)
    second, third = asyncio.ensure_future(subject.submit(2)), asyncio.ensure_future(subject.submit(3))
    await asyncio.sleep(0)
    second.cancel()
    with pytest.raises(asyncio.CancelledError):
        await second
    run.gate.set()
    assert await asyncio.gather(first, third) == [2, 6]
    assert run.batches == [[1], [3]]


async def test_a_cancelled_item_that_runs_is_marked_abandoned_and_its_company_is_served() -> None:
    seen: list[bool] = []
    entered, gate = threading.Event(), threading.Event()

    def run(jobs: IntJobs) -> list[int]:
        entered.set()
        gate.wait(timeout=30)
        seen.extend(job.abandoned.is_set() for job in jobs)
        return [2 * job.item for job in jobs]

    subject = BatchWorker(run, key=lambda item: 0, max_size=2, max_wait_s=5.0, name="test")
    first, second = asyncio.ensure_future(subject.submit(1)), asyncio.ensure_future(subject.submit(2))
    await asyncio.to_thread(entered.wait, 30)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    gate.set()
    assert await second == 4
    assert seen == [True, False]


async def test_an_exception_reaches_every_caller_of_the_batch_and_the_worker_goes_on() -> None:
    def run(jobs: IntJobs) -> list[int]:
        if any(job.item < 0 for job in jobs):
            raise ZeroDivisionError("below zero")
        return [job.item for job in jobs]

    subject = BatchWorker(run, key=lambda item: 0, max_size=2, max_wait_s=5.0, name="test")
    results = await asyncio.gather(subject.submit(-1), subject.submit(5), return_exceptions=True)
    assert [type(result) for result in results] == [ZeroDivisionError, ZeroDivisionError]
    assert await asyncio.gather(subject.submit(1), subject.submit(2)) == [1, 2]


async def test_a_stop_iteration_does_not_hang_the_caller() -> None:
    def run(jobs: IntJobs) -> list[int]:
        return [next(iter(()))]

    subject = BatchWorker(run, key=lambda item: 0, max_size=1, max_wait_s=0.0, name="test")
    with pytest.raises(RuntimeError, match="StopIteration"):
        await asyncio.wait_for(subject.submit(1), 30)


async def test_a_wrong_number_of_results_is_an_error_and_not_a_mix_up() -> None:
    subject: BatchWorker[int, int] = BatchWorker(
        lambda jobs: [1], key=lambda item: 0, max_size=2, max_wait_s=5.0, name="test"
    )
    results = await asyncio.gather(subject.submit(1), subject.submit(2), return_exceptions=True)
    assert all(isinstance(result, ModelError) for result in results)


def test_it_serves_one_event_loop_after_another_and_several_at_once() -> None:
    subject = worker(Recorder(), max_size=2)
    for item in range(3):
        assert asyncio.run(subject.submit(item)) == 2 * item
    results: list[int] = []
    threads = [threading.Thread(target=lambda i=i: results.append(asyncio.run(subject.submit(i)))) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [0, 2, 4, 6]


def test_a_loop_that_ended_before_the_result_does_no_harm() -> None:
    run = Recorder()
    run.gate.clear()
    subject = worker(run, max_size=1)

    async def give_up() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(subject.submit(1), 0.05)

    asyncio.run(give_up())
    run.gate.set()
    assert asyncio.run(subject.submit(4)) == 8


def test_a_closed_worker_finishes_what_waits_and_refuses_more() -> None:
    run = Recorder()
    run.gate.clear()
    subject = worker(run, max_size=1)

    async def go() -> None:
        tasks = [asyncio.ensure_future(subject.submit(item)) for item in range(3)]
        await enter(run)
        subject.close()
        subject.close()
        run.gate.set()
        assert await asyncio.gather(*tasks) == [0, 2, 4]
        with pytest.raises(ModelError, match="closed"):
            await subject.submit(9)

    asyncio.run(go())


def test_a_forgotten_worker_ends_its_thread() -> None:
    subject = worker(Recorder())
    asyncio.run(subject.submit(1))
    thread = subject._thread
    assert thread is not None
    reference = weakref.ref(subject)
    del subject
    gc.collect()
    assert reference() is None
    thread.join(timeout=30)
    assert not thread.is_alive()


@pytest.mark.parametrize(("size", "wait_s"), [(0, 0.1), (-1, 0.1), (1, -0.1), (1, float("inf")), (1, float("nan"))])
def test_senseless_limits_are_refused(size: int, wait_s: float) -> None:
    with pytest.raises(ModelError, match="batch"):
        worker(Recorder(), max_size=size, max_wait_s=wait_s)


class TestHalving:
    @settings(max_examples=50, deadline=None)
    @given(items=st.lists(st.integers(0, 9), min_size=1, max_size=17), capacity=st.integers(1, 9))
    def test_only_items_that_fail_alone_fail(self, items: list[int], capacity: int) -> None:
        sizes: list[int] = []

        def run(batch: Sequence[int]) -> list[int]:
            sizes.append(len(batch))
            if len(batch) > capacity or 0 in batch:
                raise MemoryError(len(batch))
            return [10 * item for item in batch]

        results = run_halving(run, items, single_failure=lambda item, error: -1)
        assert results == [-1 if item == 0 else 10 * item for item in items]
        # A binary tree over n leaves has 2n - 1 nodes: the number of attempts is bounded.
        assert len(sizes) <= 2 * len(items) - 1

    def test_a_batch_that_works_runs_once(self) -> None:
        calls: list[int] = []
        run_halving(lambda batch: calls.append(len(batch)) or list(batch), [1, 2, 3], single_failure=lambda i, e: -1)
        assert calls == [3]

    def test_the_failed_attempt_is_gone_before_the_next(self) -> None:
        class Big:
            pass

        alive: list[weakref.ref[Big]] = []
        leaks: list[int] = []

        def run(batch: Sequence[int]) -> list[int]:
            big = Big()
            alive.append(weakref.ref(big))
            if len(batch) > 1:
                try:
                    raise MemoryError("inner")
                except MemoryError as error:
                    raise RuntimeError("outer") from error
            return list(batch)

        def before_retry(error: Exception) -> None:
            # Without a garbage collection: nothing may keep the attempt in a cycle.
            leaks.append(sum(reference() is not None for reference in alive))

        run_halving(run, [1, 2, 3, 4], single_failure=lambda item, error: -1, before_retry=before_retry)
        assert leaks == [0, 0, 0]

    def test_a_keyboard_interrupt_is_not_swallowed(self) -> None:
        def run(batch: Sequence[int]) -> list[int]:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            run_halving(run, [1, 2], single_failure=lambda item, error: -1)
