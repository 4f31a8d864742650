"""All image statistics of one picture, as typed groups and as one flat table of numbers."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

from ...bench_data.images import Picture
from .atmosphere import AtmosphereStatistics, measure_atmosphere
from .blockiness import BlockStatistics, measure_blocks
from .colour import ColourStatistics, measure_colour
from .edges import LEAST_EDGES, EdgeStatistics, measure_edges
from .exposure import ExposureStatistics, measure_exposure
from .faint import measure_faint_share
from .noise_level import NoiseStatistics, measure_noise
from .resolution import ResolutionStatistics, measure_resolution
from .views import PictureViews

__all__ = ["PictureFeatures", "measure_features"]

_JPEG_PHASE_SCORE = 4.0
_JPEG_JUMP_RATIO = 0.12


@dataclass(frozen=True)
class PictureFeatures:
    """The groups; each documents its numbers, their units and their sources.

    ``faint_share`` is measured where there are too few edges to tell anything else, and 0 elsewhere; see
    `measure_faint_share`. It is no part of the flat table.
    """

    exposure: ExposureStatistics
    atmosphere: AtmosphereStatistics
    colour: ColourStatistics
    noise: NoiseStatistics
    edges: EdgeStatistics
    blocks: BlockStatistics
    resolution: ResolutionStatistics
    faint_share: float
    width_px: int
    height_px: int

    def flat(self) -> dict[str, float]:
        """Name to number, as ``group.statistic``; every number is finite."""
        table: dict[str, float] = {"size.longer_side_px": float(max(self.width_px, self.height_px))}
        for group in ("exposure", "atmosphere", "colour", "noise", "edges", "blocks", "resolution"):
            statistics = getattr(self, group)
            for field in dataclasses.fields(statistics):
                value = getattr(statistics, field.name)
                if isinstance(value, int | float):
                    table[f"{group}.{field.name}"] = float(value)
        table["exposure.bright_patch_share"] = self.exposure.bright_patch.share
        table["exposure.dark_patch_share"] = self.exposure.dark_patch.share
        unusable = [name for name, value in table.items() if not math.isfinite(value)]
        if unusable:
            raise ArithmeticError(
                f"image statistics {unusable} are not finite; this is a fault of Seeworthy, report it"
            )
        return table


def measure_features(picture: Picture) -> PictureFeatures:
    """Measures a picture of any size from 1x1 on; deterministic.

    Number marks are left out: they were drawn on the picture, and were never dark, hazy or blurred with it.

    About 0.1 s for 640x480 on one core. Larger pictures take little longer: light is measured on a small copy, fine
    detail on nine native tiles.
    """
    views = PictureViews.without_marks(picture)
    noise = measure_noise(views)
    blocks = measure_blocks(views)
    has_grid = blocks.phase_score > _JPEG_PHASE_SCORE and blocks.jump_ratio > _JPEG_JUMP_RATIO
    edges = measure_edges(views, noise.luma_flat_std)
    few = edges.found < LEAST_EDGES
    return PictureFeatures(
        exposure=measure_exposure(views),
        atmosphere=measure_atmosphere(views),
        colour=measure_colour(views),
        noise=noise,
        edges=edges,
        blocks=blocks,
        resolution=measure_resolution(views, jpeg_grid=has_grid),
        faint_share=measure_faint_share(views, noise.luma_flat_std) if few else 0.0,
        width_px=picture.width,
        height_px=picture.height,
    )
