"""A fit on disk: one ``.npz`` with its arrays and a JSON text; no pickle, and never half a file."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import BenchDataError
from ..whole_file import whole_file

__all__ = ["read_checkpoint", "write_checkpoint", "write_text_atomically"]

_META = "meta"
_FORMAT = 1


def write_checkpoint(path: Path, arrays: dict[str, NDArray[np.generic]], meta: dict[str, object]) -> None:
    """Writes a checkpoint; a reader sees the old one or the new one, also after a power cut.

    Args:
        path: ending in ``.npz``.
        arrays: by name, without one called "meta".
        meta: what JSON can hold.

    Raises:
        OutputError: it cannot be written.
    """
    text = json.dumps({"format": _FORMAT, **meta}, sort_keys=True)
    with whole_file(path) as part, part.open("wb") as file:
        np.savez(file, allow_pickle=False, **{_META: np.array(text)}, **arrays)
        file.flush()
        os.fsync(file.fileno())


def read_checkpoint(path: Path) -> tuple[dict[str, NDArray[np.generic]], dict[str, object]]:
    """The arrays and the JSON of a checkpoint.

    Raises:
        BenchDataError: no such file, or none that this version wrote.
    """
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        meta = json.loads(str(arrays.pop(_META)))
    except OSError as error:
        raise BenchDataError(f"cannot read the checkpoint {path}: {error.strerror or error}") from error
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise BenchDataError(
            f"cannot read the checkpoint {path}: it is damaged, or no checkpoint; start the fit anew"
        ) from error
    if not isinstance(meta, dict) or meta.get("format") != _FORMAT:
        raise BenchDataError(f"the checkpoint {path} is of another version; start the fit anew")
    return arrays, meta


def write_text_atomically(path: Path, text: str) -> None:
    """Writes a text file that is never seen half.

    Raises:
        OutputError: it cannot be written.
    """
    with whole_file(path) as part:
        part.write_text(text, encoding="utf-8")
