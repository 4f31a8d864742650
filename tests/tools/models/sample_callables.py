"""What ``python/module:callable`` can point at."""

from __future__ import annotations

import asyncio

from seeworthy.tools.models.protocol import Reply, ReplyStatus, Request
from seeworthy.tools.models.providers.python_callable import CallableModel

SHOUT = CallableModel(lambda request: request.messages[-1].text.upper(), name="shout")
NUMBER = 5


def answer(request: Request) -> str:
    return f"{len(request.pictures)} pictures"


async def answer_later(request: Request) -> Reply:
    await asyncio.sleep(0)
    return Reply(text="later", status=ReplyStatus.TRUNCATED)


class Group:
    @staticmethod
    def answer(request: Request) -> str:
        return "grouped"
