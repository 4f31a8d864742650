"""The six mixtures of SpaceDG (arXiv 2605.22536, appendix A.2 and table 6).

The paper names six scenes and prints their compositions. The primary degradation has the strength of the benchmark, the
others an "easier" one: level 1 or 2 here. Bold print marks the primary in the paper's table; the plain text that we had
has lost it, so the first of each is taken. In what order they act is not published either; here it is that of image
formation.
"""

from __future__ import annotations

from .recipe import RECIPES, Recipe, RecipePart, SeverityChoice

_EASIER: SeverityChoice = (1, 2)


def _add(name: str, summary: str, published: str, primary: str, *auxiliaries: str) -> None:
    parts = (
        RecipePart(degradation=primary, severity="bench"),
        *(RecipePart(degradation=other, severity=_EASIER) for other in auxiliaries),
    )
    RECIPES.add(name, Recipe(name=name, summary=summary, parts=parts, published=published))


_add("night_capture", "a hand-held picture at night", "LL+MB+LR", "low_light", "motion_blur", "low_res")
_add("hazy_long_range", "far away through hazy air", "HZ+LR+MB", "haze", "low_res", "motion_blur")
_add("wet_lens_motion", "moving in the rain at dusk", "WD+MB+LL", "water_droplets", "motion_blur", "low_light")
_add("backlit_motion", "something moves against the light", "OE+MB", "over_exposure", "motion_blur")
_add("motion_defocus", "moving and out of focus, seen small", "MB+DF+LR", "motion_blur", "defocus", "low_res")
_add("compressed_portrait", "a blurred portrait after sharing", "DF+JPEG", "defocus", "jpeg_compression")
