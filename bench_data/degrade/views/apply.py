"""Degrading views of scenes, and rebuilding them from their records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import index

from ...cameras import Camera
from ...errors import BenchDataError
from ...render.exposure import Quadrature
from ...render.settings import RenderSettings
from ...splats import GaussianCloud
from ..apply import recorded_step, sampled_step
from ..camera_hash import camera_sha256
from ..formation import Step
from ..record import DegradationRecord, ViewRecord
from ..registry import DEGRADATION_REGISTRY, DegradationParameters, Severity
from .forming import DegradedView, RequestedView, formed_view
from .identity import cloud_sha256, render_settings

__all__ = ["degrade_view", "degrade_view_with", "replay_view"]


def degrade_view(
    cloud: GaussianCloud,
    camera: Camera,
    degradations: Sequence[tuple[str, Severity]],
    *,
    seed: int,
    far_m: float | None = None,
    settings: RenderSettings | None = None,
    quadrature: Quadrature = "full",
    engine: str = "auto",
    threads: int | None = None,
) -> DegradedView:
    """Draws a view of a scene as a camera would have taken it under these conditions.

    Defocus, distortion, motion blur and rolling shutter change the rendering; haze acts in every instant of the
    exposure on that instant's depth; what sits on the lens, the sensor and the codec act on the light that was
    collected. So do rain and snow, whose streaks are exposures already.

    Args:
        cloud: the scene.
        camera: the nominal view, with a pinhole when distortion is asked for.
        degradations: (name, severity) pairs, each name at most once; the order of image formation is kept whatever the
            order here. Parameters depend on name, severity and seed only, so that the views of a scene share them.
        seed: any integer.
        far_m: the depth in metres that counts as far, for haze and the like: `scene_far_m` of all views, so that they
            share one weather. None: the 95th percentile of this view's own depths.
        settings: of the renderer; its defocus must be left to the degradation.
        quadrature: "draft" draws half of an exposure's instants, see `render.exposure_weights`.
        engine, threads: as for `render`. The picture is the same, byte for byte, for any number of threads.

    Raises:
        BenchDataError: an unknown severity, a name twice, two sensors, distortion of a fisheye, a view of nothing
            without ``far_m``, or an engine that cannot run here.
        RegistryError: an unknown degradation.
    """
    steps = [sampled_step(name, severity, seed) for name, severity in degradations]
    view = RequestedView(cloud, camera, far_m, settings or RenderSettings(), quadrature, engine, threads)
    return formed_view(view, steps)


def degrade_view_with(
    cloud: GaussianCloud,
    camera: Camera,
    degradations: Mapping[str, DegradationParameters],
    *,
    seed: int,
    far_m: float | None = None,
    settings: RenderSettings | None = None,
    quadrature: Quadrature = "full",
    engine: str = "auto",
    threads: int | None = None,
) -> DegradedView:
    """As `degrade_view`, with parameters chosen by the caller."""
    steps = [
        Step(DEGRADATION_REGISTRY.get(name), None, parameters, index(seed)) for name, parameters in degradations.items()
    ]
    view = RequestedView(cloud, camera, far_m, settings or RenderSettings(), quadrature, engine, threads)
    return formed_view(view, steps)


def replay_view(
    cloud: GaussianCloud,
    camera: Camera,
    records: DegradationRecord | Sequence[DegradationRecord],
    *,
    threads: int | None = None,
) -> DegradedView:
    """Rebuilds a degraded view from its scene, its camera and its records, bit for bit.

    Raises:
        BenchDataError: no record, one of a photograph or of other views, another scene or camera, another version of a
            degradation, or an engine that is not here or draws other pixels.
    """
    entries = [records] if isinstance(records, DegradationRecord) else list(records)
    recorded = _common_view(entries)
    if recorded.cloud_sha256 != cloud_sha256(cloud):
        raise BenchDataError(
            f"cannot replay the view: this scene is {cloud_sha256(cloud)[:12]}, the records are of "
            f"{recorded.cloud_sha256[:12]}; read the same file, without cropping or moving it"
        )
    if entries[0].camera_sha256 != camera_sha256(camera):
        raise BenchDataError(
            f"cannot replay the view: this camera is {camera_sha256(camera)[:12]}, the records are of "
            f"{str(entries[0].camera_sha256)[:12]}; use the same lens, size and pose"
        )
    settings = render_settings(recorded.settings)
    view = RequestedView(cloud, camera, recorded.far_m, settings, recorded.quadrature, recorded.engine, threads)
    again = formed_view(view, [recorded_step(entry) for entry in entries])
    if again.records[0].picture_sha256 != entries[0].picture_sha256:
        raise BenchDataError(
            "cannot replay the view bit for bit: scene and camera are the same, but the engine here draws other pixels "
            "than where the records were made (another version, or another processor)"
        )
    return again


def _common_view(records: list[DegradationRecord]) -> ViewRecord:
    if not records:
        raise BenchDataError("no record to replay a view from; degrade_view() returns them")
    first = records[0]
    if first.view is None:
        raise BenchDataError("these records are of a photograph, not of a rendered view; use replay()")
    for record in records:
        same = record.view == first.view and record.camera_sha256 == first.camera_sha256
        if not same or record.picture_sha256 != first.picture_sha256:
            raise BenchDataError(
                f"the records of {first.name!r} and {record.name!r} are of different views; pass those of one view"
            )
    return first.view
