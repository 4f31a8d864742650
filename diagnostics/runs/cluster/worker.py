"""QuestionWorker: the actor that makes calls. All it needs comes with its order and with each call."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypedDict

import numpy as np
from pydantic import BaseModel, ConfigDict

from ....bench_data.errors import SeeworthyError
from ....tools.models.identity import server_of
from ....tools.models.prices import Price
from ....tools.models.retry import RetryPolicy, SystemClock
from ..asking import LocalAsker
from ..differences import differences_of
from ..images import PictureLoader
from ..items import item_line, item_of_line
from ..plan import Arm, Call, PlannedArm, RunSettings
from ..planning import software_version
from ..prompts import PROMPTS
from ..record import record_line
from .pictures import Parcel, PictureDesk
from .recipe import ArmsRecipe
from .turnstile import RemoteGate

if TYPE_CHECKING:
    from ray.actor import ActorHandle

    from .turnstile import Turnstile

__all__ = ["Answer", "Order", "QuestionWorker", "call_as_sent", "call_of"]

_SHOWN = 3


class Order(BaseModel):
    """What a worker is to do, as one piece of JSON.

    Args:
        recipe: of the models.
        settings: of the run, which the models and prompts made here must fit.
        version: of seeworthy, where the run was planned.
        retry, attempt_s, prices: see `EngineSettings`.
        seed: of the jitter of pauses.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    recipe: ArmsRecipe
    settings: RunSettings
    version: str
    retry: RetryPolicy
    attempt_s: float
    prices: dict[str, Price]
    seed: int | None


class Answer(TypedDict, total=False):
    """What came of a call: a line for the store, or why the run cannot go on."""

    record: bytes
    by_model: bool
    error: str


class QuestionWorker:
    """Makes calls, many at once.

    Args:
        name: of this worker in the run.
        turnstile: the actor that paces all calls.
    """

    def __init__(self, name: str, turnstile: ActorHandle[Turnstile]) -> None:
        self._name = name
        self._turnstile = turnstile
        self._desk = PictureDesk()
        self._asker: LocalAsker[RemoteGate] | None = None

    async def prepare(self, order_json: str) -> str:
        """Makes the models. Why it cannot; "" when all is as planned."""
        order = Order.model_validate_json(order_json)
        here = software_version()
        if here != order.version:
            return f"the worker has seeworthy {here}, the run was planned with {order.version}"
        try:
            arms = order.recipe.build()
            problem = _problem_of(order.settings, arms)
        except SeeworthyError as error:
            return str(error)
        if not problem:
            self._asker = self._made(order, arms)
        return problem

    async def ask(self, call: Mapping[str, object], pictures: Parcel) -> Answer:
        """Makes a call, see `call_as_sent`."""
        if self._asker is None:
            return {"error": "the worker has no order yet"}
        with self._desk.holding(pictures):
            try:
                asked = await self._asker.ask(call_of(call))
            except SeeworthyError as error:
                return {"error": str(error)}
        return {"record": record_line(asked.record), "by_model": asked.by_model}

    async def pacing(self) -> tuple[int, str]:
        """How many calls wait to be made again, and the last fault."""
        if self._asker is None:
            return 0, ""
        return self._asker.state.retrying, self._asker.state.last_fault

    def _made(self, order: Order, arms: Mapping[str, Arm]) -> LocalAsker[RemoteGate]:
        planned = {arm.name: arm for arm in order.settings.arms}
        servers = dict.fromkeys(server_of(arms[name].leaf) for name in planned)
        own = [] if order.seed is None else [order.seed, *self._name.encode()]
        return LocalAsker(
            planned,
            arms,
            gates={server: RemoteGate(self._turnstile, server, self._name) for server in servers},
            pictures=PictureLoader(None, read=self._desk.read),
            generation=order.settings.decoding,
            retry=order.retry,
            attempt_s=order.attempt_s,
            prices=order.prices,
            # Wrapped models keep nothing: the next to be given the question may be on another machine.
            solver=None,
            clock=SystemClock(),
            rng=np.random.default_rng(own or None),
        )


def call_as_sent(call: Call) -> dict[str, object]:
    """A call in plain values; its pictures are known by their content."""
    fields = {one.name: getattr(call, one.name) for one in dataclasses.fields(call)}
    return {**fields, "item": item_line(call.item)}


def call_of(sent: Mapping[str, object]) -> Call:
    """The call that `call_as_sent` wrote.

    Raises:
        TypeError, ValueError: it is none.
    """
    item = sent["item"]
    if not isinstance(item, bytes):
        raise TypeError(f"the item of a call came as {type(item).__name__}")
    return Call(**{**sent, "item": item_of_line(item)})  # type: ignore[arg-type]


def _problem_of(settings: RunSettings, arms: Mapping[str, Arm]) -> str:
    """How what was made here differs from what was planned; "" for not at all."""
    for planned in settings.arms:
        arm = arms.get(planned.name)
        if arm is None:
            return f"the model {planned.name!r} was not made; made were {', '.join(arms) or 'none'}"
        made = PlannedArm.of(arm)
        found = differences_of(planned.model_dump(mode="json"), made.model_dump(mode="json"))
        if found:
            return f"the model {planned.name!r} is another one there: {'; '.join(map(str, found[:_SHOWN]))}"
    for prompt in settings.prompts:
        version = PROMPTS.get(prompt.name).version
        if version != prompt.version:
            return f"the prompt {prompt.name!r} has version {version} there, and was planned with {prompt.version}"
    return ""
