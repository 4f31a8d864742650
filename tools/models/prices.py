"""What a call costs, from a price table that the user gives; without one the cost stays unknown."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from ..errors import ModelError
from .protocol import Usage

__all__ = ["Price", "PriceTable", "read_prices"]

_TOKENS_PER_UNIT = 1_000_000


class Price(BaseModel):
    """List price in US dollars per million tokens. Reasoning tokens are output tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    input: float = Field(ge=0)
    output: float = Field(ge=0)

    def cost_usd(self, usage: Usage) -> float | None:
        """The cost of a call, None unless both counts are known. Discounts for cached input are not applied.

        >>> Price(input=2.0, output=8.0).cost_usd(Usage(input_tokens=1000, output_tokens=500))
        0.006
        """
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        return (usage.input_tokens * self.input + usage.output_tokens * self.output) / _TOKENS_PER_UNIT


PriceTable = Mapping[str, Price]
_TABLE = TypeAdapter(dict[str, Price])


def read_prices(source: object) -> PriceTable:
    """A price table from a mapping, from JSON text, or from a JSON file.

    Args:
        source: ``{"model": {"input": USD per million tokens, "output": USD per million tokens}, ...}``, the same as
            JSON text (it starts with a brace), or the path of a JSON file.

    Raises:
        ModelError: the file cannot be read or the table has another form.
    """
    where = "prices"
    try:
        if isinstance(source, str | Path):
            text = str(source)
            if not text.lstrip().startswith("{"):
                where = f"prices in {text}"
                text = Path(text).expanduser().read_text(encoding="utf-8")
            source = json.loads(text)
        return _TABLE.validate_python(source)
    except OSError as error:
        raise ModelError(f"{where}: the file cannot be read ({error.strerror}); give a path to a JSON file") from None
    except (ValueError, ValidationError) as error:
        reason = "; ".join(_problems(error)) if isinstance(error, ValidationError) else str(error)
        raise ModelError(f'{where}: {reason}; the form is {{"model": {{"input": 2.5, "output": 10}}}}') from None


def _problems(error: ValidationError) -> list[str]:
    return [f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors(include_url=False)[:3]]
