"""The replies of one model, kept in a file as they come: what was asked before is not asked again."""

from __future__ import annotations

import asyncio
from pathlib import Path

from ...tools.models import Reply, ReplyStatus, Request, VisionLanguageModel
from ...tools.models.fingerprint import request_fingerprint
from ...tools.models.providers.recorded import Recorder
from ...tools.models.recording import read_recording
from ..errors import DiagnosticsError

__all__ = ["KeptReplies"]


class KeptReplies:
    """A model whose replies are kept, by what was asked.

    Calls that ended with an error are not kept, so that they are made again by the next run; a request that is under
    way is never sent twice.

    Args:
        model: who answers.
        path: a recording of this model or a new file, see `tools.models.recording`; None keeps replies in memory only.

    Raises:
        ModelError: the file cannot be read.
        DiagnosticsError: it belongs to another model.
    """

    def __init__(self, model: VisionLanguageModel, path: Path | None) -> None:
        self._model: VisionLanguageModel = model if path is None else Recorder(model, path)
        self._known: dict[str, Reply] = {}
        self._under_way: dict[str, asyncio.Future[Reply]] = {}
        if path is not None and path.exists():
            recording = read_recording(path)
            if recording.header is not None and recording.header.model != model.name:
                raise DiagnosticsError(
                    f"{path} holds replies of {recording.header.model}, not of {model.name}; use another folder"
                )
            self._known = {key: replies[0] for key, replies in recording.by_key.items()}

    async def reply(self, request: Request) -> Reply:
        """What was said before, or else what the model says now."""
        key = request_fingerprint(request)
        if key in self._known:
            return self._known[key]
        if key in self._under_way:
            return await asyncio.shield(self._under_way[key])
        promised = self._under_way[key] = asyncio.get_running_loop().create_future()
        try:
            reply = await self._model.reply(request)
        except asyncio.CancelledError:
            promised.cancel()
            raise
        except Exception as error:
            promised.set_exception(error)
            promised.exception()  # looked at here, for nobody else may be waiting for it
            raise
        finally:
            del self._under_way[key]
        promised.set_result(reply)
        if reply.status is not ReplyStatus.ERROR:
            self._known[key] = reply
        return reply
