"""SpatialBench's tree (arXiv 2605.27367): an index of scenes, and folders of frames with depth and poses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..files.json_tree import json_tree_rows
from ..files.rows import BadRow
from ..findings import Fields, Finding, RecordError
from ..geometry.sample import INDEX, sample_from_record
from ..limits import SuiteLimits
from ..registry import Row, SuiteFormat, suite_format

__all__ = ["NAME"]

NAME = "spatialbench"


def _detect(path: Path) -> bool:
    with (path / INDEX).open("rb") as stream:
        head = stream.read(1 << 16)
    return b'"scene_path"' in head and b'"frame_indices"' in head


def _read(path: Path, limits: SuiteLimits) -> Iterator[Row]:
    index = path if path.is_file() else path / INDEX
    seen: set[str] = set()
    for raw in json_tree_rows(index, limits=limits):
        findings: list[Finding] = []
        if isinstance(raw, BadRow):
            yield Row(INDEX, raw.line, None, (Finding("error", raw.code, INDEX, raw.message, raw.line),))
            continue
        named = raw.fields.get("scene_id")
        record = named[:80] if isinstance(named, str) else None

        def warn(code: str, field: str, message: str, line: int = raw.line, record: str | None = record) -> None:
            findings.append(Finding("warning", code, INDEX, message, line, record, field))  # noqa: B023 - used at once

        sample = None
        try:
            sample = sample_from_record(Fields(raw.fields, warn=warn), index.parent)
            if sample.scene_id in seen:
                message = "another record has this id; results are stored by id"
                findings.append(Finding("error", "duplicate_id", INDEX, message, raw.line, record, "scene_id"))
            seen.add(sample.scene_id)
        except RecordError as error:
            findings.append(Finding("error", error.code, INDEX, str(error), raw.line, record, error.field))
        yield Row(INDEX, raw.line, sample, tuple(findings))


suite_format(
    SuiteFormat(
        name=NAME,
        summary="SpatialBench: an index and a tree of frames with depth and poses, for models of geometry",
        content="geometry",
        layout="folder",
        losses=("written by write_geometry(), not from questions",),
        detect=_detect,
        read=_read,
    )
)
