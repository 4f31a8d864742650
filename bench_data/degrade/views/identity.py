"""By what a record knows a scene again."""

from __future__ import annotations

import hashlib
from weakref import WeakKeyDictionary

from ...render.settings import RenderSettings
from ...splats import GaussianCloud
from ..record import ViewSettings

__all__ = ["cloud_sha256", "render_settings", "view_settings"]

_KNOWN: WeakKeyDictionary[GaussianCloud, str] = WeakKeyDictionary()


def cloud_sha256(cloud: GaussianCloud) -> str:
    """Hash of all that is drawn of a cloud: everything but instance ids and notes. Computed once for each object."""
    known = _KNOWN.get(cloud)
    if known is None:
        digest = hashlib.sha256(f"{len(cloud)} Gaussians, SH {cloud.sh.shape[1]}:".encode())
        for array in (cloud.means, cloud.quats_wxyz, cloud.scales, cloud.opacities, cloud.sh):
            digest.update(array.astype("<f4", copy=False).data)
        known = _KNOWN[cloud] = digest.hexdigest()
    return known


def view_settings(settings: RenderSettings) -> ViewSettings:
    """What a record keeps of the renderer's settings."""
    return ViewSettings(
        background=settings.background,
        sh_degree=settings.sh_degree,
        antialiased=settings.antialiased,
        max_alpha=settings.max_alpha,
        alpha_min=settings.alpha_min,
    )


def render_settings(recorded: ViewSettings) -> RenderSettings:
    """The renderer's settings out of a record."""
    return RenderSettings(
        background=recorded.background,
        sh_degree=recorded.sh_degree,
        antialiased=recorded.antialiased,
        max_alpha=recorded.max_alpha,
        alpha_min=recorded.alpha_min,
    )
