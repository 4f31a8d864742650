"""``.splat`` files: 32 bytes a Gaussian, without a header.

Three float32 for the position, three float32 for the scale (activated), four bytes red, green, blue, opacity, and four
bytes of quaternion w, x, y, z as ``128 q + 128``. Colours do not depend on the view.
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import numpy as np

from ..errors import BenchDataError
from .cloud import GaussianCloud
from .harmonics import SH_C0
from .raw import BadRows, RawSplats, cloud_from_raw

__all__ = ["read_dot_splat", "write_dot_splat"]

_ROW = np.dtype([("mean", "<f4", 3), ("scale", "<f4", 3), ("rgba", "u1", 4), ("quat", "u1", 4)])


def read_dot_splat(path: Path, *, on_bad: BadRows = "drop") -> GaussianCloud:
    """The cloud of a ``.splat`` file, SH degree 0.

    Raises:
        BenchDataError: a size that is no multiple of 32 bytes, or bad rows (see `cloud_from_raw`).
    """
    size = path.stat().st_size
    if size % _ROW.itemsize:
        raise BenchDataError(
            f"cannot read {path.name}: {size} bytes are no multiple of {_ROW.itemsize}; cut off, or no .splat file"
        )
    rows = np.fromfile(path, dtype=_ROW)
    sh = ((rows["rgba"][:, :3] / 255 - 0.5) / SH_C0).astype(np.float32)[:, None, :]
    stored = RawSplats(
        means=np.ascontiguousarray(rows["mean"], dtype=np.float32),
        quats_wxyz=((rows["quat"] - 128.0) / 128).astype(np.float32),
        log_scales=np.ascontiguousarray(rows["scale"], dtype=np.float32),
        opacity_logits=(rows["rgba"][:, 3] / 255).astype(np.float32),
        sh=sh,
    )
    return cloud_from_raw(stored, source=path.name, on_bad=on_bad, activated=True)


def write_dot_splat(cloud: GaussianCloud, file: BinaryIO) -> tuple[str, ...]:
    """Writes the cloud and returns what the format could not hold."""
    rows = np.zeros(len(cloud), dtype=_ROW)
    rows["mean"], rows["scale"] = cloud.means, cloud.scales
    colours = np.clip(cloud.sh[:, 0] * SH_C0 + 0.5, 0, 1)
    rows["rgba"][:, :3] = np.rint(colours * 255)
    rows["rgba"][:, 3] = np.rint(cloud.opacities * 255)
    rows["quat"] = np.clip(np.rint(cloud.quats_wxyz * 128 + 128), 0, 255)
    file.write(rows.tobytes())
    lost = ["colours, opacities and orientations are rounded to 8 bits"]
    if cloud.sh_degree:
        lost.append(f"colour that depends on the view (SH degree {cloud.sh_degree}) is left out")
    if cloud.instance_ids is not None:
        lost.append("instance ids are left out")
    return tuple(lost)
