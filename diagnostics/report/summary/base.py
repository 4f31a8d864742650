"""What all parts of a report speak of: who was asked, and which items a row is about."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

__all__ = ["ALL", "ALL_DEGRADED", "By", "Subject", "Value"]

ALL: Final = "all"
"""The category that holds every item, and the subject-free rows that hold every subject."""

ALL_DEGRADED: Final = "all degraded"
"""The condition that holds every item whose pictures are not clean; only there when there are several such."""

By = Literal["all", "kind", "task", "answer_format", "suite"]
"""What items are grouped by. ``task`` is the suite's own coarser group (SpaceDG's task group, RoboStressBench's task,
CRISP's ability), or the kind where a suite has none. With ``all`` the one category is ``ALL``."""


class Value(BaseModel):
    """Frozen, and strict about names."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Subject(Value):
    """Who was asked, and how.

    Attributes:
        run: label of the run, see `RunCard.label`.
        arm: name of the model.
        prompt: name of the prompt.
    """

    run: str
    arm: str
    prompt: str
