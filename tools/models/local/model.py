"""A loaded transformers model behind the protocol."""

from __future__ import annotations

import time
from collections.abc import Mapping

from ..batching import BatchWorker
from ..coordinate_spaces import guess_coordinate_space
from ..protocol import Capabilities, CoordinateSpace, Reply, Request
from .engine import Engine
from .loading import Loaded

__all__ = ["TransformersModel"]

DEFAULT_BATCH_SIZE = 8
DEFAULT_BATCH_WAIT_S = 0.02


class TransformersModel:
    """A vision-language model of the transformers library in this process.

    Concurrent calls are gathered into batches on a worker thread; only calls with the same settings and number of
    pictures share one. Temperature 0 is greedy. Above 0 each call samples from a random stream of its own seed, so the
    same seed gives the same reply whatever else runs beside it; without a seed one is drawn and noted.

    A batch gives the same greedy text as single calls in float32 on the CPU (tested). In bfloat16 or float16, and on
    accelerators, padding changes the order of sums, so two nearly equal words may swap: use ``batch_size=1`` where
    replies must not depend on the company they were computed in. A checkpoint's own repetition penalty counts padding
    too.

    When memory runs out, a batch is halved until it fits.

    Args:
        loaded: model and processor, from ``load()`` or your own objects (a fine-tuned one, say); nothing else may run
            them at the same time.
        name: for records; two different models must not share one.
        coordinate_space: what the model measures boxes in; families whose makers say so are looked up.
        batch_size: calls in a batch at most.
        batch_wait_s: how long a call waits for others to share its batch.
        allow_control_tokens: let special tokens in a request's text act as such instead of being plain text.
        max_images: how many pictures a request may bring; None for any number.
        versions: of what decides its replies beside its name, such as a digest of its weights.
    """

    def __init__(
        self,
        loaded: Loaded,
        *,
        name: str,
        coordinate_space: CoordinateSpace | None = None,
        batch_size: int = DEFAULT_BATCH_SIZE,
        batch_wait_s: float = DEFAULT_BATCH_WAIT_S,
        allow_control_tokens: bool = False,
        max_images: int | None = None,
        versions: Mapping[str, str] | None = None,
    ) -> None:
        engine = Engine(loaded, allow_control_tokens=allow_control_tokens)
        self._name = name
        self._versions = None if versions is None else dict(versions)
        self._capabilities = Capabilities(
            coordinate_space=coordinate_space or _coordinate_space(loaded, name),
            honours_temperature=True,
            honours_seed=True,
            honours_system_message=engine.takes_system,
            max_images=max_images,
        )
        self._worker: BatchWorker[Request, Reply] = BatchWorker(
            engine.run, key=engine.batch_key, max_size=batch_size, max_wait_s=batch_wait_s, name=f"model {name}"
        )

    @property
    def name(self) -> str:
        return self._name

    @property
    def capabilities(self) -> Capabilities:
        return self._capabilities

    @property
    def versions(self) -> dict[str, str] | None:
        """What decides its replies beside its name, as far as the maker said."""
        return None if self._versions is None else dict(self._versions)

    async def reply(self, request: Request) -> Reply:
        """What the model says; see ``VisionLanguageModel``."""
        started = time.monotonic()
        reply = await self._worker.submit(request)
        return reply.model_copy(update={"latency_s": time.monotonic() - started, "model_reported": self._name})

    def close(self) -> None:
        """Ends the worker thread after the calls that already wait; later calls raise ``ModelError``."""
        self._worker.close()


def _coordinate_space(loaded: Loaded, name: str) -> CoordinateSpace:
    """By the architecture, which a renamed folder keeps; else by the name."""
    by_architecture = guess_coordinate_space(loaded.model_type)
    return (by_architecture if by_architecture.known else guess_coordinate_space(name)).space
