"""``recorded/FILE.jsonl``: replays stored replies; and ``Recorder``, which stores them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from threading import Lock

from pydantic import Field

from ...errors import ModelError
from ..declared_options import ProviderOptions, option_help, read_options
from ..fingerprint import request_fingerprint
from ..protocol import Capabilities, CoordinateSpace, Fault, FaultKind, Reply, ReplyStatus, Request, VisionLanguageModel
from ..recording import Entry, Header, Recording, append_lines, read_recording
from ..registry import ModelName, model_provider

__all__ = ["RecordedModel", "RecordedOptions", "Recorder"]


class RecordedModel:
    """Answers from a recording, without any model.

    In a file with keys a request gets the reply that was recorded for the same messages, pictures, settings and seed.
    Where several were recorded for one request they are given in turn, and then from the first again. In a file
    without keys replies are given in order, whatever the request, and end with the file. What is not recorded is a
    reply with fault ``not_recorded``.

    Args:
        recording: from ``read_recording``.
        name: for records.
        coordinate_space: what boxes are measured in; needed only when the recording does not say.
    """

    def __init__(
        self, recording: Recording, *, name: str, coordinate_space: CoordinateSpace = CoordinateSpace.PERMILLE
    ) -> None:
        self._recording = recording
        self._name = name
        self._calls: Counter[str] = Counter()
        self._lock = Lock()
        described = recording.header.capabilities if recording.header else None
        self._capabilities = described or Capabilities(coordinate_space=coordinate_space)

    @property
    def name(self) -> str:
        return self._name

    @property
    def capabilities(self) -> Capabilities:
        return self._capabilities

    async def reply(self, request: Request) -> Reply:
        """The recorded reply; see ``VisionLanguageModel``."""
        key = request_fingerprint(request) if self._recording.by_key else ""
        with self._lock:
            earlier = self._calls[key]
            self._calls[key] += 1
        in_order = self._recording.in_order
        if in_order:
            if earlier < len(in_order):
                return in_order[earlier]
            return self._not_recorded(f"it holds {len(in_order)} replies and this is call {earlier + 1}")
        known = self._recording.by_key.get(key)
        if known:
            return known[earlier % len(known)]
        return self._not_recorded(f"it has no reply to request {key[:12] or '(it is empty)'}")

    def _not_recorded(self, what: str) -> Reply:
        torn = self._recording.torn_line
        tail = f" (its last line, {torn}, is cut off)" if torn else ""
        message = f"{self._name}: {what}{tail}; record it with Recorder(model, path)"
        return Reply(
            status=ReplyStatus.ERROR, fault=Fault(kind=FaultKind.NOT_RECORDED, message=message, retryable=False)
        )


class Recorder:
    """A model that passes on what another one says and appends it to a recording.

    Each reply is on the disk before it is returned. Calls that ended with an error are passed on and not recorded, so
    a later run asks again.

    Args:
        model: who answers.
        path: a recording of this model, or a new file.
    """

    def __init__(self, model: VisionLanguageModel, path: Path) -> None:
        self._model = model
        self._path = Path(path)
        self._lock = Lock()

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def capabilities(self) -> Capabilities:
        return self._model.capabilities

    async def reply(self, request: Request) -> Reply:
        """The model's reply, recorded.

        Raises:
            ModelError: the file cannot be written or belongs to another model.
        """
        reply = await self._model.reply(request)
        if reply.status is not ReplyStatus.ERROR:
            entry = Entry(key=request_fingerprint(request), reply=reply)
            await asyncio.to_thread(self._append, entry)
        return reply

    def _append(self, entry: Entry) -> None:
        # Threads of one process share a file lock's owner on some systems, so they need a lock of their own.
        with self._lock:
            append_lines(self._path, Header(model=self.name, capabilities=self.capabilities), entry)


class RecordedOptions(ProviderOptions):
    """Options of ``recorded/``."""

    coordinate_space: CoordinateSpace = Field(
        default=CoordinateSpace.PERMILLE, description="what boxes are measured in, if the recording does not say"
    )


@model_provider(
    "recorded",
    summary="replays replies that were recorded from another model, offline",
    example="recorded/replies.jsonl",
    options=option_help(RecordedOptions),
)
def _build(name: ModelName, options: Mapping[str, object]) -> VisionLanguageModel:
    if name.base_url is not None:
        raise ModelError(f"{name}: a recording has no base URL; leave out @{name.base_url}")
    chosen = read_options(RecordedOptions, options, provider="recorded")
    recording = read_recording(Path(name.model).expanduser())
    return RecordedModel(recording, name=str(name), coordinate_space=chosen.coordinate_space)
