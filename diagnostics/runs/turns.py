"""Requests out of prompts; and prompts of several turns, whose first replies are kept until the last one is there."""

from __future__ import annotations

import json
import os
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from ...bench_data.images import Picture
from ...tools.findings import StressFinding
from ...tools.models import ImagePart, Message, Reply, ReplyStatus, TextPart
from ..errors import DiagnosticsError
from .items import PictureRef
from .prompts import ModelTurn, PromptParts
from .record import Spent

__all__ = ["FirstReplies", "FirstReply", "assistant_turn", "sent_parts", "user_turn"]

_SILENCE = "(no answer)"
"""For a model that said nothing in its turn: servers refuse an empty one."""


class FirstReply(BaseModel):
    """What came of the turns before the last one.

    Args:
        replies: one a turn.
        spent: for them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    replies: tuple[Reply, ...]
    spent: Spent


class FirstReplies:
    """First replies by the key of their call, so that a run that is killed between two turns pays once for the first.

    Args:
        folder: made when the first comes; None keeps nothing.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def get(self, key: str) -> FirstReply | None:
        """What is kept of a call.

        Raises:
            DiagnosticsError: it is damaged.
        """
        path = self._path(key)
        if path is None or not path.exists():
            return None
        try:
            return FirstReply.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise DiagnosticsError(f"{path} cannot be read ({type(error).__name__}); delete it to ask again") from error

    def put(self, key: str, first: FirstReply) -> None:
        """Keeps what came of a call so far; it is there as a whole or not at all.

        Raises:
            DiagnosticsError: it cannot be written.
        """
        path = self._path(key)
        if path is None:
            return
        part = path.with_name(f".{path.name}.{os.getpid()}.part")
        # ASCII, so that any text survives, a lone surrogate included.
        data = json.dumps(first.model_dump(mode="json"), ensure_ascii=True).encode("ascii")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with part.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise DiagnosticsError(f"cannot write {path}: {error.strerror or error}; free some room") from error

    def drop(self, key: str) -> None:
        """Forgets a call whose last reply is there."""
        path = self._path(key)
        if path is not None:
            path.unlink(missing_ok=True)

    def _path(self, key: str) -> Path | None:
        return None if self._folder is None else self._folder / key[:2] / f"{key}.json"


async def user_turn(
    parts: Sequence[str | PictureRef],
    load: Callable[[PictureRef], Awaitable[Picture]],
    stress: tuple[StressFinding, ...] | None,
) -> Message:
    """A turn of the user.

    Args:
        parts: texts and pictures, in order.
        load: gives the pictures.
        stress: what a solver is told of each picture.
    """
    made: list[TextPart | ImagePart] = []
    for part in parts:
        if isinstance(part, str):
            made.append(TextPart(text=part))
        else:
            made.append(ImagePart(picture=await load(part), stress=stress))
    return Message(parts=tuple(made))


def assistant_turn(reply: Reply) -> Message:
    """What a model said, as its turn in the conversation that goes on."""
    return Message(role="assistant", parts=(TextPart(text=reply.text if reply.text.strip() else _SILENCE),))


def sent_parts(parts: PromptParts, replies: Sequence[Reply]) -> tuple[tuple[str, str], ...]:
    """What was sent, word for word, as a record has it: ("text", words), ("image", SHA-256 of the file), and
    ("reply", words) for each turn of the model; what was not sent because a turn failed is left out.
    """
    sent: list[tuple[str, str]] = []
    said = iter(replies)
    for part in parts:
        if isinstance(part, str):
            sent.append(("text", part))
        elif isinstance(part, ModelTurn):
            reply = next(said, None)
            if reply is None or reply.status is ReplyStatus.ERROR:
                break
            sent.append(("reply", assistant_turn(reply).text))
        else:
            sent.append(("image", part.sha256))
    return tuple(sent)
