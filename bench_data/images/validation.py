"""Finding all unreadable pictures of a data set before any of them costs money."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..errors import BenchDataError
from .limits import ImageLimits
from .loading import load_image

__all__ = ["ImageProblem", "validate_images"]

ImagePath = str | os.PathLike[str]


@dataclass(frozen=True)
class ImageProblem:
    """A picture that cannot be used: which sample names it, its path, and why."""

    sample: str
    path: str
    reason: str


def validate_images(
    paths: Iterable[ImagePath] | Mapping[str, ImagePath], *, limits: ImageLimits | None = None
) -> tuple[ImageProblem, ...]:
    """Loads every picture once, whole, and tells which fail.

    Args:
        paths: paths, or sample ids with their paths. Several samples may share a path; it is read once.
        limits: as in :func:`~seeworthy.bench_data.images.load_image`.

    Returns:
        One problem for each sample whose picture fails, in the order given; empty when all is well. Samples without an
        id are counted from 0.
    """
    if isinstance(paths, str | os.PathLike):
        raise BenchDataError(f"{os.fspath(paths)!r}: expected several paths; pass [path] for one")
    named = paths.items() if isinstance(paths, Mapping) else ((str(at), path) for at, path in enumerate(paths))
    reasons: dict[str, str | None] = {}
    problems = []
    for sample, path in named:
        text = str(path)
        if text not in reasons:
            reasons[text] = _reason(path, limits)
        reason = reasons[text]
        if reason is not None:
            problems.append(ImageProblem(sample=sample, path=text, reason=reason))
    return tuple(problems)


def _reason(path: ImagePath, limits: ImageLimits | None) -> str | None:
    try:
        load_image(path, limits=limits)
    except BenchDataError as error:
        return str(error)
    return None
