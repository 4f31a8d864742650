"""One reply from start to end: fit the pictures, call, learn, wait, call again, or give up and say why."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from ..image_fitting import FittedImage, ImageFitError, ImageLimits, OversizePolicy, fit_images
from ..protocol import Fault, FaultKind, Request
from ..retry import Clock, RetryPolicy, next_pause, retry_after_s
from .answers import Answer
from .connections import HttpAnswer, post_chat
from .payload import Payload, build_payload
from .quirks import TOKEN_PARAMETERS, Quirks
from .server_errors import Remedy
from .settings import OpenAIChatOptions, TokenParameter
from .verdicts import Failure, read_exchange

if TYPE_CHECKING:
    from openai import AsyncOpenAI

__all__ = ["Asker", "Trail"]

_REFITS = (0.5, 0.25)
"""Each refit halves the sides: a quarter of the bytes leaves no doubt whether size was the trouble."""


@dataclass
class Trail:
    """What happened on the way to one reply."""

    began_s: float
    attempts: int = 0
    failed: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    renamed_budget: bool = False


class Asker:
    """Asks one server and remembers what it does not take.

    Attributes:
        quirks: what the user stated, and what the server has refused since.
    """

    def __init__(
        self,
        *,
        model: str,
        base_url: str,
        options: OpenAIChatOptions,
        clock: Clock,
        rng: np.random.Generator,
    ) -> None:
        self.quirks = Quirks.stated(options)
        self._model = model
        self._base_url = base_url
        self._options = options
        self._clock = clock
        self._rng = rng
        self._policy = RetryPolicy(
            max_attempts=options.max_attempts,
            backoff_base_s=options.backoff_base_s,
            backoff_cap_s=options.backoff_cap_s,
            deadline_s=options.deadline_s,
        )
        self._limits = ImageLimits(
            max_side_px=options.max_image_side_px,
            max_base64_bytes=options.max_image_base64_bytes,
            policy=options.oversize_policy,
        )

    async def ask(
        self, client: AsyncOpenAI, request: Request, trail: Trail
    ) -> tuple[Answer | Failure, tuple[FittedImage, ...]]:
        """The outcome, and the pictures as they were sent last.

        Pictures go out as large as the limits allow. When the server finds them too large they are sent smaller, at
        most twice, and never the same again.
        """
        fitted: tuple[FittedImage, ...] = ()
        try:
            fitted = await self._fit(request, 1.0)
            outcome = await self._call(client, request, fitted, trail)
            for shrink in _REFITS:
                if isinstance(outcome, Answer) or outcome.remedy is not Remedy.SHRINK:
                    break
                if self._limits.policy is OversizePolicy.REFUSE:
                    return outcome.adding("the policy 'refuse' forbids smaller pictures"), fitted
                smaller = await self._fit(request, shrink)
                if [image.sent.sent_size for image in smaller] == [image.sent.sent_size for image in fitted]:
                    break
                fitted = smaller
                trail.notes.append(f"{outcome.short}: the pictures were sent again at {shrink:g} of their size")
                outcome = await self._call(client, request, fitted, trail)
        except ImageFitError as error:
            return Failure(Fault(kind=FaultKind.TOO_LARGE, message=str(error), retryable=False)), fitted
        return outcome, fitted

    async def _fit(self, request: Request, shrink: float) -> tuple[FittedImage, ...]:
        if not request.pictures:
            return ()
        # In a thread: encoding a large picture takes seconds, and the loop has other calls to serve.
        return await asyncio.to_thread(fit_images, request.pictures, self._limits, shrink=shrink)

    async def _call(
        self, client: AsyncOpenAI, request: Request, fitted: tuple[FittedImage, ...], trail: Trail
    ) -> Answer | Failure:
        """Calls until there is an answer, or a failure that waiting cannot help."""
        while True:
            payload = build_payload(request, fitted, self.quirks, self._options)
            left_s = self._policy.deadline_s - self._elapsed_s(trail)
            timeout_s = min(self._options.timeout_s, max(left_s, 0.0))
            trail.attempts += 1
            came = await post_chat(client, self._model, payload, timeout_s=timeout_s)
            outcome = read_exchange(
                came,
                base_url=self._base_url,
                image_bytes=payload.image_bytes,
                max_tokens=request.settings.max_tokens,
            )
            if isinstance(outcome, Answer):
                return replace(outcome, notes=(*payload.notes, *outcome.notes))
            if self._learns(outcome, payload, trail):
                continue
            if outcome.remedy is not Remedy.RETRY:
                return outcome
            trail.failed.append(outcome.short)
            asked_s = retry_after_s(came.headers, self._clock.utc_now()) if isinstance(came, HttpAnswer) else None
            pause = next_pause(
                self._policy,
                failures=len(trail.failed),
                elapsed_s=self._elapsed_s(trail),
                asked_s=asked_s,
                rng=self._rng,
            )
            if pause.wait_s is None:
                return outcome.adding(pause.give_up, retry_after_s=asked_s)
            await self._clock.sleep(pause.wait_s)

    def _learns(self, failure: Failure, payload: Payload, trail: Trail) -> bool:
        """Whether the error taught something that makes another try worthwhile at once."""
        lesson = None if failure.error is None else self.quirks.lesson(failure.error, payload.fields)
        if lesson is None:
            return False
        if lesson in TOKEN_PARAMETERS:
            # A server that takes neither name would send us to and fro.
            if trail.renamed_budget or self._options.max_tokens_parameter is not TokenParameter.AUTO:
                return False
            trail.renamed_budget = True
        self.quirks = self.quirks.without(lesson)
        return True

    def _elapsed_s(self, trail: Trail) -> float:
        return self._clock.monotonic_s() - trail.began_s
