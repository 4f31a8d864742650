"""The files that hold what is true of a view's pixels."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ....bench_data.errors import BenchDataError
from ..picture_files import write_picture

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ....bench_data.degrade.scene_manifest import ObjectEntry
    from ....bench_data.degrade.views import DegradedView
    from ....bench_data.render import Render

__all__ = ["TruthNames", "object_entries", "write_clean", "write_degraded"]

_MOST_IDS = 65534
"""An id is stored as a 16-bit number, with 0 for none."""


@dataclass(frozen=True)
class TruthNames:
    """Names of the files of one view, relative to the folder of all; see `scene_manifest.ResultEntry`."""

    picture: str
    depth: str
    instances: str | None
    nominal_pixels: str | None = None


def write_clean(clean: Render, out: Path, folder: str) -> TruthNames:
    """The view without degradation: picture, depth, and ids where the cloud has them."""
    from ....bench_data.images import Picture

    names = TruthNames(
        picture=f"{folder}/clean.png",
        depth=f"{folder}/clean.depth.tiff",
        instances=None if clean.instance_ids is None else f"{folder}/clean.instances.png",
    )
    write_picture(Picture(clean.image_srgb_u8), out / names.picture)
    _write_depth(clean.depth_m, out / names.depth)
    if clean.instance_ids is not None and names.instances is not None:
        _write_ids(clean.instance_ids, out / names.instances)
    return names


def write_degraded(made: DegradedView, out: Path, stem: str, clean: TruthNames) -> TruthNames:
    """The degraded picture; depth and ids of its own, and the map of pixels, where pixels moved."""
    import numpy as np

    from ....bench_data.whole_file import whole_file

    picture = f"{stem}.png"
    write_picture(made.picture, out / picture)
    truth = made.truth
    if truth.pixel_map.is_identity:
        return TruthNames(picture, clean.depth, clean.instances)
    names = TruthNames(
        picture=picture,
        depth=f"{stem}.depth.tiff",
        instances=None if truth.instance_ids is None else f"{stem}.instances.png",
        nominal_pixels=f"{stem}.nominal-pixels.npy",
    )
    _write_depth(truth.depth_m, out / names.depth)
    if truth.instance_ids is not None and names.instances is not None:
        _write_ids(truth.instance_ids, out / names.instances)
    with whole_file(out / f"{stem}.nominal-pixels.npy") as part:
        np.save(part, _nominal_pixels(made), allow_pickle=False)
    return names


def object_entries(made: DegradedView, labels: dict[int, str]) -> tuple[ObjectEntry, ...]:
    """Boxes and visibility of all objects of the clean view; empty for a cloud without instances.

    Args:
        labels: categories by instance id.
    """
    from ....bench_data.degrade.pixel_map import box_of_mask
    from ....bench_data.degrade.scene_manifest import ObjectEntry
    from ....bench_data.degrade.views import object_visibility
    from ....bench_data.images import Picture

    clean_ids, ids = made.clean.instance_ids, made.truth.instance_ids
    if clean_ids is None or ids is None:
        return ()
    return tuple(
        ObjectEntry(
            instance_id=seen.instance_id,
            label=labels.get(seen.instance_id, ""),
            box_px=box_of_mask(clean_ids == seen.instance_id),
            degraded_box_px=made.truth.box(seen.instance_id),
            clean_pixels=seen.clean_pixels,
            degraded_pixels=seen.degraded_pixels,
            clean_ratio=seen.clean_ratio,
            degraded_ratio=seen.degraded_ratio,
            is_visible=seen.is_visible,
        )
        for seen in object_visibility(Picture(made.clean.image_srgb_u8), clean_ids, made.picture, ids)
    )


def _nominal_pixels(made: DegradedView) -> NDArray[np.float32]:
    """(H, W, 2) where in the clean view each pixel centre lies; NaN where the lens or the depth does not tell."""
    import numpy as np

    pixel_map, depth_m = made.truth.pixel_map, made.truth.depth_m
    if not pixel_map.needs_depth:
        return pixel_map.nominal_of_pixels.astype(np.float32)
    known = np.isfinite(depth_m)
    found = np.full((*depth_m.shape, 2), np.nan, dtype=np.float32)
    centres = pixel_map.degraded.pixel_centres().reshape(*depth_m.shape, 2)
    found[known] = pixel_map.to_nominal(centres[known], depth_m[known])
    return found


def _write_depth(depth_m: NDArray[np.float32], file: Path) -> None:
    from PIL import Image

    from ....bench_data.whole_file import whole_file

    with whole_file(file) as part:
        Image.fromarray(depth_m).save(part)


def _write_ids(instance_ids: NDArray[np.int32], file: Path) -> None:
    import numpy as np
    from PIL import Image

    from ....bench_data.whole_file import whole_file

    if int(instance_ids.max()) > _MOST_IDS:
        raise BenchDataError(f"cannot write {file}: ids above {_MOST_IDS} do not fit into 16 bits; number them anew")
    with whole_file(file) as part:
        Image.fromarray((instance_ids + 1).astype(np.uint16)).save(part)
