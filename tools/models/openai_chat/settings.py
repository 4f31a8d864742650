"""Every option of the provider ``openai``, with its default and one line of help."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field

from ..declared_options import ProviderOptions
from ..image_fitting import OversizePolicy
from ..prices import Price, read_prices
from ..protocol import CoordinateSpace

__all__ = ["OpenAIChatOptions", "TokenParameter"]

# What the adapter itself writes into a request; ``extra_body`` must not contradict it.
_OWN_FIELDS = frozenset(
    {
        "model",
        "messages",
        "max_tokens",
        "max_completion_tokens",
        "temperature",
        "top_p",
        "seed",
        "stop",
        "stream",
        "logprobs",
        "n",
    }
)


class TokenParameter(StrEnum):
    """The name under which a server takes the output budget."""

    AUTO = "auto"
    """``max_tokens`` until the server asks for the other name."""
    MAX_TOKENS = "max_tokens"
    MAX_COMPLETION_TOKENS = "max_completion_tokens"


def _prices_of(value: object) -> Mapping[str, Price] | None:
    return None if value is None else read_prices(value)


def _body_of(value: object) -> dict[str, object]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            raise ValueError("it is not valid JSON") from None
    if not isinstance(value, Mapping):
        raise ValueError("it must be a JSON object")
    own = sorted(_OWN_FIELDS & set(value))
    if own:
        raise ValueError(f"{own[0]!r} is set by the request itself, not here")
    return {str(key): item for key, item in value.items()}


Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=1)]


class OpenAIChatOptions(ProviderOptions):
    """Options of ``openai/<model>[@base_url]``."""

    undeciding: ClassVar[frozenset[str]] = frozenset(
        {
            "api_key_env",
            "connect_timeout_s",
            "read_timeout_s",
            "timeout_s",
            "deadline_s",
            "max_attempts",
            "backoff_base_s",
            "backoff_cap_s",
            "max_concurrency",
            "prices",
        }
    )

    api_key_env: str | None = Field(
        None, description="environment variable that holds the key; OPENAI_API_KEY when not given"
    )
    connect_timeout_s: Seconds = Field(10.0, description="seconds to reach the server")
    read_timeout_s: Seconds = Field(300.0, description="longest silence of the server; it thinks in silence")
    timeout_s: Seconds = Field(600.0, description="seconds for one call, from the first byte out to the last byte in")
    deadline_s: Seconds = Field(900.0, description="seconds for all tries and pauses of one reply together")
    max_attempts: Count = Field(8, description="calls for one reply when the server is busy or fails")
    backoff_base_s: Seconds = Field(0.5, description="upper bound of the first pause; it doubles with each failure")
    backoff_cap_s: Seconds = Field(30.0, description="largest upper bound of a pause")
    max_concurrency: Count = Field(16, description="calls under way at once, per event loop; waiting calls queue")
    prices: Annotated[Mapping[str, Price] | None, BeforeValidator(_prices_of)] = Field(
        None, description='USD per million tokens: {"model": {"input": 2.5, "output": 10}}, JSON or a JSON file'
    )
    max_tokens_parameter: TokenParameter = Field(
        TokenParameter.AUTO, description="auto, max_tokens or max_completion_tokens: what the server calls the budget"
    )
    coordinate_space: CoordinateSpace | None = Field(
        None, description="permille, sent_pixels, original_pixels or fraction; by the model's family when not given"
    )
    honours_temperature: bool | None = Field(
        None, description="whether the server obeys temperature; false: it is not sent"
    )
    honours_seed: bool | None = Field(None, description="whether the server obeys seed; false: it is not sent")
    honours_system_message: bool | None = Field(
        None, description="whether the model takes system messages; false: their text opens the first user message"
    )
    max_images: Count | None = Field(None, description="pictures allowed in one request")
    max_image_side_px: Count | None = Field(None, description="longest side that the server accepts")
    max_image_base64_bytes: Count | None = Field(None, description="largest picture, after base64")
    oversize_policy: OversizePolicy = Field(
        OversizePolicy.DOWNSCALE, description="downscale, jpeg or refuse: what to do with pictures over the limits"
    )
    image_detail: Literal["auto", "low", "high", "original"] | None = Field(
        None, description="auto, low, high or original, for servers that know the field"
    )
    extra_body: Annotated[dict[str, object], BeforeValidator(_body_of)] = Field(
        default_factory=dict, description="JSON object merged into each request, for a server's own fields"
    )
