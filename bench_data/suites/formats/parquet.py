"""Parquet that Hugging Face ``datasets`` loads, pictures inside: ``load_dataset("FOLDER")``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import JsonValue

from ..files.rows import BadRow, RawRow
from ..findings import Fields
from ..flat import FlatItem, flat_item, item_from_flat
from ..item import SuiteImage, SuiteItem
from ..limits import SuiteLimits
from ..registry import Held, Row, SuiteFormat, suite_format
from ..rows import decoded_rows

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["DATA_FILE", "NAME", "write_parquet"]

NAME = "parquet"
DATA_FILE = "data/test-00000-of-00001.parquet"
_GROUP_BYTES = 64 * 2**20
_GROUP_ROWS = 512


def _detect(path: Path) -> bool:
    return (path / DATA_FILE).is_file()


def _schema() -> pa.Schema:
    """Arrow types, and beside them the features that ``datasets`` reads, in the form that all its versions know."""
    import pyarrow as pa

    image = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    fields = [pa.field(name, pa.list_(pa.string()) if name == "options" else pa.string()) for name in _columns()]
    fields.append(pa.field("images", pa.list_(image)))
    text = {"dtype": "string", "_type": "Value"}
    features: dict[str, object] = {name: [text] if name == "options" else text for name in _columns()}
    features["images"] = [{"_type": "Image"}]
    return pa.schema(fields, metadata={"huggingface": json.dumps({"info": {"features": features}})})


def _columns() -> tuple[str, ...]:
    return tuple(FlatItem.__annotations__)


def write_parquet(items: Iterable[SuiteItem], path: Path) -> None:
    """One Parquet file with pictures inside, some hundred rows held at a time.

    Raises:
        BenchDataError: a picture cannot be read.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = _schema()
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    rows: list[dict[str, object]] = []
    size = 0
    try:
        # Statistics of the pictures' bytes would be as large as the pictures.
        with pq.ParquetWriter(part, schema, compression="zstd", write_statistics=["id", "condition"]) as writer:
            for item in items:
                pictures = [{"bytes": image.read(), "path": image.path} for image in item.images]
                size += sum(len(picture["bytes"]) for picture in pictures)
                rows.append({**flat_item(item), "images": pictures})
                if size > _GROUP_BYTES or len(rows) >= _GROUP_ROWS:
                    writer.write_table(pa.Table.from_pylist(rows, schema=schema))
                    rows, size = [], 0
            if rows:
                writer.write_table(pa.Table.from_pylist(rows, schema=schema))
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _read(path: Path, limits: SuiteLimits) -> Iterator[Row]:
    return decoded_rows(_raw_rows(path / DATA_FILE), _decode, file=DATA_FILE)


def _raw_rows(file: Path) -> Iterator[RawRow | BadRow]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = 0
    try:
        with pq.ParquetFile(file) as parquet:
            missing = [name for name in (*_columns(), "images") if name not in parquet.schema_arrow.names]
            if missing:
                yield BadRow(1, "bad_header", f"the file lacks the columns {', '.join(missing)}", last=True)
                return
            for batch in parquet.iter_batches(batch_size=16, columns=[*_columns(), "images"]):
                for record in batch.to_pylist():
                    number += 1
                    yield RawRow(number, record)
    except (pa.ArrowException, ValueError) as error:
        yield BadRow(number + 1, "bad_file", f"no Parquet file, or a damaged one: {error}", last=True)


def _decode(fields: Fields, raw: RawRow) -> SuiteItem:
    images = []
    for picture in fields.listed("images"):
        if not isinstance(picture, Mapping):
            raise fields.error("wrong_type", "images", "each picture must be a record of bytes and path")
        images.append(_picture(fields, picture))
    return item_from_flat(fields, tuple(images))


def _picture(fields: Fields, picture: Mapping[str, JsonValue]) -> SuiteImage:
    data: object = picture.get("bytes")
    if not isinstance(data, bytes):
        raise fields.error("missing_image", "images", "a picture has no bytes in the file")
    return SuiteImage(fields.checked_path(str(picture.get("path")), "images"), data=data)


def _write(items: Iterable[SuiteItem], path: Path) -> None:
    write_parquet(items, path / DATA_FILE)


def _refuses(item: SuiteItem) -> str | None:
    return "masks" if item.mask is not None else None


suite_format(
    SuiteFormat(
        name=NAME,
        summary="Parquet with pictures inside, for Hugging Face datasets: load_dataset(FOLDER)",
        layout="folder",
        holds=frozenset(Held),
        detect=_detect,
        read=_read,
        write=_write,
        refuses=_refuses,
    )
)
