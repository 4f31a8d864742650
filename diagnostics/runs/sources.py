"""Where the items of a run come from: suite files in any known format, and folders of built data sets."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from ...bench_data.suites import SuiteItem, read_suite
from ...bench_data.suites.data_sets import is_data_set
from ..errors import DiagnosticsError
from .items import Unasked, askable
from .stress import DEGRADATIONS_TAG, true_stress

if TYPE_CHECKING:
    from ...bench_data.building.conditions import Condition

__all__ = ["Source", "own_mixture", "read_sources"]


class Source(BaseModel):
    """A suite.

    Args:
        path: of a suite file or folder, or of a data set; absolute.
        format: of a suite whose content does not tell it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str
    format: str | None = None

    @classmethod
    def at(cls, path: str | Path, format: str | None = None) -> Source:  # noqa: A002 - the field's name
        """The suite at a path, relative to the current folder."""
        return cls(path=os.path.abspath(path), format=format)  # noqa: PTH100 - Path.resolve would follow links


def read_sources(
    sources: Sequence[Source], *, conditions: Sequence[str] | None, unasked: Unasked
) -> tuple[SuiteItem, ...]:
    """All items that can be asked, of several suites with the suite's name before their ids.

    Args:
        sources: at least one.
        conditions: to keep; None for all.
        unasked: gets the reasons why items were left out.

    Raises:
        BenchDataError: a suite cannot be read.
        DiagnosticsError: a condition that no item has, or no item at all.
    """
    items: list[SuiteItem] = []
    there: set[str] = set()
    labels = _labels(sources)
    for source, label in zip(sources, labels, strict=True):
        for item in askable(_items_of(source, conditions, there, unasked), unasked):
            there.add(item.condition)
            if conditions is not None and item.condition not in conditions:
                continue
            prefix = f"{label}/" if len(sources) > 1 else ""
            items.append(
                replace(
                    item,
                    id=f"{prefix}{item.id}",
                    question_id=f"{prefix}{item.question_id}",
                    scene=f"{prefix}{item.scene}" if item.scene else "",
                    # What only writing needs would fill the memory of a large run.
                    source=None,
                    question=None,
                )
            )
    missing = [name for name in conditions or () if name not in there]
    if missing:
        known = ", ".join(sorted(there)) or "none"
        raise DiagnosticsError(f"no item has the condition {missing[0]!r}; the suites have: {known}")
    if not items:
        raise DiagnosticsError(f"nothing to ask in {', '.join(one.path for one in sources)}; {unasked.describe()}")
    return tuple(items)


def _items_of(
    source: Source, conditions: Sequence[str] | None, there: set[str], unasked: Unasked
) -> Iterator[SuiteItem]:
    path = Path(source.path)
    if source.format is None and path.is_dir() and is_data_set(path):
        yield from _of_data_set(path, conditions, there, unasked)
    else:
        yield from read_suite(path, format=source.format)


def _of_data_set(
    path: Path, conditions: Sequence[str] | None, there: set[str], unasked: Unasked
) -> Iterator[SuiteItem]:
    from ...bench_data.building import DataSet
    from ...bench_data.building.suite_items import suite_items

    data = DataSet(path)
    there.update(data.conditions)
    mixtures = {one.label: own_mixture(one) for one in data.settings.conditions}
    for suite in data.suites:
        for condition in data.conditions:
            if conditions is not None and condition not in conditions:
                continue
            for item in suite_items(data, suite, condition, unasked.reasons):
                words = mixtures[condition]
                yield replace(item, tags={**item.tags, DEGRADATIONS_TAG: words}) if words else item


def own_mixture(condition: Condition) -> str:
    """The parts of a mixture whose label does not tell them, as the tag has it; "" for other conditions."""
    if true_stress(condition.label, {}) is not None:
        return ""
    levels = {part.degradation: part.severity for part in condition.parts}
    return ",".join(
        f"{name}@{level[0]}-{level[1]}" if isinstance(level, tuple) else f"{name}@{level}"
        for name, level in levels.items()
    )


def _labels(sources: Sequence[Source]) -> list[str]:
    """Short names for suites, all different."""
    labels: list[str] = []
    for source in sources:
        name = Path(source.path).stem
        same = sum(label == name or label.startswith(f"{name}-") for label in labels)
        labels.append(f"{name}-{same + 1}" if same else name)
    if len(set(labels)) < len(labels) or len({one.path for one in sources}) < len(sources):
        raise DiagnosticsError("a suite is named twice; give each once")
    return labels
