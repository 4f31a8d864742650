"""Raw values, as files store them, and activated values, as renderers use them.

Files of trained scenes hold what the optimiser holds: opacity as a logit, scale as a natural logarithm, and quaternions
of any length. Rows that no renderer can draw (training leaves some) are counted and dropped here, or refused.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..errors import BenchDataError, BenchDataWarning
from ..rotations import unit_quats
from .cloud import GaussianCloud

__all__ = ["BadRows", "RawSplats", "cloud_from_raw", "note_and_warn", "raw_from_cloud"]

BadRows: TypeAlias = Literal["drop", "error"]

_SMALLEST_SCALE = float(np.finfo(np.float32).tiny)
_OPAQUE_LOGIT, _CLEAR_LOGIT = 20.0, -120.0
"""Finite logits whose sigmoid is exactly 1 and exactly 0 in float32."""


@dataclass(frozen=True, kw_only=True)
class RawSplats:
    """The columns of a splat file, before activation.

    Args:
        means: (N, 3) float32.
        quats_wxyz: (N, 4) float32, any length.
        log_scales: (N, 3) float32.
        opacity_logits: (N,) float32.
        sh: (N, K, 3) float32.
        instance_ids: (N,) int32 or None.
    """

    means: NDArray[np.float32]
    quats_wxyz: NDArray[np.float32]
    log_scales: NDArray[np.float32]
    opacity_logits: NDArray[np.float32]
    sh: NDArray[np.float32]
    instance_ids: NDArray[np.int32] | None = None

    def __len__(self) -> int:
        return len(self.means)


def cloud_from_raw(
    raw: RawSplats, *, source: str, on_bad: BadRows = "drop", activated: bool = False, notes: tuple[str, ...] = ()
) -> GaussianCloud:
    """Activates, drops what cannot be drawn, and says so.

    Args:
        raw: the columns of a file.
        source: its name, for messages.
        on_bad: "drop" rows that are not finite, have a zero quaternion or an infinite scale; or "error".
        activated: the opacity and scale columns hold activated values already.
        notes: what the reader noted so far.

    Raises:
        BenchDataError: a bad row under "error", nothing left, or values outside the range that ``activated`` promises.

    Warns:
        BenchDataWarning: rows were dropped, or the values look activated although ``activated`` is false.
    """
    if on_bad not in ("drop", "error"):
        raise BenchDataError(f'on_bad must be "drop" or "error", got {on_bad!r}')
    found = list(notes)
    if not activated and _look_activated(raw):
        note = "opacity and scale look activated; pass activated=True"
        found.append(note_and_warn(f"{note} if this file was not written as the standard says", source))
    scales, opacities = (raw.log_scales, raw.opacity_logits) if activated else _activated(raw)
    kinds = _bad_rows(raw, scales)
    bad = np.logical_or.reduce(list(kinds.values()))
    if bad.any():
        if on_bad == "error":
            raise BenchDataError(f'cannot read {source}: {_first_bad(raw, kinds)}; drop such rows with on_bad="drop"')
        counts = ", ".join(f"{int(rows.sum())} {kind}" for kind, rows in kinds.items() if rows.any())
        report = f"{len(raw)} rows, {int(bad.sum())} dropped: {counts}"
        if bad.all():
            raise BenchDataError(f"cannot read {source}: nothing is left of its {report}")
        found.append(note_and_warn(report, source))
    keep = slice(None) if not bad.any() else ~bad
    try:
        return GaussianCloud(
            means=_given(raw.means[keep]),
            quats_wxyz=_given(unit_quats(raw.quats_wxyz[keep], warn=False).astype(np.float32)),
            scales=_given(scales[keep]),
            opacities=_given(opacities[keep]),
            sh=_given(raw.sh[keep]),
            instance_ids=None if raw.instance_ids is None else raw.instance_ids[keep],
            notes=tuple(found),
        )
    except BenchDataError as error:
        raise BenchDataError(f"cannot read {source}: {error}") from error


def raw_from_cloud(cloud: GaussianCloud) -> RawSplats:
    """The columns to write. Reading them back gives the cloud again, to float32 rounding of the logit and logarithm."""
    opacities = cloud.opacities.astype(np.float64)
    with np.errstate(divide="ignore"):
        logits = np.log(opacities) - np.log1p(-opacities)
    return RawSplats(
        means=cloud.means,
        quats_wxyz=cloud.quats_wxyz,
        log_scales=np.log(cloud.scales.astype(np.float64)).astype(np.float32),
        opacity_logits=np.clip(logits, _CLEAR_LOGIT, _OPAQUE_LOGIT).astype(np.float32),
        sh=cloud.sh,
        instance_ids=cloud.instance_ids,
    )


def note_and_warn(note: str, source: str) -> str:
    """Warns, and returns the note for `GaussianCloud.notes`."""
    warnings.warn(f"{source}: {note}", BenchDataWarning, stacklevel=2)
    return note


def _activated(raw: RawSplats) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Scales (N, 3) and opacities (N,)."""
    with np.errstate(over="ignore"):
        # A scale that underflows float32 stays positive. NaN stays NaN, and is found as a bad row.
        scales = np.maximum(np.exp(raw.log_scales.astype(np.float64)), _SMALLEST_SCALE).astype(np.float32)
        opacities = (1 / (1 + np.exp(-raw.opacity_logits.astype(np.float64)))).astype(np.float32)
    return scales, opacities


def _look_activated(raw: RawSplats) -> bool:
    """Logits of a scene spread far beyond [0, 1], and logarithms of sizes under a metre are negative."""
    if len(raw) == 0:
        return False
    opacities, scales = raw.opacity_logits, raw.log_scales
    return bool(((opacities >= 0) & (opacities <= 1)).all() and (scales > 0).all())


def _bad_rows(raw: RawSplats, scales: NDArray[np.float32]) -> dict[str, NDArray[np.bool_]]:
    """(N,) masks by kind; a row is counted once."""
    sh_finite = np.ones(len(raw), dtype=bool)
    for start in range(0, len(raw), 65536):  # a mask of all coefficients at once would be large
        rows = slice(start, start + 65536)
        sh_finite[rows] = np.isfinite(raw.sh[rows]).all(axis=(1, 2))
    finite = sh_finite & np.isfinite(raw.opacity_logits)
    finite &= np.isfinite(raw.means).all(axis=1) & np.isfinite(raw.quats_wxyz).all(axis=1)
    finite &= ~np.isnan(raw.log_scales).any(axis=1)
    zero = finite & (raw.quats_wxyz == 0).all(axis=1)
    infinite = finite & ~zero & (np.isinf(raw.log_scales) | np.isinf(scales)).any(axis=1)
    return {"non-finite": ~finite, "zero quaternion": zero, "infinite scale": infinite}


def _first_bad(raw: RawSplats, kinds: dict[str, NDArray[np.bool_]]) -> str:
    row, kind = min((int(np.argmax(rows)), kind) for kind, rows in kinds.items() if rows.any())
    if kind == "infinite scale":
        values = raw.log_scales[row]
        worst = values[np.argmax(np.abs(values))]
        return f"row {row} has scale {worst:g}"
    if kind == "zero quaternion":
        return f"row {row} has the quaternion 0 0 0 0"
    columns = {
        "position": raw.means[row],
        "quaternion": raw.quats_wxyz[row],
        "scale": raw.log_scales[row],
        "opacity": raw.opacity_logits[row],
        "colour": raw.sh[row].ravel(),
    }
    name, values = next((name, np.atleast_1d(v)) for name, v in columns.items() if not np.isfinite(v).all())
    return f"row {row} has {name} {values[~np.isfinite(values)][0]:g}"


def _given(array: NDArray[np.float32]) -> NDArray[np.float32]:
    """Read-only, which lets the cloud take the array without a copy."""
    array.setflags(write=False)
    return array
