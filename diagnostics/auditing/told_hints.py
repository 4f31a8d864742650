"""What is said beforehand about what was done to a picture."""

from __future__ import annotations

from ...bench_data.building import DataSet
from ...bench_data.degrade.record import DegradationRecord
from ..interventions import Condition, hint_text, wrong_degradation
from .pictures import AuditedPicture

__all__ = ["ToldHints"]


class ToldHints:
    """The hints of a data set's pictures.

    Args:
        data: wrong hints name what was done to the same view under another of its conditions.
        seed: of the choice among these.
    """

    def __init__(self, data: DataSet, seed: int) -> None:
        self._data, self._seed = data, seed
        self._wrong: dict[tuple[str, str], str | None] = {}

    def of(self, condition: Condition, picture: AuditedPicture) -> str | None:
        """The hint that a condition gives; None where it gives none, or there is no wrong one to give."""
        if condition.hint == "none":
            return None
        if condition.hint == "true":
            return hint_text(picture.record.degradations)
        key = picture.record.condition, picture.known.id
        if key not in self._wrong:
            records = picture.record.degradations
            wrong = wrong_degradation(records, self._of_other_conditions(picture), seed=self._seed)
            self._wrong[key] = None if wrong is None else hint_text((wrong,))
        return self._wrong[key]

    def _of_other_conditions(self, picture: AuditedPicture) -> tuple[DegradationRecord, ...]:
        record = picture.record
        return tuple(
            one
            for label in self._data.conditions
            if label != record.condition
            for one in self._data.record(label, record.scene, record.view).degradations
        )
