"""Projects Gaussians: from rows of the cloud to records in pixels. In float64, which costs scalar code nothing."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .binning import tile_span
from .culling import BLOCK
from .ellipse import SLACK_PX
from .kernels import bits_from_float, inlined, kernel, prefetch, take_next
from .layout import (
    BLUE,
    DEPTH,
    GREEN,
    HALF_A,
    HALF_C,
    HALF_HEIGHT,
    LABEL,
    MEAN_X,
    MEAN_Y,
    OPACITY,
    RADIUS_X,
    RED,
    SLOPE,
    TOP_X,
    B,
)
from .view import View

__all__ = ["CULLED", "project_candidates"]

CULLED = np.uint32(0xFFFFFFFF)
"""The sorting key of a candidate that turned out to be invisible: behind everything."""

f4 = np.float32
LOG2_E = 1.4426950408889634
AHEAD = 4

FAR_PX = 1e9
"""Sizes end here, so that no float32 overflows in a cloud with absurd scales."""


@inlined
def _jacobian(x: float, y: float, z: float, view: View, fisheye: bool) -> tuple[float, ...]:
    """Pixel of a camera-space point, and the two rows of the derivative: u, v, then six entries."""
    fx, fy = view.fx, view.fy
    u, v = x / z, y / z
    tx, ty = min(max(u, view.left), view.right), min(max(v, view.top), view.bottom)
    j00, j01, j02, j10, j11, j12 = fx / z, 0.0, -fx * tx / z, 0.0, fy / z, -fy * ty / z
    if fisheye:
        r2 = x * x + y * y
        r = math.sqrt(r2)
        if r < 1e-6 * z:
            j02, j12 = -fx * u / z, -fy * v / z
        else:
            theta = math.atan2(r, z)
            w = theta * theta
            theta_d = theta * (1 + w * (view.k1 + w * (view.k2 + w * (view.k3 + w * view.k4))))
            slope = 1 + w * (3 * view.k1 + w * (5 * view.k2 + w * (7 * view.k3 + w * 9 * view.k4)))
            # SpaceDG eq. 5 differentiated: a along the radius, b across it.
            distance2 = r2 + z * z
            a, b = slope * z / (r2 * distance2), theta_d / (r2 * r)
            u, v = theta_d * x / r, theta_d * y / r
            j00, j01, j02 = fx * (x * x * a + y * y * b), fx * x * y * (a - b), -fx * slope * x / distance2
            j10, j11, j12 = fy * x * y * (a - b), fy * (y * y * a + x * x * b), -fy * slope * y / distance2
    return fx * u + view.cx, fy * v + view.cy, j00, j01, j02, j10, j11, j12


@inlined
def _footprint(
    j00: float,
    j01: float,
    j02: float,
    j10: float,
    j11: float,
    j12: float,
    q: NDArray[np.float32],
    s: NDArray[np.float32],
    i: int,
    view: View,
) -> tuple[float, float, float, float]:
    """xx, xy, yy and determinant of J W R diag(s^2) R^T W^T J^T = M M^T.

    The determinant is the square of the cross product of M's rows, which cannot lose its digits or become negative.
    """
    a0 = j00 * view.r00 + j01 * view.r10 + j02 * view.r20
    a1 = j00 * view.r01 + j01 * view.r11 + j02 * view.r21
    a2 = j00 * view.r02 + j01 * view.r12 + j02 * view.r22
    b0 = j10 * view.r00 + j11 * view.r10 + j12 * view.r20
    b1 = j10 * view.r01 + j11 * view.r11 + j12 * view.r21
    b2 = j10 * view.r02 + j11 * view.r12 + j12 * view.r22
    w, x, y, z = float(q[i, 0]), float(q[i, 1]), float(q[i, 2]), float(q[i, 3])
    n = 2 / (w * w + x * x + y * y + z * z)
    s0, s1, s2 = float(s[i, 0]), float(s[i, 1]), float(s[i, 2])
    m00, m10, m20 = (1 - n * (y * y + z * z)) * s0, n * (x * y + w * z) * s0, n * (x * z - w * y) * s0
    m01, m11, m21 = n * (x * y - w * z) * s1, (1 - n * (x * x + z * z)) * s1, n * (y * z + w * x) * s1
    m02, m12, m22 = n * (x * z + w * y) * s2, n * (y * z - w * x) * s2, (1 - n * (x * x + y * y)) * s2
    u0, u1, u2 = a0 * m00 + a1 * m10 + a2 * m20, a0 * m01 + a1 * m11 + a2 * m21, a0 * m02 + a1 * m12 + a2 * m22
    v0, v1, v2 = b0 * m00 + b1 * m10 + b2 * m20, b0 * m01 + b1 * m11 + b2 * m21, b0 * m02 + b1 * m12 + b2 * m22
    c0, c1, c2 = u1 * v2 - u2 * v1, u2 * v0 - u0 * v2, u0 * v1 - u1 * v0
    xx, xy, yy = u0 * u0 + u1 * u1 + u2 * u2, u0 * v0 + u1 * v1 + u2 * v2, v0 * v0 + v1 * v1 + v2 * v2
    return xx, xy, yy, c0 * c0 + c1 * c1 + c2 * c2


@inlined
def _widened(xx: float, yy: float, det: float, variance: float) -> tuple[float, float, float]:
    """xx, yy and determinant of a covariance after ``variance`` was added to its diagonal."""
    return xx + variance, yy + variance, det + variance * (xx + yy) + variance * variance


@inlined
def _fill_sh_basis(x: float, y: float, z: float, count: int, basis: NDArray[np.float32]) -> None:
    """Real spherical harmonics in a unit direction, in the order of `splats.harmonics`."""
    basis[0] = 0.28209479177387814
    if count > 1:
        basis[1], basis[2], basis[3] = -0.4886025119029199 * y, 0.4886025119029199 * z, -0.4886025119029199 * x
    if count > 4:
        xx, yy, zz = x * x, y * y, z * z
        basis[4], basis[5] = 1.0925484305920792 * x * y, -1.0925484305920792 * y * z
        basis[6] = 0.31539156525252005 * (2 * zz - xx - yy)
        basis[7], basis[8] = -1.0925484305920792 * x * z, 0.5462742152960396 * (xx - yy)
        if count > 9:
            basis[9], basis[10] = -0.5900435899266435 * y * (3 * xx - yy), 2.890611442640554 * x * y * z
            basis[11] = -0.4570457994644658 * y * (4 * zz - xx - yy)
            basis[12] = 0.3731763325901154 * z * (2 * zz - 3 * xx - 3 * yy)
            basis[13] = -0.4570457994644658 * x * (4 * zz - xx - yy)
            basis[14] = 1.445305721320277 * z * (xx - yy)
            basis[15] = -0.5900435899266435 * x * (xx - 3 * yy)


@inlined
def _write_ellipse(
    xx: float,
    xy: float,
    yy: float,
    det: float,
    sigmas2: float,
    radius_x: float,
    radius_y: float,
    records: NDArray[np.float32],
    k: int,
) -> None:
    records[k, HALF_A], records[k, HALF_C] = -0.5 * LOG2_E * yy / det, -0.5 * LOG2_E * xx / det
    records[k, B] = LOG2_E * xy / det
    records[k, RADIUS_X], records[k, SLOPE] = radius_x, min(max(xy / xx, -FAR_PX), FAR_PX)
    records[k, HALF_HEIGHT] = min(math.sqrt(sigmas2 * det / xx), FAR_PX)
    records[k, TOP_X] = min(max(xy / yy * radius_y, -FAR_PX), FAR_PX)


@inlined
def _write_colour(
    sh: NDArray[np.float32], i: int, count: int, basis: NDArray[np.float32], records: NDArray[np.float32], k: int
) -> None:
    red = green = blue = f4(0.5)
    for c in range(count):
        red += basis[c] * sh[i, 3 * c]
        green += basis[c] * sh[i, 3 * c + 1]
        blue += basis[c] * sh[i, 3 * c + 2]
    records[k, RED], records[k, GREEN], records[k, BLUE] = max(red, f4(0)), max(green, f4(0)), max(blue, f4(0))


@kernel
def project_candidates(
    means: NDArray[np.float32],
    quats: NDArray[np.float32],
    scales: NDArray[np.float32],
    opacities: NDArray[np.float32],
    sh: NDArray[np.float32],
    labels: NDArray[np.int32],
    view: View,
    fisheye: bool,
    antialiased: bool,
    sh_count: int,
    candidates: NDArray[np.int32],
    starts: NDArray[np.int64],
    counter: NDArray[np.int64],
    records: NDArray[np.float32],
    boxes: NDArray[np.uint16],
    keys: NDArray[np.uint32],
) -> None:
    """Fills a record and a sorting key for each candidate.

    Args:
        means, quats, scales, opacities: the cloud.
        sh: (N, 3 K) its coefficients.
        labels: (N,) instance ids, or (0,) for none.
        view, fisheye, antialiased: the camera and its settings.
        sh_count: how many of the SH coefficients to use: 1, 4, 9 or 16.
        candidates: (N,) rows; those of block b begin at b BLOCK.
        starts: (blocks + 1,) number of candidates before each block.
        counter: (1,) the next block, shared by all threads.
        records: (candidates, 16) output, see `layout`.
        boxes: (candidates, 4) output, first and last tile column, first and last tile row.
        keys: (candidates,) output, the bits of the depth, or CULLED.
    """
    basis = np.empty(16, np.float32)
    while True:
        block = take_next(counter)
        if block >= starts.shape[0] - 1:
            break
        offset = block * BLOCK - starts[block]
        for k in range(starts[block], starts[block + 1]):
            i = candidates[k + offset]
            ahead = candidates[min(k + AHEAD, starts[block + 1] - 1) + offset]
            for line in range(0, 3 * sh_count, 16):
                prefetch(sh, ahead, line)
            keys[k] = CULLED
            dx, dy, dz = means[i, 0] - view.x_m, means[i, 1] - view.y_m, means[i, 2] - view.z_m
            x = view.r00 * dx + view.r01 * dy + view.r02 * dz
            y = view.r10 * dx + view.r11 * dy + view.r12 * dz
            z = view.r20 * dx + view.r21 * dy + view.r22 * dz
            u, v, j00, j01, j02, j10, j11, j12 = _jacobian(x, y, z, view, fisheye)
            xx, xy, yy, det = _footprint(j00, j01, j02, j10, j11, j12, quats, scales, i, view)
            opacity = float(opacities[i])
            sharp_det = det
            xx, yy, det = _widened(xx, yy, det, view.low_pass_px2)
            if antialiased:
                opacity *= math.sqrt(sharp_det / det)
            if view.aperture_px > 0:
                coc = min(view.aperture_px * abs(z - view.focus_m) / z, view.largest_coc_px)
                in_focus_det = det
                xx, yy, det = _widened(xx, yy, det, coc * coc)
                opacity *= math.sqrt(in_focus_det / det)
            if opacity <= view.alpha_min:
                continue
            sigmas2 = 2 * math.log(opacity / view.alpha_min)
            radius_x, radius_y = min(math.sqrt(sigmas2 * xx), FAR_PX), min(math.sqrt(sigmas2 * yy), FAR_PX)
            reach_x, reach_y = f4(radius_x) + SLACK_PX, f4(radius_y) + SLACK_PX
            first_column, last_column = tile_span(f4(u) - reach_x, f4(u) + reach_x, int(view.width))
            first_row, last_row = tile_span(f4(v) - reach_y, f4(v) + reach_y, int(view.height))
            if first_column > last_column or first_row > last_row:
                continue
            boxes[k, 0], boxes[k, 1], boxes[k, 2], boxes[k, 3] = first_column, last_column, first_row, last_row
            records[k, MEAN_X], records[k, MEAN_Y] = u, v
            records[k, OPACITY], records[k, DEPTH] = opacity, z
            records[k, LABEL] = labels[i] if labels.shape[0] > 0 else -1
            _write_ellipse(xx, xy, yy, det, sigmas2, radius_x, radius_y, records, k)
            inverse = 1 / math.sqrt(dx * dx + dy * dy + dz * dz)
            _fill_sh_basis(dx * inverse, dy * inverse, dz * inverse, sh_count, basis)
            _write_colour(sh, i, sh_count, basis, records, k)
            keys[k] = np.uint32(bits_from_float(f4(z)))
