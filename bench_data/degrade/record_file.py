"""A file of degradation records: what was made of which picture, so that anyone who has the picture can make it again.

JSON, with one entry a result: the input's name (for people), the output's name, the hash of the result and the records
that `replay` takes.
"""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from ..errors import BenchDataError
from ..whole_file import whole_file
from .record import DegradationRecord

__all__ = [
    "RecordFile",
    "RecordedResult",
    "read_json_file",
    "read_record_file",
    "within_the_folder",
    "write_json_file",
    "write_record_file",
]

ModelT = TypeVar("ModelT", bound=BaseModel)

_MAX_BYTES = 256 * 1024 * 1024


def within_the_folder(name: str) -> str:
    """Refuses names that would leave the folder that results are written to, on any system."""
    path = PurePosixPath(name)
    if not name or path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name or "\x00" in name:
        raise ValueError(f"{name!r} is no plain relative name")
    return name


class RecordedResult(BaseModel):
    """One degraded picture.

    Args:
        input: name of the clean file; not used to find it, its hash stands in the records.
        output: name of the degraded file within its folder, with forward slashes.
        picture_sha256: of the clean picture.
        degraded_sha256: of the degraded picture in RGB, to tell whether a replay gave the same.
        records: in the order in which they acted.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: str
    output: Annotated[str, AfterValidator(within_the_folder)]
    picture_sha256: str
    degraded_sha256: str
    records: tuple[DegradationRecord, ...] = Field(min_length=1)


class RecordFile(BaseModel):
    """All results of one command."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["seeworthy degradation records 1"] = "seeworthy degradation records 1"
    results: tuple[RecordedResult, ...]


def read_record_file(path: str | os.PathLike[str]) -> RecordFile:
    """The records of a file.

    Raises:
        BenchDataError: no such file, or one of another form; the message names the field.
    """
    return read_json_file(Path(path), RecordFile, "file of records")


def write_record_file(records: RecordFile, path: str | os.PathLike[str]) -> None:
    """Writes the file whole or not at all."""
    write_json_file(records, Path(path))


def read_json_file(place: Path, kind: type[ModelT], called: str) -> ModelT:
    """A model out of a JSON file.

    Args:
        called: what the file is, for messages.

    Raises:
        BenchDataError: no such file, or one of another form; the message names the field.
    """
    try:
        if place.stat().st_size > _MAX_BYTES:
            raise BenchDataError(f"{place} is larger than {_MAX_BYTES >> 20} MiB, which is no {called}")
        return kind.model_validate_json(place.read_bytes())
    except OSError as error:
        raise BenchDataError(f"cannot read {place}: {error.strerror or error}") from error
    except ValidationError as error:
        problem = error.errors()[0]
        where = ".".join(str(part) for part in problem["loc"])
        message = problem["msg"].removeprefix("Value error, ")
        raise BenchDataError(f"{place} is no {called}: {f'{where}: ' if where else ''}{message}") from error


def write_json_file(content: BaseModel, place: Path) -> None:
    """Writes a model as JSON, whole or not at all.

    Raises:
        OutputError: it cannot be written.
    """
    with whole_file(place) as part:
        part.write_text(content.model_dump_json(indent=1) + "\n", encoding="utf-8")
