"""One turnstile for all calls of a run, so that the limits of servers hold over all workers together."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ....tools.models.retry import SystemClock
from ..pacing import ServerGate

if TYPE_CHECKING:
    from ray.actor import ActorHandle

__all__ = ["RemoteGate", "Turnstile", "TurnstileState"]

TurnstileState = dict[str, tuple[int, float]]
"""Server -> (calls that it takes at once, seconds until it may be called)."""


class Turnstile:
    """An actor with a `ServerGate` for each server.

    A slot is held under a ticket, ``"worker/number"``, so that the slots of a worker that ended can be freed.

    Args:
        servers: of the run's models.
        most: calls to one server at once.
    """

    def __init__(self, servers: Iterable[str], most: int) -> None:
        clock = SystemClock()
        self._gates = {server: ServerGate(most=most, clock=clock) for server in servers}
        self._held: dict[str, ServerGate] = {}
        self._waiting: set[str] = set()
        self._given_up: set[str] = set()
        self._gone: set[str] = set()

    async def enter(self, server: str, ticket: str) -> float:
        """Waits for a slot; the time, by this actor's clock, at which the call begins."""
        gate = self._gates[server]
        self._waiting.add(ticket)
        began_s = await gate.enter()
        self._waiting.remove(ticket)
        if ticket in self._given_up or _worker_of(ticket) in self._gone:
            # Nobody is left to call; the slot goes to the next one.
            self._given_up.discard(ticket)
            gate.leave()
        else:
            self._held[ticket] = gate
        return began_s

    async def leave(self, ticket: str) -> None:
        """Frees a slot, or gives up the wait for it. A ticket that is unknown was freed before."""
        gate = self._held.pop(ticket, None)
        if gate is not None:
            gate.leave()
        elif ticket in self._waiting:
            self._given_up.add(ticket)

    async def succeeded(self, server: str) -> None:
        """See `ServerGate`."""
        self._gates[server].succeeded()

    async def overloaded(self, server: str, began_s: float, wait_s: float | None) -> None:
        """See `ServerGate`."""
        self._gates[server].overloaded(began_s, wait_s)

    async def bury(self, worker: str) -> None:
        """Frees all that a worker held, and lets it in no more."""
        self._gone.add(worker)
        for ticket in [ticket for ticket in self._held if _worker_of(ticket) == worker]:
            await self.leave(ticket)

    async def state(self) -> TurnstileState:
        """What the servers take, now."""
        return {server: (gate.limit, gate.pause_left_s) for server, gate in self._gates.items()}


class RemoteGate:
    """The gate of one server, for one worker: all it does goes to the turnstile.

    Args:
        turnstile: the actor.
        server: whose gate.
        worker: who asks.
    """

    _numbers = itertools.count()

    def __init__(self, turnstile: ActorHandle[Turnstile], server: str, worker: str) -> None:
        self._turnstile = turnstile
        self._server = server
        self._worker = worker
        self._tickets: list[str] = []

    async def enter(self) -> float:
        """See `ServerGate`."""
        ticket = f"{self._worker}/{next(self._numbers)}"
        try:
            began_s: float = await self._turnstile.enter.remote(self._server, ticket)
        except asyncio.CancelledError:
            self._turnstile.leave.remote(ticket)
            raise
        self._tickets.append(ticket)
        return began_s

    def leave(self) -> None:
        """See `ServerGate`; which of the worker's slots at this server becomes free makes no difference."""
        self._turnstile.leave.remote(self._tickets.pop())

    def succeeded(self) -> None:
        """See `ServerGate`."""
        self._turnstile.succeeded.remote(self._server)

    def overloaded(self, began_s: float, wait_s: float | None = None) -> None:
        """See `ServerGate`."""
        self._turnstile.overloaded.remote(self._server, began_s, wait_s)


def _worker_of(ticket: str) -> str:
    return ticket.partition("/")[0]
