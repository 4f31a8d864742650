"""The model behind ``openai/<model>[@base_url]``."""

from __future__ import annotations

import importlib
from types import TracebackType
from typing import TYPE_CHECKING, Self

import numpy as np

from ..coordinate_spaces import SpaceGuess, guess_coordinate_space
from ..image_fitting import FittedImage
from ..protocol import Capabilities, Fault, FaultKind, Reply, ReplyStatus, Request
from ..retry import Clock, SystemClock
from .answers import Answer
from .asking import Asker, Trail
from .connections import Connections
from .keys import DEFAULT_KEY_VARIABLE, ApiKey
from .settings import OpenAIChatOptions
from .verdicts import Failure

if TYPE_CHECKING:
    from openai import AsyncOpenAI

__all__ = ["OpenAIChatModel"]


class OpenAIChatModel:
    """A vision-language model behind an OpenAI-compatible server.

    The ``openai`` package carries the bytes; when to call again, how long to wait, what to leave out and how small to
    make a picture is decided here, where it can be seen in the reply. One object serves any number of event loops, one
    after another or at once, and holds one client in each; ``aclose`` (or ``async with``) closes them.

    Args:
        name: as in ``resolve_model``.
        model: what the server calls the model.
        base_url: without a slash at the end.
        api_key: see ``read_api_key``.
        options: see ``OpenAIChatOptions``.
        rng: where the jitter of the waits is drawn from.
        clock: for waiting and for measuring time.
    """

    def __init__(
        self,
        *,
        name: str,
        model: str,
        base_url: str,
        api_key: ApiKey,
        options: OpenAIChatOptions,
        rng: np.random.Generator,
        clock: Clock | None = None,
    ) -> None:
        # Here and not in the first call, whose latency it would spoil.
        importlib.import_module("openai")
        self._name = name
        self._model = model
        self._base_url = base_url
        self._key = api_key
        self._options = options
        self._clock = clock or SystemClock()
        self._asker = Asker(model=model, base_url=base_url, options=options, clock=self._clock, rng=rng)
        self._connections = Connections(self._connect, options.max_concurrency)
        stated = options.coordinate_space
        self._space = (
            guess_coordinate_space(model)
            if stated is None
            else SpaceGuess(stated, known=True, source="option coordinate_space")
        )

    @property
    def name(self) -> str:
        return self._name

    @property
    def options(self) -> OpenAIChatOptions:
        """What this model was built with. It decides replies too, so whoever caches them must count it in."""
        return self._options

    @property
    def base_url(self) -> str:
        """Of the server."""
        return self._base_url

    @property
    def coordinate_space_guess(self) -> SpaceGuess:
        """The coordinate space with who says so, for people to check."""
        return self._space

    @property
    def capabilities(self) -> Capabilities:
        """What is stated or was found out so far: a field that the server refused turns False."""
        options, dropped = self._options, self._asker.quirks.dropped
        return Capabilities(
            coordinate_space=self._space.space,
            max_images=options.max_images,
            honours_temperature=False if "temperature" in dropped else options.honours_temperature,
            honours_seed=False if "seed" in dropped else options.honours_seed,
            honours_system_message=options.honours_system_message,
            max_image_side_px=options.max_image_side_px,
            max_image_base64_bytes=options.max_image_base64_bytes,
        )

    async def reply(self, request: Request) -> Reply:
        """Asks the server; see ``VisionLanguageModel``. ``latency_s`` includes queueing for a free slot."""
        called_s = self._clock.monotonic_s()
        trail = Trail(began_s=called_s)
        outcome: Answer | Failure
        fitted: tuple[FittedImage, ...] = ()
        limit = self._options.max_images
        if limit is not None and len(request.pictures) > limit:
            words = f"the request holds {len(request.pictures)} pictures and {self._name} takes {limit}; send fewer"
            outcome = Failure(Fault(kind=FaultKind.BAD_REQUEST, message=words, retryable=False))
        else:
            async with self._connections.slot() as client:
                # The deadline counts from here: a long queue is no reason to give up.
                trail.began_s = self._clock.monotonic_s()
                outcome, fitted = await self._asker.ask(client, request, trail)
        return self._reply(outcome, fitted, trail, latency_s=self._clock.monotonic_s() - called_s)

    async def aclose(self) -> None:
        """Closes the connections. A later ``reply`` opens new ones."""
        await self._connections.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"OpenAIChatModel({self._name!r}, {self._key!r})"

    def _reply(
        self, outcome: Answer | Failure, fitted: tuple[FittedImage, ...], trail: Trail, *, latency_s: float
    ) -> Reply:
        notes = tuple(trail.notes)
        if trail.failed:
            notes += (f"failed calls: {', '.join(trail.failed)}",)
        sent = tuple(image.sent for image in fitted)
        if isinstance(outcome, Failure):
            return Reply(
                status=ReplyStatus.ERROR,
                fault=self._explained(outcome.fault),
                latency_s=latency_s,
                attempts=trail.attempts,
                sent_images=sent,
                notes=notes,
            )
        return Reply(
            text=outcome.text,
            reasoning=outcome.reasoning,
            status=outcome.status,
            finish_reason=outcome.finish_reason,
            usage=outcome.usage,
            cost_usd=self._cost_usd(outcome),
            latency_s=latency_s,
            attempts=trail.attempts,
            model_reported=outcome.model_reported,
            sent_images=sent,
            notes=(*notes, *(self._key.scrub(note) for note in outcome.notes)),
            logprob=outcome.logprob,
        )

    def _explained(self, fault: Fault) -> Fault:
        """The fault with the key out of its message and, where the key is the trouble, with where it came from."""
        message = self._key.scrub(fault.message)
        if fault.kind is FaultKind.AUTHENTICATION:
            message += (
                f" (it came from {self._key.variable})"
                if self._key.variable
                else f"; none was set: put one into {DEFAULT_KEY_VARIABLE} or name its variable with api_key_env"
            )
        return fault.model_copy(update={"message": message})

    def _cost_usd(self, answer: Answer) -> float | None:
        prices = self._options.prices or {}
        price = prices.get(self._model) or prices.get(answer.model_reported or "")
        return None if price is None else price.cost_usd(answer.usage)

    def _connect(self) -> AsyncOpenAI:
        import openai

        options = self._options
        timeout = openai.Timeout(
            options.timeout_s, connect=min(options.connect_timeout_s, options.timeout_s), read=options.read_timeout_s
        )
        # The client's own transport, when collected, closes itself in whatever loop then runs; this one does not.
        transport = openai.DefaultAsyncHttpxClient(timeout=timeout)
        return openai.AsyncOpenAI(
            api_key=self._key.reveal(),
            base_url=self._base_url,
            max_retries=0,
            timeout=timeout,
            http_client=transport,
        )
