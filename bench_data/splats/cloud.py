"""GaussianCloud: a 3D Gaussian scene in memory, checked once and then never in doubt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import BenchDataError
from ..rotations import matrix_from_quat, multiply_quats, nearest_rotation, quat_from_matrix, unit_quats
from .harmonics import degree_of, rotated_sh

__all__ = ["NO_INSTANCE", "GaussianCloud"]

NO_INSTANCE = -1
"""The instance id of a Gaussian that belongs to no instance."""

_T = TypeVar("_T", bound=np.generic)


@dataclass(frozen=True, eq=False, kw_only=True)
class GaussianCloud:
    """3D Gaussians with activated values: what a renderer draws, not the logits and logarithms that files store.

    All arrays become C-contiguous, read-only float32 (copied unless they are that already).

    Args:
        means: (N, 3) centres in the world, metres.
        quats_wxyz: (N, 4) orientations, world from the Gaussian's own axes; normalised.
        scales: (N, 3) standard deviations along the own axes, metres, > 0.
        opacities: (N,) in [0, 1].
        sh: (N, K, 3) display-encoded colour as real spherical harmonics, K = 1, 4, 9 or 16 (see `harmonics`).
        instance_ids: (N,) int32, -1 for none; None when nothing is known about instances.
        notes: what a reader had to do ("4 rows, 3 dropped: ...").

    Raises:
        BenchDataError: shapes that do not match, values that are not finite, a zero quaternion, and values that look
            raw: opacities outside [0, 1], scales that are not positive. The message names the row.

    Warns:
        BenchDataWarning: quaternions that were not of unit length.
    """

    means: NDArray[np.float32]
    quats_wxyz: NDArray[np.float32]
    scales: NDArray[np.float32]
    opacities: NDArray[np.float32]
    sh: NDArray[np.float32]
    instance_ids: NDArray[np.int32] | None = None
    notes: tuple[str, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        means = _array(self.means, "means", ("N", 3))
        count = len(means)
        quats = _array(self.quats_wxyz, "quats_wxyz", (count, 4))
        scales = _array(self.scales, "scales", (count, 3))
        opacities = _array(self.opacities, "opacities", (count,))
        sh = _array(self.sh, "sh", (count, "K", 3))
        degree_of(sh.shape[1])
        _refuse_raw(scales, opacities)
        unit = unit_quats(quats, name="quats_wxyz").astype(np.float32)
        object.__setattr__(self, "means", means)
        object.__setattr__(self, "quats_wxyz", _frozen(unit) if not np.array_equal(unit, quats) else quats)
        object.__setattr__(self, "scales", scales)
        object.__setattr__(self, "opacities", opacities)
        object.__setattr__(self, "sh", sh)
        if self.instance_ids is not None:
            object.__setattr__(self, "instance_ids", _instance_ids(self.instance_ids, count))
        object.__setattr__(self, "notes", tuple(self.notes))

    def __len__(self) -> int:
        return len(self.means)

    def __repr__(self) -> str:
        instances = "" if self.instance_ids is None else f", {len(np.unique(self.instance_ids))} instance ids"
        return f"GaussianCloud({len(self):,} Gaussians, SH degree {self.sh_degree}{instances})"

    @property
    def sh_degree(self) -> int:
        """0 to 3."""
        return degree_of(self.sh.shape[1])

    @cached_property
    def covariances(self) -> NDArray[np.float32]:
        """(N, 6) float32: xx, xy, xz, yy, yz, zz of R diag(scales^2) R^T, in the world; computed once."""
        result = np.empty((len(self), 6), dtype=np.float32)
        for rows in _blocks(len(self)):
            axes = matrix_from_quat(self.quats_wxyz[rows]) * self.scales[rows, None, :].astype(np.float64)
            full = axes @ np.swapaxes(axes, -1, -2)
            result[rows] = full[:, (0, 0, 0, 1, 1, 2), (0, 1, 2, 1, 2, 2)]
        return _frozen(result)

    @cached_property
    def bounds_m(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """((3,), (3,)): the smallest box around the means.

        Raises:
            BenchDataError: the cloud is empty.
        """
        if len(self) == 0:
            raise BenchDataError("an empty cloud has no bounds")
        return self.means.min(axis=0), self.means.max(axis=0)

    @classmethod
    def empty(cls, sh_degree: int = 0) -> GaussianCloud:
        """No Gaussians; rendering it gives the background."""
        return cls(
            means=np.zeros((0, 3), np.float32),
            quats_wxyz=np.zeros((0, 4), np.float32),
            scales=np.zeros((0, 3), np.float32),
            opacities=np.zeros(0, np.float32),
            sh=np.zeros((0, (sh_degree + 1) ** 2, 3), np.float32),
        )

    @classmethod
    def merged(cls, clouds: Sequence[GaussianCloud]) -> GaussianCloud:
        """One cloud of all, in order. Missing SH bands are zero; missing instance ids are -1."""
        if not clouds:
            return cls.empty()
        degree = max(cloud.sh_degree for cloud in clouds)
        ids = None
        if any(cloud.instance_ids is not None for cloud in clouds):
            ids = np.concatenate([_ids_or_none(cloud) for cloud in clouds])
        return cls(
            means=_joined([cloud.means for cloud in clouds]),
            quats_wxyz=_joined([cloud.quats_wxyz for cloud in clouds]),
            scales=_joined([cloud.scales for cloud in clouds]),
            opacities=_joined([cloud.opacities for cloud in clouds]),
            sh=_joined([cloud.with_sh_degree(degree).sh for cloud in clouds]),
            instance_ids=ids,
            notes=tuple(dict.fromkeys(note for cloud in clouds for note in cloud.notes)),
        )

    def transformed(self, new_from_old: ArrayLike) -> GaussianCloud:
        """The cloud in other world coordinates.

        Args:
            new_from_old: (4, 4) rotation, shift and uniform scale. Means, orientations, sizes and the view-dependent
                colours all follow, so that a camera which is moved along sees the same picture.

        Raises:
            BenchDataError: a transform that shears, mirrors, or scales the axes differently: a Gaussian's colour
                cannot follow that.
        """
        matrix = np.asarray(new_from_old, dtype=np.float64)
        if matrix.shape != (4, 4) or not np.isfinite(matrix).all() or not np.array_equal(matrix[3], [0, 0, 0, 1]):
            raise BenchDataError(f"new_from_old must be a finite (4, 4) matrix with last row 0 0 0 1, got {matrix}")
        factor = float(np.cbrt(abs(np.linalg.det(matrix[:3, :3]))))
        if factor == 0:
            raise BenchDataError("new_from_old flattens the world (determinant 0)")
        R = nearest_rotation(matrix[:3, :3] / factor, name="the rotation of new_from_old", tolerance=1e-5)
        return replace(
            self,
            means=_f32(self.means.astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]),
            quats_wxyz=_f32(multiply_quats(quat_from_matrix(R), self.quats_wxyz)),
            scales=_f32(self.scales * np.float32(factor)),
            sh=self.sh if np.array_equal(R, np.eye(3)) else _frozen(rotated_sh(self.sh, R)),
        )

    def selected(self, rows: ArrayLike) -> GaussianCloud:
        """The Gaussians of a mask (N,) of bool, or of an array of row numbers, in that order."""
        index = np.asarray(rows)
        if index.size == 0 and index.dtype != np.bool_:
            index = index.astype(np.intp)
        if index.ndim != 1 or index.dtype.kind not in "biu" or (index.dtype == np.bool_ and len(index) != len(self)):
            raise BenchDataError(f"rows must be a mask ({len(self)},) or row numbers, got {index.dtype} {index.shape}")
        if index.dtype != np.bool_ and index.size and not -len(self) <= index.min() <= index.max() < len(self):
            raise BenchDataError(f"row numbers must lie in 0 .. {len(self) - 1}")
        return replace(
            self,
            means=_frozen(self.means[index]),
            quats_wxyz=_frozen(self.quats_wxyz[index]),
            scales=_frozen(self.scales[index]),
            opacities=_frozen(self.opacities[index]),
            sh=_frozen(self.sh[index]),
            instance_ids=None if self.instance_ids is None else self.instance_ids[index],
        )

    def cropped(self, low_m: ArrayLike, high_m: ArrayLike) -> GaussianCloud:
        """The Gaussians whose means lie in the closed box from ``low_m`` (3,) to ``high_m`` (3,)."""
        low, high = np.asarray(low_m, dtype=np.float64), np.asarray(high_m, dtype=np.float64)
        if low.shape != (3,) or high.shape != (3,) or not (low <= high).all():
            raise BenchDataError(f"a box needs low <= high with shape (3,), got {low.tolist()} and {high.tolist()}")
        return self.selected(((self.means >= low) & (self.means <= high)).all(axis=1))

    def subsampled(self, count: int, rng: np.random.Generator) -> GaussianCloud:
        """``count`` Gaussians drawn without replacement, in their old order; sizes and opacities stay as they are."""
        if not 0 <= count <= len(self):
            raise BenchDataError(f"cannot draw {count} of {len(self)} Gaussians")
        return self.selected(np.sort(rng.choice(len(self), size=count, replace=False)))

    def with_sh_degree(self, degree: int) -> GaussianCloud:
        """The same cloud with more bands (zero) or fewer (cut off: colours depend less on the view)."""
        if degree not in range(4):
            raise BenchDataError(f"the degree must be 0, 1, 2 or 3, got {degree!r}")
        if degree == self.sh_degree:
            return self
        count = (degree + 1) ** 2
        sh = np.zeros((len(self), count, 3), np.float32)
        shared = min(count, self.sh.shape[1])
        sh[:, :shared] = self.sh[:, :shared]
        return replace(self, sh=_frozen(sh))

    def with_instance_ids(self, instance_ids: ArrayLike | None) -> GaussianCloud:
        """The same cloud with other instance ids (N,), one for all, or None."""
        if instance_ids is None:
            return replace(self, instance_ids=None)
        return replace(self, instance_ids=np.broadcast_to(np.asarray(instance_ids), len(self)))

    def instance(self, instance_id: int) -> GaussianCloud:
        """The Gaussians of one instance."""
        if self.instance_ids is None:
            raise BenchDataError("this cloud has no instance ids; set them with with_instance_ids()")
        return self.selected(self.instance_ids == instance_id)


def _array(value: ArrayLike, name: str, shape: tuple[int | str, ...]) -> NDArray[np.float32]:
    """Checked float32; a letter in ``shape`` stands for any size."""
    wanted = str(shape).replace("'", "")
    try:
        given = np.asarray(value)
        if given.dtype.kind not in "fiu":
            raise TypeError
        with np.errstate(over="ignore"):
            array = np.ascontiguousarray(given, dtype=np.float32)
    except (TypeError, ValueError):
        raise BenchDataError(f"{name} must be real numbers of shape {wanted}") from None
    if array.ndim != len(shape) or any(isinstance(n, int) and n != m for n, m in zip(shape, array.shape, strict=True)):
        raise BenchDataError(f"{name} must have shape {wanted}, got {array.shape}")
    for rows in _blocks(len(array)):
        finite = np.isfinite(array[rows])
        if not finite.all():
            row = rows.start + int(np.argwhere(~finite)[0][0])
            raise BenchDataError(f"{name} row {row} is not finite: {np.asarray(array[row]).ravel()[:6].tolist()}")
    if np.shares_memory(array, given) and given.flags.writeable:
        array = array.copy()
    return _frozen(array)


def _refuse_raw(scales: NDArray[np.float32], opacities: NDArray[np.float32]) -> None:
    outside = np.asarray((opacities < 0) | (opacities > 1))
    if outside.any():
        row = int(np.argmax(outside))
        raise BenchDataError(
            f"opacities must lie in [0, 1], row {row} is {opacities[row]:g}; if these are the raw values of a file "
            "(logits), pass 1 / (1 + exp(-raw))"
        )
    outside = np.asarray((scales <= 0).any(axis=1))
    if outside.any():
        row = int(np.argmax(outside))
        raise BenchDataError(
            f"scales must be positive metres, row {row} is {scales[row].tolist()}; if these are the raw values of a "
            "file (logarithms), pass exp(raw)"
        )


def _instance_ids(value: ArrayLike, count: int) -> NDArray[np.int32]:
    ids = np.asarray(value)
    if ids.shape != (count,) or ids.dtype.kind not in "iu":
        raise BenchDataError(f"instance_ids must be whole numbers of shape ({count},), got {ids.dtype} {ids.shape}")
    if ids.size and (int(ids.min()) < NO_INSTANCE or int(ids.max()) > np.iinfo(np.int32).max):
        raise BenchDataError("instance_ids must be -1 (none) or from 0 to 2147483647")
    return _frozen(np.array(ids, dtype=np.int32))


def _ids_or_none(cloud: GaussianCloud) -> NDArray[np.int32]:
    if cloud.instance_ids is not None:
        return cloud.instance_ids
    return np.full(len(cloud), NO_INSTANCE, dtype=np.int32)


def _joined(arrays: list[NDArray[np.float32]]) -> NDArray[np.float32]:
    return _frozen(np.concatenate(arrays))


def _f32(array: NDArray[np.float64] | NDArray[np.float32]) -> NDArray[np.float32]:
    with np.errstate(over="ignore"):
        return _frozen(np.ascontiguousarray(array, dtype=np.float32))


def _frozen(array: NDArray[_T]) -> NDArray[_T]:
    array.setflags(write=False)
    return array


def _blocks(count: int, size: int = 65536) -> list[slice]:
    """Row ranges that keep temporaries small."""
    return [slice(start, min(start + size, count)) for start in range(0, count, size)]
