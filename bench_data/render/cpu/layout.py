"""The record of a projected Gaussian: up to sixteen float32 numbers, one cache line."""

from __future__ import annotations

__all__ = ["MOST_LABELS", "RECORD"]

RECORD = 16
"""Length of a record; the last number is not used."""

MEAN_X, MEAN_Y = 0, 1
"""Pixel coordinates of the mean."""

HALF_A, B, HALF_C = 2, 3, 4
"""Inverse 2D covariance, halved and times -log2 e: the Gaussian is 2^(HALF_A dx^2 + B dx dy + HALF_C dy^2)."""

OPACITY = 5

RADIUS_X, SLOPE, HALF_HEIGHT, TOP_X = 6, 7, 8, 9
"""The ellipse where alpha falls to alpha_min: |dy - SLOPE dx| = HALF_HEIGHT sqrt(1 - (dx / RADIUS_X)^2), and dx of the
point with the greatest dy."""

RED, GREEN, BLUE = 10, 11, 12

DEPTH = 13
"""z in metres."""

LABEL = 14
"""The instance id as a number, exact below MOST_LABELS."""

MOST_LABELS = 2**24
