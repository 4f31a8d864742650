"""When to call again and how long to wait: full-jitter back-off, Retry-After, one deadline for everything."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Protocol

import numpy as np

from ..errors import ModelError

__all__ = ["Clock", "Pause", "RetryPolicy", "SystemClock", "next_pause", "retry_after_s"]


class Clock(Protocol):
    """Time as the retry logic sees it, so that tests neither sleep nor wait."""

    def monotonic_s(self) -> float:
        """Seconds since some fixed moment, never going back."""
        ...

    def utc_now(self) -> datetime:
        """The date and time, aware, in UTC."""
        ...

    async def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """The real clock."""

    def monotonic_s(self) -> float:
        return time.monotonic()

    def utc_now(self) -> datetime:
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


@dataclass(frozen=True)
class RetryPolicy:
    """How patient to be.

    The defaults wait about half a minute in all on average, and a minute at most, which outlasts the one-minute
    windows over which servers count requests.

    Attributes:
        max_attempts: calls in all, the first included.
        backoff_base_s, backoff_cap_s: the k-th pause is drawn from [0, min(cap, base * 2**k)], k from 0.
        deadline_s: seconds for all calls and pauses together.
    """

    max_attempts: int = 8
    backoff_base_s: float = 0.5
    backoff_cap_s: float = 30.0
    deadline_s: float = 900.0

    def __post_init__(self) -> None:
        if self.max_attempts < 1:
            raise ModelError(f"max_attempts must be at least 1, got {self.max_attempts}")
        for name in ("backoff_base_s", "backoff_cap_s", "deadline_s"):
            value = getattr(self, name)
            if not math.isfinite(value) or value < 0:
                raise ModelError(f"{name} must be a finite number of seconds, 0 or more, got {value}")

    def backoff_bound_s(self, failures: int) -> float:
        """The longest pause after ``failures`` failed calls (1 or more)."""
        # ldexp cannot overflow here: beyond 2**60 the cap has long won.
        return min(self.backoff_cap_s, math.ldexp(self.backoff_base_s, min(failures - 1, 60)))


@dataclass(frozen=True)
class Pause:
    """What to do after a failed call: wait and try again, or give up and say why."""

    wait_s: float | None
    give_up: str = ""


def next_pause(
    policy: RetryPolicy, *, failures: int, elapsed_s: float, asked_s: float | None, rng: np.random.Generator
) -> Pause:
    """How long to wait before the next call.

    Full jitter (Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog, 2015): uniform between 0 and a bound
    that doubles, because clients that wait equally long come back together. When the server names a time the jitter
    goes on top of it, for the same reason: never earlier than asked.

    Args:
        failures: calls that failed so far, 1 or more.
        elapsed_s: seconds since the first call began.
        asked_s: what the server asked for (``retry_after_s``), None when it asked for nothing.
        rng: where the jitter is drawn from.
    """
    if failures >= policy.max_attempts:
        return Pause(None, f"gave up after {failures} {'attempt' if failures == 1 else 'attempts'}")
    jitter_s = float(rng.uniform(0.0, 1.0)) * policy.backoff_bound_s(failures)
    wait_s = jitter_s if asked_s is None else asked_s + min(jitter_s, policy.backoff_base_s)
    if elapsed_s + wait_s < policy.deadline_s:
        return Pause(wait_s)
    if asked_s is not None and elapsed_s + asked_s >= policy.deadline_s:
        reason = f"the server asks to wait {asked_s:g} s, beyond the deadline of {policy.deadline_s:g} s"
        return Pause(None, f"{reason}; try later or raise deadline_s")
    return Pause(None, f"the deadline of {policy.deadline_s:g} s is used up; raise deadline_s to wait longer")


def retry_after_s(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds that a server asks to wait, from ``retry-after-ms`` or ``retry-after`` (RFC 9110, section 10.2.3).

    Both forms of the latter are read: seconds and an HTTP date; a date in the past is 0. What makes no sense (text,
    negative, infinite) is as if it were not there.

    Args:
        headers: names in lower case.
        now: aware date and time.

    >>> retry_after_s({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, datetime(2015, 10, 21, 7, 27, tzinfo=UTC))
    60.0
    """
    milliseconds = _sane_seconds(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after", "").strip()
    seconds = _sane_seconds(text)
    if seconds is not None or not text:
        return seconds
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError):
        return None
    if moment.tzinfo is None:
        # "-0000" gives a naive date; HTTP dates are always in GMT.
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())


def _sane_seconds(text: str) -> float | None:
    try:
        value = float(text.strip())
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None
