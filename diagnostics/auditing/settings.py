"""What an audit is made of, besides the model, the data and the experiment."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from ...tools.models import GenerationSettings

__all__ = ["AuditSettings"]


class AuditSettings(BaseModel):
    """Settings of an audit.

    Args:
        suite: of questions about numbered objects.
        conditions: of the data set, each audited on its own; with "clean" among them, errors under the others are
            told apart by whether they were there before.
        most_pictures: of each condition; None for all.
        seed: of everything that is drawn, and of the intervals.
        concurrency: requests under way at a time.
        answer: how answers are decoded.
        graph: how graphs are decoded; they are longer.
        request_seed: sent with every request; None for none.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    suite: str = "crisp"
    conditions: tuple[str, ...] = Field(default=("clean",), min_length=1)
    most_pictures: int | None = Field(default=None, ge=1)
    seed: int = 0
    concurrency: int = Field(default=8, ge=1, le=1024)
    answer: GenerationSettings = GenerationSettings()
    graph: GenerationSettings = GenerationSettings(max_tokens=4096)
    request_seed: int | None = None
