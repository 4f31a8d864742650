"""From a requested view to the degraded picture: the plan, the drawing, the light, the sensor, and the truth."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ...cameras import Camera
from ...errors import BenchDataError
from ...images.colour import srgb_from_linear, u8_from_srgb
from ...images.picture import Picture
from ...render.engines import Engine, choose_engine
from ...render.exposure import POSES, Quadrature, exposure_weights
from ...render.frame import Frame
from ...render.rendering import render_many
from ...render.result import SURE_ALPHA, Render
from ...render.settings import RenderSettings
from ...splats import GaussianCloud
from ..camera_hash import camera_sha256
from ..formation import Formation, RecordedInputs, Step, formed_picture, in_order, read_only
from ..pixel_map import PixelMap
from ..record import DegradationRecord, ViewRecord
from ..registry import FormationStage, SceneLight
from ..view_plan import ViewPlan
from .drawing import Drawing, light_of_view
from .far_depth import far_m_of
from .identity import cloud_sha256, view_settings
from .light_balance import balanced, coverage_gain
from .row_bands import LARGEST_ERROR_PX, row_bands
from .truth import ViewTruth, true_of_drawing, true_of_render

__all__ = ["DegradedView", "RequestedView", "formed_view"]

_NEAREST_PERCENT = 1.0
"""Rows are grouped for all but this share of the pixels: one leaf before the lens must not make every row its own."""

_THIN = "where less than half of a pixel is covered, it counted as far as the scene's far depth"


@dataclass(frozen=True, eq=False)
class DegradedView:
    """A degraded view of a scene."""

    picture: Picture
    records: tuple[DegradationRecord, ...]
    """What was done, in the order in which it acted; see `replay_view`."""
    clean: Render
    """The same view without any degradation."""
    truth: ViewTruth
    """What is true of the pixels of ``picture``."""


@dataclass(frozen=True, eq=False)
class RequestedView:
    """A view as it was asked for."""

    cloud: GaussianCloud
    camera: Camera
    far_m: float | None
    settings: RenderSettings
    quadrature: Quadrature
    engine: str
    threads: int | None

    def __post_init__(self) -> None:
        if self.settings.defocus is not None or self.settings.tangent_limits is not None:
            raise BenchDataError('leave the defocus to the degradation "defocus", and tangent limits to the renderer')
        if self.far_m is not None and not (np.isfinite(self.far_m) and self.far_m > 0):
            raise BenchDataError(f"far_m must be a positive number of metres, got {self.far_m!r}")
        exposure_weights(1, self.quadrature)  # refuses an unknown one before anything is drawn


def _clean(view: RequestedView, engine: Engine) -> Render:
    """The view without any degradation, with the instances of a cloud that has them."""
    camera, labelled = view.camera, view.cloud.instance_ids is not None
    if labelled and engine == "gsplat":  # which finds no instances
        seen = _drawn_with(view, camera, view.settings, "gsplat")
        ids = _drawn_with(view, camera, replace(view.settings, instances=True), "numba").instance_ids
        return replace(seen, instance_ids=ids)
    return _drawn_with(view, camera, replace(view.settings, instances=labelled), engine)


def _drawn_with(view: RequestedView, camera: Camera, settings: RenderSettings, engine: Engine) -> Render:
    return next(render_many(view.cloud, [camera], settings, engine=engine, threads=view.threads))


def formed_view(view: RequestedView, steps: list[Step]) -> DegradedView:
    """Draws the view and runs all that comes after; see `degrade_view`."""
    ordered = in_order(steps)
    acting = [step for step in ordered if step.parameters is not None]
    engine = choose_engine(view.engine, view.settings).engine
    clean = _clean(view, engine)
    picture = Picture(clean.image_srgb_u8, source="rendered view")
    far_m = far_m_of(clean.depth_m) if view.far_m is None else float(view.far_m)
    scene, lens = cloud_sha256(view.cloud), camera_sha256(view.camera)
    formation = Formation(f"view {scene} {lens}")
    drawing = _planned(view, clean, acting, engine)
    pixel_map = PixelMap(view.camera, drawing.plan.camera, drawing.plan.readout)
    if pixel_map.is_identity:
        truth = true_of_render(clean, pixel_map)
    else:
        labelled = view.cloud.instance_ids is not None
        truth = true_of_drawing(
            replace(
                drawing,
                settings=replace(view.settings, instances=labelled),
                engine="numba" if labelled and engine == "gsplat" else engine,
            ),
            pixel_map,
        )
    encoded = picture.image_srgb_u8
    if any(step.spec.stage.is_light for step in acting):
        encoded = u8_from_srgb(srgb_from_linear(_light(view, drawing, clean, truth, acting, formation, far_m)))
    for step in acting:
        if not step.spec.stage.is_light:
            encoded = formation.on_encoded(step, encoded)
    recorded = ViewRecord(
        cloud_sha256=scene,
        engine=engine,
        far_m=far_m,
        quadrature=view.quadrature,
        settings=view_settings(view.settings),
    )
    inputs = RecordedInputs(picture.sha256, camera_sha256=lens, view=recorded)
    degraded = formed_picture(encoded, picture, acting) if acting else picture
    return DegradedView(degraded, formation.records(ordered, inputs), clean, truth)


def _planned(view: RequestedView, clean: Render, acting: list[Step], engine: Engine) -> Drawing:
    """How the view is to be drawn, after every degradation that changes the rendering had its say."""
    plan = ViewPlan(camera=view.camera)
    for step in acting:
        if step.spec.on_view is not None and step.parameters is not None:
            plan = step.spec.on_view(plan, step.parameters)
    known = clean.depth_m[np.isfinite(clean.depth_m)]
    near_m = float(np.percentile(known, _NEAREST_PERCENT)) if len(known) else 1.0
    bands = tuple(row_bands(plan.camera, plan.readout, near_m))
    return Drawing(view.cloud, plan, view.settings, engine, view.quadrature, bands, view.threads)


def _light(
    view: RequestedView,
    drawing: Drawing,
    clean: Render,
    truth: ViewTruth,
    acting: list[Step],
    formation: Formation,
    far_m: float,
) -> NDArray[np.float32]:
    """(H, W, 3) light after everything up to the sensor."""
    plan, background = drawing.plan, view.settings.background
    in_air = [step for step in acting if step.spec.per_pixel]
    gain = None if plan.defocus is None else _gain(view, drawing, clean)

    def on_instant(image_linear: NDArray[np.float32], frame: Frame) -> NDArray[np.float32]:
        light = SceneLight(read_only(image_linear), _known_depth(frame.mean_depth_m, frame.alpha, far_m), far_m=far_m)
        for step in in_air:
            light, _ = formation.on_light(step, light)
        return light.image_linear

    if plan == ViewPlan(camera=view.camera):
        still = Frame(clean.image_srgb, clean.depth_m, clean.alpha, None, None)
        image = on_instant(clean.image_linear, still)
    else:
        image = light_of_view(drawing, partial(balanced, gain=gain, background=background), on_instant)
    light = SceneLight(
        read_only(image), _known_depth(truth.depth_m, truth.alpha, far_m), camera=plan.camera, far_m=far_m
    )
    for step in acting:
        if step.spec.stage.is_light and step.spec.on_view is None and not step.spec.per_pixel:
            light, moved = formation.on_light(step, light)
            if moved is not None:
                raise BenchDataError(
                    f"degradation {step.spec.name.value!r} moves pixels; to act on scenes, register it with on_view"
                )
    _note_what_was_assumed(formation, drawing, acting, truth)
    return light.image_linear


def _known_depth(depth_m: NDArray[np.float32], alpha: NDArray[np.float32], far_m: float) -> NDArray[np.float32]:
    """(H, W) depth with what is thin as far as the scene's far depth; read-only."""
    return read_only(np.where(alpha < SURE_ALPHA, np.float32(far_m), depth_m))


def _gain(view: RequestedView, drawing: Drawing, clean: Render) -> NDArray[np.float32]:
    camera = drawing.plan.camera
    sharp = clean if camera == view.camera else _drawn_with(view, camera, view.settings, drawing.engine)
    spread = _drawn_with(view, camera, replace(view.settings, defocus=drawing.plan.defocus), drawing.engine)
    return coverage_gain(sharp.alpha, spread.alpha)


def _note_what_was_assumed(formation: Formation, drawing: Drawing, acting: list[Step], truth: ViewTruth) -> None:
    """Adds to the records how the rendering approximates what they tell."""
    notes: dict[str, str] = {}
    if drawing.plan.defocus is not None:
        notes["defocus"] = "coverage that the spread Gaussians lost was given back, smoothly over the picture"
    if drawing.plan.exposure is not None:
        notes["motion_blur"] = f"{len(exposure_weights(POSES, drawing.quadrature))} instants were drawn"
    if drawing.plan.readout is not None:
        notes["rolling_shutter"] = (
            f"rows were drawn in {len(drawing.bands)} bands: no point is off by more than {LARGEST_ERROR_PX} px, "
            f"but for what is nearer than all but {_NEAREST_PERCENT:g} % of the picture"
        )
    thin = bool((truth.alpha < SURE_ALPHA).any())
    for step in acting:
        name = step.spec.name.value
        if step.spec.on_view is not None and name in notes:
            formation.assumed[name] = (notes[name],)
        elif step.spec.stage is FormationStage.ATMOSPHERE and thin:
            formation.assumed[name] = (*formation.assumed.get(name, ()), _THIN)
