"""``seeworthy render``: draw a splat file."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .camera_files import camera_of_name, named_cameras
from .common import ExitCode, UsageError, load_cloud, say
from .engines import Engine, ready_engine
from .movie import MOVIE_SUFFIXES, write_movie

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ...bench_data.cameras import Camera
    from ...bench_data.render import Render
    from ...bench_data.splats import GaussianCloud

__all__ = ["render"]

_SIZE = re.compile(r"([1-9]\d{0,4})x([1-9]\d{0,4})")
_MOST_PIXELS = 64_000_000
"""As many as a picture may have that is read; drawing takes some 50 bytes a pixel."""
_COLOURS = {"black": (0.0, 0.0, 0.0), "grey": (0.5, 0.5, 0.5), "white": (1.0, 1.0, 1.0)}


class WorldUp(StrEnum):
    """Which way is up in the scene."""

    Y_DOWN = "y-down"
    Y_UP = "y-up"
    Z_UP = "z-up"


class Background(StrEnum):
    """What shows where nothing is."""

    BLACK = "black"
    GREY = "grey"
    WHITE = "white"


def render(
    scene: Annotated[str, typer.Argument(metavar="SCENE", help="A splat file or a SOG folder.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="A .png; for --orbit an .mp4 or .gif.")],
    camera: Annotated[
        str | None,
        typer.Option(
            "--camera", help="A camera's JSON file, a transforms.json, or a COLMAP folder. Default: overview."
        ),
    ] = None,
    view: Annotated[
        str | None, typer.Option("--view", help="Of several cameras, this one: its picture's name, or a number from 0.")
    ] = None,
    orbit: Annotated[int | None, typer.Option("--orbit", min=2, help="This many pictures around the scene.")] = None,
    size: Annotated[str | None, typer.Option("--size", help="WIDTHxHEIGHT in pixels.")] = None,
    up: Annotated[WorldUp, typer.Option("--up", help="Which way is up, for views of our own.")] = WorldUp.Y_DOWN,
    elevation_deg: Annotated[
        float, typer.Option("--elevation-deg", min=-89, max=89, help="Look down by this, for views of our own.")
    ] = 20.0,
    depth: Annotated[
        bool, typer.Option("--depth", help="Also write OUT.depth.tiff: float32, the scene's unit, NaN unknown.")
    ] = False,
    background: Annotated[Background, typer.Option("--background")] = Background.BLACK,
    engine: Annotated[Engine, typer.Option("--engine")] = Engine.AUTO,
) -> int:
    """Draw a scene of 3D Gaussians from a camera, or from all around."""
    _check_names(out, orbit, depth)
    cloud = load_cloud(scene)
    if camera is None:
        cameras = _own_views(cloud, orbit or 1, size or "1024x768", up, elevation_deg)
    elif orbit is not None:
        raise UsageError("--orbit finds its own cameras; leave out --camera")
    else:
        cameras = [_resized(_camera(camera, view), size)]
    _check_sizes(cameras)
    pictures = _drawn(cloud, cameras, background, engine)
    if orbit is not None:
        write_movie((picture.image_srgb_u8 for picture in pictures), out)
    else:
        picture = next(pictures)
        _write_png(picture.image_srgb_u8, out)
        if depth:
            _write_depth(picture.depth_m, out.with_suffix(".depth.tiff"))
    say(f"wrote {out}")
    return ExitCode.OK


def _check_names(out: Path, orbit: int | None, depth: bool) -> None:
    wanted = (".png",) if orbit is None else MOVIE_SUFFIXES
    if out.suffix.lower() not in wanted:
        raise UsageError(f"cannot write {out}: the name must end in {' or '.join(wanted)}")
    if not out.parent.is_dir():
        raise UsageError(f"cannot write {out}: there is no folder {out.parent}")
    if depth and orbit is not None:
        raise UsageError("--depth belongs to a single picture, not to --orbit")


def _own_views(cloud: GaussianCloud, count: int, size: str, up: WorldUp, elevation_deg: float) -> list[Camera]:
    from ...bench_data.camera_formats import Z_UP_FROM_Y_DOWN, Z_UP_FROM_Y_UP
    from ...bench_data.render.views import orbit_views, overview

    width, height = _parsed(size)
    if count > 1 and (width % 2 or height % 2):
        raise UsageError(f"--size {size}: a movie needs an even width and height")
    turns = {WorldUp.Y_DOWN: Z_UP_FROM_Y_DOWN, WorldUp.Y_UP: Z_UP_FROM_Y_UP, WorldUp.Z_UP: None}
    elevation_rad, upright = math.radians(elevation_deg), turns[up]
    if count == 1:
        return [overview(cloud, width=width, height=height, elevation_rad=elevation_rad, z_up_from_world=upright)]
    return orbit_views(cloud, count, width=width, height=height, elevation_rad=elevation_rad, z_up_from_world=upright)


def _camera(path: str, view: str | None) -> Camera:
    """One camera of a file: ours, nerfstudio's (it has frames), or a COLMAP folder."""
    named = named_cameras(path)
    if view is not None and len(named) == 1 and named[0].name == Path(path).name:
        raise UsageError(f"--view {view}: {path} holds a single camera")
    if view is not None:
        return camera_of_name(named, view, path).camera
    if len(named) > 1:
        say(f"{path}: {len(named)} cameras, drawing {named[0].name}; choose with --view")
    return named[0].camera


def _check_sizes(cameras: list[Camera]) -> None:
    """Refuses pictures that memory cannot hold, before it is gone."""
    for camera in cameras:
        if camera.width * camera.height > _MOST_PIXELS:
            raise UsageError(
                f"a picture of {camera.width}x{camera.height} has more than {_MOST_PIXELS:,} pixels; choose a smaller "
                "--size"
            )


def _resized(camera: Camera, size: str | None) -> Camera:
    return camera if size is None else camera.resized(*_parsed(size))


def _parsed(size: str) -> tuple[int, int]:
    match = _SIZE.fullmatch(size)
    if match is None:
        raise UsageError(f"--size {size!r} is not WIDTHxHEIGHT, such as 640x480")
    return int(match[1]), int(match[2])


def _drawn(cloud: GaussianCloud, cameras: list[Camera], background: Background, engine: Engine) -> Iterator[Render]:
    from ...bench_data.render import RenderSettings, render_many

    settings = RenderSettings(background=_COLOURS[background])
    return render_many(cloud, cameras, settings, engine=ready_engine(cloud, engine, settings))


def _write_png(image_srgb_u8: NDArray[np.uint8], out: Path) -> None:
    from PIL import Image

    from ...bench_data.whole_file import whole_file

    with whole_file(out) as part:
        Image.fromarray(image_srgb_u8).save(part)


def _write_depth(depth_m: NDArray[np.float32], out: Path) -> None:
    from PIL import Image

    from ...bench_data.whole_file import whole_file

    with whole_file(out) as part:
        Image.fromarray(depth_m).save(part)
    say(f"wrote {out}")
