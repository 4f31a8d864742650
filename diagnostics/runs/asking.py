"""Asks the models of a run, one call at a time: who does so is the engine's only window to them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Generic, Protocol, TypeVar

import numpy as np

from ...bench_data.errors import SeeworthyError
from ...tools.models import (
    FaultKind,
    GenerationSettings,
    Message,
    Reply,
    ReplyStatus,
    Request,
    VisionLanguageModel,
)
from ...tools.models.identity import server_of
from ...tools.models.prices import Price
from ...tools.models.retry import Clock, RetryPolicy
from ..errors import DiagnosticsError
from .images import PictureLoader
from .paced_model import LEDGER, PacedModel, PacingState, price_of
from .pacing import Gate
from .plan import Arm, Call, PlannedArm
from .prompts.registry import PromptParts, turns_of
from .record import CallRecord, Spent, error_reply
from .turns import FirstReplies, FirstReply, assistant_turn, sent_parts, user_turn

__all__ = ["Admission", "Asked", "Asker", "LocalAsker", "call_record"]

GateT = TypeVar("GateT", bound=Gate)


@dataclass(frozen=True)
class Asked:
    """What came of a call.

    Attributes:
        record: to be kept.
        by_model: whether it got as far as a model; False where its pictures could not be read.
    """

    record: CallRecord
    by_model: bool


class Admission(Protocol):
    """How many questions one server gets at once, as far as handing them out goes; see `ServerGate`."""

    @property
    def limit(self) -> int: ...

    @property
    def pause_left_s(self) -> float: ...

    async def admitted(self, place: int) -> None: ...

    def open_to_all(self) -> None: ...


class Asker(Protocol):
    """Where the calls of a run are made: in this process, or elsewhere.

    Attributes:
        state: what goes on, for the progress line.
        servers: server -> how many questions it gets; one for each server of the plan's models.
    """

    @property
    def state(self) -> PacingState: ...

    @property
    def servers(self) -> Mapping[str, Admission]: ...

    async def ask(self, call: Call) -> Asked:
        """Makes a call, with all its attempts. What a model or its server does becomes part of the record.

        Raises:
            DiagnosticsError: the run cannot go on.
        """
        ...

    async def aclose(self) -> None:
        """Lets go of connections; no call is under way."""
        ...


class LocalAsker(Generic[GateT]):
    """Makes calls in this process.

    Args:
        planned_arms: of the plan.
        arms: model name -> who is asked, for each of them.
        gates: server -> its pacing, for the server of each leaf.
        pictures: to show.
        generation: how models decode.
        retry, attempt_s: of single attempts.
        prices: model name -> price.
        solver: where is kept what a question has paid for before it is finished, by wrapped models and by prompts of
            several turns; None keeps nothing.
        clock: for waiting and for the records' time stamps.
        rng: for the jitter of pauses, which decides no result.
    """

    def __init__(
        self,
        planned_arms: Mapping[str, PlannedArm],
        arms: Mapping[str, Arm],
        *,
        gates: Mapping[str, GateT],
        pictures: PictureLoader,
        generation: GenerationSettings,
        retry: RetryPolicy,
        attempt_s: float,
        prices: Mapping[str, Price],
        solver: Path | None,
        clock: Clock,
        rng: np.random.Generator,
    ) -> None:
        self.state = PacingState()
        self._gates = gates
        self._planned_arms = planned_arms
        self._pictures = pictures
        self._generation = generation
        self._clock = clock
        self._leaves = [arms[name].leaf for name in planned_arms]
        self._models: dict[str, VisionLanguageModel] = {}
        for name in planned_arms:
            leaf = arms[name].leaf
            paced = PacedModel(
                leaf,
                gates[server_of(leaf)],
                retry,
                rng,
                state=self.state,
                clock=clock,
                price=price_of(leaf, prices),
                attempt_s=attempt_s,
            )
            self._models[name] = arms[name].model(paced, solver)
        self._firsts = FirstReplies(None if solver is None else solver / "turns")

    @property
    def servers(self) -> Mapping[str, GateT]:
        return self._gates

    async def ask(self, call: Call) -> Asked:
        ledger = Spent()
        # The task of a worker has a context of its own, which all tasks of a wrapped model inherit.
        LEDGER.set(ledger)
        parts = call.parts(self._planned_arms[call.arm].space)
        try:
            turns = [await user_turn(turn, self._pictures.load, call.stress) for turn in turns_of(parts)]
        except SeeworthyError as error:
            if isinstance(error, DiagnosticsError):
                raise
            replies, by_model = [error_reply(FaultKind.BAD_REQUEST, f"item {call.item.id}: {error}")], False
        else:
            replies, by_model = await self._converse(call, turns, ledger), True
        record = call_record(call, parts, _as_one(replies), ledger, self._clock.utc_now(), said=replies)
        return Asked(record, by_model)

    async def aclose(self) -> None:
        for leaf in {id(leaf): leaf for leaf in self._leaves}.values():
            close = getattr(leaf, "aclose", None)
            if close is not None:
                await close()

    async def _converse(self, call: Call, turns: Sequence[Message], ledger: Spent) -> list[Reply]:
        """One reply a turn; fewer where a call failed. What was paid for in an earlier start is not asked again."""
        kept = self._firsts.get(call.key) if len(turns) > 1 else None
        replies = [] if kept is None else list(kept.replies[: len(turns) - 1])
        if kept is not None:
            ledger.add(kept.spent)
        settings = call.decoding(self._generation)
        while len(replies) < len(turns):
            said = [message for pair in zip(turns, map(assistant_turn, replies), strict=False) for message in pair]
            messages = (*said, turns[len(replies)])
            reply = await self._reply(call, Request(messages=messages, settings=settings, seed=call.seed))
            replies.append(reply)
            if reply.status is ReplyStatus.ERROR:
                return replies
            if len(replies) < len(turns):
                first = FirstReply(replies=tuple(replies), spent=ledger.model_copy())
                await asyncio.to_thread(self._firsts.put, call.key, first)
        if len(turns) > 1:
            self._firsts.drop(call.key)
        return replies

    async def _reply(self, call: Call, request: Request) -> Reply:
        model = self._models[call.arm]
        try:
            return await model.reply(request)
        except Exception as error:  # noqa: BLE001 - a wrapped model may raise anything; the record reports it
            return error_reply(FaultKind.CRASHED, f"{model.name} raised {type(error).__name__}: {error}")


def _as_one(replies: Sequence[Reply]) -> Reply:
    """The last reply, with the time and the attempts of all."""
    if len(replies) == 1:
        return replies[0]
    latency_s = sum(reply.latency_s for reply in replies)
    return replies[-1].model_copy(update={"latency_s": latency_s, "attempts": sum(reply.attempts for reply in replies)})


def call_record(
    call: Call, sent: PromptParts, reply: Reply, spent: Spent, moment: datetime, *, said: Sequence[Reply] = ()
) -> CallRecord:
    """The record of a call that ended at a moment in UTC.

    Args:
        said: what the model said, turn by turn, in a prompt of several.
    """
    return CallRecord(
        key=call.key,
        item=call.item.id,
        condition=call.item.condition,
        arm=call.arm,
        prompt=call.prompt,
        repeat=call.repeat,
        seed=call.seed,
        sent=sent_parts(sent, said),
        reply=reply,
        spent=spent,
        at=moment.isoformat(timespec="milliseconds"),
    )
