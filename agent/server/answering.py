"""One request answered: solved, or passed on to the model where there is nothing to solve."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace

from ...bench_data.errors import SeeworthyError
from ...tools.models import Reply, ReplyStatus, Request
from ..errors import ModelUnavailableError
from ..infer_format import infer_answer_format
from ..result import SolverResult
from ..robust import RobustVLM
from .chat_request import ChatCall
from .counting import CountingModel, Ledger, counted
from .errors import ApiError, fault_error
from .pictures import PictureReader
from .traces import TraceShelf

__all__ = ["Answered", "Answerer", "Choice"]

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Choice:
    """One answer.

    Attributes:
        reply: what the client gets to read.
        result: how it came about; None where the solver did not look: no picture, or the profile ``off``.
        trace_id: of its page, where one is kept.
    """

    reply: Reply
    result: SolverResult | None = None
    trace_id: str | None = None


@dataclass(frozen=True)
class Answered:
    """All answers to one request, and what they cost together."""

    choices: tuple[Choice, ...]
    ledger: Ledger
    profile: str


class Answerer:
    """Answers requests with a wrapped model.

    Args:
        robust: its run folder is not used: a server must not pay for nor repeat what another client asked.
        pictures: reads the pictures.
        shelf: keeps the trace pages.
    """

    def __init__(self, robust: RobustVLM, pictures: PictureReader, shelf: TraceShelf) -> None:
        self._robust = RobustVLM(
            CountingModel(robust.model), profile=robust.profile, budget=robust.budget, experience=robust.experience
        )
        self._pictures = pictures
        self._shelf = shelf

    async def answer(self, call: ChatCall) -> Answered:
        """Every choice of a call.

        Raises:
            ApiError: the request cannot be used, or the model gave no reply.
        """
        request = await self._pictures.request(call)
        with counted() as ledger:
            choices = await self._choices(request, call.choices)
        return Answered(choices, ledger, self._robust.profile.name)

    async def _choices(self, request: Request, count: int) -> tuple[Choice, ...]:
        if count == 1:
            return (await self._choice(request),)
        # Models take no ``n``; each choice is a request of its own, with a seed of its own where one was given.
        variants = [request.model_copy(update={"seed": _seed(request.seed, index)}) for index in range(count)]
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._choice(variant)) for variant in variants]
        except ExceptionGroup as failed:
            # The others were stopped; one reason is what a client can use.
            raise failed.exceptions[0] from None
        return tuple(task.result() for task in tasks)

    async def _choice(self, request: Request) -> Choice:
        try:
            if self._robust.profile.rectify and request.pictures:
                return await self._solved(request)
            reply = await self._robust.model.reply(request)
        except ModelUnavailableError as error:
            raise fault_error(error.fault) from error
        except SeeworthyError as error:
            raise ApiError(502, str(error), code="upstream_error", headers={"x-should-retry": "false"}) from error
        except Exception as error:
            # A user's own model object may raise anything; the words are for the log, not for strangers.
            _LOG.exception("the model raised")
            message = f"the model raised {type(error).__name__}; see the server's log"
            raise ApiError(502, message, code="upstream_crashed", headers={"x-should-retry": "false"}) from error
        if reply.status is ReplyStatus.ERROR:
            if reply.fault is None:
                raise ApiError(502, "the model gave no reply and no reason", code="upstream_error")
            raise fault_error(reply.fault)
        return Choice(reply)

    async def _solved(self, request: Request) -> Choice:
        result = await self._robust.solve_request(request, infer_answer_format(request))
        choice = Choice(result.as_reply(), result)
        # Drawing the page shrinks and encodes every picture, so it is done in a thread.
        return replace(choice, trace_id=await asyncio.to_thread(self._shelf.put, result))


def _seed(seed: int | None, index: int) -> int | None:
    """The seed of one choice; it never leaves 64 bits."""
    if seed is None:
        return None
    return seed - index if seed > 2**62 else seed + index
