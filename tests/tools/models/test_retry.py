import math
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seeworthy.tools.errors import ModelError
from seeworthy.tools.models.retry import Pause, RetryPolicy, SystemClock, next_pause, retry_after_s

NOW = datetime(2030, 1, 1, 12, 0, tzinfo=UTC)


def pause(
    policy: RetryPolicy, *, failures: int = 1, elapsed_s: float = 0.0, asked_s: float | None = None, seed: int = 0
):
    rng = np.random.default_rng(seed)
    return next_pause(policy, failures=failures, elapsed_s=elapsed_s, asked_s=asked_s, rng=rng)


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 0 "}, 0.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "Tue, 01 Jan 2030 12:01:30 GMT"}, 90.0),
        ({"retry-after": "Tuesday, 01-Jan-30 12:01:30 GMT"}, 90.0),
        ({"retry-after": "Tue Jan  1 12:01:30 2030"}, 90.0),
        ({"retry-after": "Tue, 01 Jan 2030 13:01:30 +0100"}, 90.0),
        ({"retry-after": "Tue, 01 Jan 2030 12:01:30 -0000"}, 90.0),
        ({"retry-after": "Tue, 01 Jan 2030 11:00:00 GMT"}, 0.0),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Tue, 99 Jan 2030 12:01:30 GMT"}, None),
        ({"retry-after": ""}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read_in_all_its_forms(headers, expected):
    assert retry_after_s(headers, NOW) == expected


@given(st.integers(0, 10**6))
def test_both_forms_of_retry_after_say_the_same(seconds):
    date = format_datetime(NOW + timedelta(seconds=seconds), usegmt=True)
    assert retry_after_s({"retry-after": date}, NOW) == retry_after_s({"retry-after": str(seconds)}, NOW) == seconds


@given(st.text())
def test_any_header_text_is_a_sane_time_or_nothing(text):
    seconds = retry_after_s({"retry-after": text, "retry-after-ms": text}, NOW)
    assert seconds is None or (math.isfinite(seconds) and seconds >= 0)


@given(
    failures=st.integers(1, 2000),
    base=st.floats(0, 100),
    cap=st.floats(0, 1000),
    seed=st.integers(0, 2**32),
)
def test_full_jitter_stays_within_its_bound(failures, base, cap, seed):
    policy = RetryPolicy(max_attempts=10**4, backoff_base_s=base, backoff_cap_s=cap, deadline_s=1e9)
    wait_s = pause(policy, failures=failures, seed=seed).wait_s
    bound = min(cap, base * 2.0 ** min(failures - 1, 900))
    assert wait_s is not None
    assert 0 <= wait_s <= bound or math.isclose(wait_s, bound)


@given(asked_s=st.floats(0, 1e5), failures=st.integers(1, 20), seed=st.integers(0, 2**32))
def test_the_server_is_never_called_earlier_than_it_asked(asked_s, failures, seed):
    policy = RetryPolicy(max_attempts=100, deadline_s=1e9)
    wait_s = pause(policy, failures=failures, asked_s=asked_s, seed=seed).wait_s
    assert wait_s is not None
    assert asked_s <= wait_s <= asked_s + policy.backoff_base_s


def test_jitter_fills_the_whole_range():
    policy = RetryPolicy(max_attempts=10, backoff_base_s=1.0, backoff_cap_s=100.0)
    waits = [pause(policy, failures=4, seed=seed).wait_s for seed in range(400)]
    # Uniform on [0, 8]: the mean of 400 draws has a standard error of 0.12.
    assert abs(np.mean(waits) - 4.0) < 0.5
    assert min(waits) < 0.2
    assert max(waits) > 7.8


def test_the_same_generator_gives_the_same_pauses():
    assert pause(RetryPolicy(), failures=3, seed=5) == pause(RetryPolicy(), failures=3, seed=5)


def test_attempts_end():
    assert pause(RetryPolicy(max_attempts=3), failures=2).wait_s is not None
    assert pause(RetryPolicy(max_attempts=3), failures=3) == Pause(None, "gave up after 3 attempts")
    assert pause(RetryPolicy(max_attempts=1), failures=1) == Pause(None, "gave up after 1 attempt")


def test_the_deadline_ends_it_too():
    policy = RetryPolicy(max_attempts=100, deadline_s=60)
    assert pause(policy, elapsed_s=59.999, failures=50).wait_s is None
    asked = pause(policy, elapsed_s=1, asked_s=3600)
    assert asked.wait_s is None
    assert "wait 3600 s" in asked.give_up
    assert "deadline_s" in asked.give_up


@pytest.mark.parametrize("bad", [{"max_attempts": 0}, {"deadline_s": math.nan}, {"backoff_base_s": -1.0}])
def test_a_policy_without_sense_is_refused(bad):
    with pytest.raises(ModelError, match=next(iter(bad))):
        RetryPolicy(**bad)


async def test_the_real_clock_moves_forward_and_is_aware():
    clock = SystemClock()
    before = clock.monotonic_s()
    await clock.sleep(0.001)
    assert clock.monotonic_s() > before
    assert clock.utc_now().utcoffset() == timedelta(0)
