"""Arrays and grey pictures of a geometry suite, read with their sizes checked first."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...errors import BenchDataError
from ...images.decoding import decode
from ...images.files import read_file
from ...images.limits import ImageLimits
from ...images.opaque import scalar_samples

__all__ = ["read_array", "read_grey", "read_mask"]


def read_array(path: Path, limits: ImageLimits) -> NDArray[np.float64]:
    """The numbers of a .npy file.

    Raises:
        BenchDataError: no such file, objects in it (never unpickled), not real numbers, or too large.
    """
    limits.check_file(path.stat().st_size if path.exists() else 1, str(path))
    try:
        with path.open("rb") as stream:
            version = np.lib.format.read_magic(stream)
            read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
            shape, _, dtype = read(stream)
            # A header can promise any size; memory is reserved only for what the file really holds.
            if dtype.kind not in "iuf" or math.prod(shape) * dtype.itemsize > path.stat().st_size - stream.tell():
                raise BenchDataError(f"{path.name}: the array must be real numbers and whole, got {shape} of {dtype}")
        array = np.load(path, allow_pickle=False)
    except BenchDataError:
        raise
    except (OSError, ValueError, EOFError, TypeError, SyntaxError) as error:
        raise BenchDataError(f"{path.name}: the .npy file cannot be read ({error})") from error
    return np.asarray(array, dtype=np.float64)


def read_grey(path: Path, limits: ImageLimits) -> NDArray[np.generic]:
    """(H, W) stored samples of a grey picture of 8 or 16 bits, in its own type.

    Raises:
        BenchDataError: it cannot be read, or has colours.
    """
    image = decode(read_file(path, limits), source=path.name, limits=limits, animated="error").image
    samples = scalar_samples(image)
    if samples is not None:
        return np.asarray(samples)
    if image.mode not in ("L", "1"):
        raise BenchDataError(f"{path.name}: a grey picture is expected, got mode {image.mode}")
    return np.asarray(image.convert("L"))


def read_mask(path: Path, limits: ImageLimits) -> NDArray[np.bool_]:
    """(H, W), true where the stored value is not 0."""
    return np.asarray(read_grey(path, limits) != 0)
