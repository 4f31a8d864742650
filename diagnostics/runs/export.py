"""A run's records as a Parquet file, one row a record, for notebooks and databases."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from ...tools.models.surrogates import without_lone_surrogates
from ..errors import DiagnosticsError
from .folder import RunFolder
from .items import RunItem
from .record import CallRecord
from .store import read_records

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["export_parquet"]

_ROWS_AT_ONCE = 5000


def export_parquet(folder: RunFolder, path: Path) -> int:
    """Writes every record of a run; texts are whole, but for half characters, which no table can hold.

    Args:
        path: of the file; it appears when it is whole.

    Returns:
        The number of rows.

    Raises:
        DiagnosticsError: the run is damaged, or the file cannot be written.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    items = {item.id: item for item in folder.items()}
    schema = _schema()
    part = path.with_name(f".{path.name}.part")
    count = 0
    try:
        with pq.ParquetWriter(part, schema, compression="zstd") as writer:
            records = read_records(folder.records)
            while batch := list(islice(records, _ROWS_AT_ONCE)):
                writer.write_table(pa.Table.from_pylist(list(_rows(batch, items)), schema=schema))
                count += len(batch)
        part.replace(path)
    except OSError as error:
        raise DiagnosticsError(f"cannot write {path}: {error}; check the path and free some room") from error
    finally:
        part.unlink(missing_ok=True)
    return count


def _schema() -> pa.Schema:
    import pyarrow as pa

    text, whole, real = pa.string(), pa.int64(), pa.float64()
    texts = ("key", "item", "condition", "model", "prompt", "suite", "kind", "scene", "question", "truth", "sent")
    return pa.schema(
        [
            *((name, text) for name in texts),
            ("repeat", whole),
            ("seed", whole),
            *((name, text) for name in ("status", "text", "reasoning", "finish_reason", "model_reported")),
            *((name, text) for name in ("fault", "fault_message", "notes", "at")),
            *((name, whole) for name in ("input_tokens", "output_tokens", "calls", "attempts")),
            ("cost_usd", real),
            ("latency_s", real),
        ]
    )


def _rows(records: list[CallRecord], items: dict[str, RunItem]) -> Iterator[dict[str, object]]:
    for record in records:
        reply, item = record.reply, items.get(record.item)
        row: dict[str, object] = {
            "key": record.key,
            "item": record.item,
            "condition": record.condition,
            "model": record.arm,
            "prompt": record.prompt,
            "repeat": record.repeat,
            "seed": record.seed,
            "suite": item.suite if item else None,
            "kind": item.kind if item else None,
            "scene": item.scene if item else None,
            "question": item.text if item else None,
            "truth": json.dumps(item.truth) if item else None,
            "sent": json.dumps(record.sent),
            "status": reply.status.value,
            "text": reply.text,
            "reasoning": reply.reasoning,
            "finish_reason": reply.finish_reason,
            "model_reported": reply.model_reported,
            "fault": reply.fault.kind.value if reply.fault else None,
            "fault_message": reply.fault.message if reply.fault else None,
            "notes": "\n".join(reply.notes),
            "at": record.at,
            "input_tokens": record.spent.input_tokens,
            "output_tokens": record.spent.output_tokens,
            "calls": record.spent.calls,
            "attempts": reply.attempts,
            "cost_usd": None if record.spent.unpriced else record.spent.usd,
            "latency_s": reply.latency_s,
        }
        yield {name: without_lone_surrogates(cell) if isinstance(cell, str) else cell for name, cell in row.items()}
