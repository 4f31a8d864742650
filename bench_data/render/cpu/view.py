"""What the kernels know of a camera: plain numbers in float64."""

from __future__ import annotations

from typing import NamedTuple

from ...cameras import Camera
from ..settings import LOW_PASS_PX2, RenderSettings, TangentLimits

__all__ = ["View", "view_of"]


class View(NamedTuple):
    """A camera and the settings that decide where and how large a Gaussian appears; all float64."""

    r00: float
    r01: float
    r02: float
    r10: float
    r11: float
    r12: float
    r20: float
    r21: float
    r22: float
    """r00 to r22: rotation, camera from world."""
    x_m: float
    y_m: float
    z_m: float
    """x_m, y_m, z_m: the camera's centre in the world."""
    fx: float
    fy: float
    cx: float
    cy: float
    width: float
    height: float
    near_m: float
    far_m: float
    k1: float
    k2: float
    k3: float
    k4: float
    theta_limit_rad: float
    left: float
    right: float
    top: float
    bottom: float
    """left to bottom: x / z and y / z are kept between these where a pinhole is linearised."""
    aperture_px: float
    focus_m: float
    largest_coc_px: float
    """aperture to largest: the circle of confusion; an aperture of 0 is a pinhole."""
    low_pass_px2: float
    """Added to the diagonal of each 2D covariance."""
    alpha_min: float


def view_of(camera: Camera, settings: RenderSettings) -> View:
    """The numbers of one camera under these settings."""
    limits = settings.tangent_limits or TangentLimits.of(camera)
    lens = settings.defocus
    R, centre_m = camera.camera_from_world[:3, :3], camera.centre_m
    return View(
        r00=float(R[0, 0]),
        r01=float(R[0, 1]),
        r02=float(R[0, 2]),
        r10=float(R[1, 0]),
        r11=float(R[1, 1]),
        r12=float(R[1, 2]),
        r20=float(R[2, 0]),
        r21=float(R[2, 1]),
        r22=float(R[2, 2]),
        x_m=float(centre_m[0]),
        y_m=float(centre_m[1]),
        z_m=float(centre_m[2]),
        fx=camera.fx,
        fy=camera.fy,
        cx=camera.cx,
        cy=camera.cy,
        width=float(camera.width),
        height=float(camera.height),
        near_m=camera.near_m,
        far_m=camera.far_m,
        k1=camera.distortion[0],
        k2=camera.distortion[1],
        k3=camera.distortion[2],
        k4=camera.distortion[3],
        theta_limit_rad=camera.theta_limit_rad,
        left=limits.left,
        right=limits.right,
        top=limits.top,
        bottom=limits.bottom,
        aperture_px=lens.aperture_px if lens else 0.0,
        focus_m=lens.focus_m if lens else 1.0,
        largest_coc_px=lens.largest_coc_px(camera) if lens else 0.0,
        low_pass_px2=LOW_PASS_PX2,
        alpha_min=settings.alpha_min,
    )
