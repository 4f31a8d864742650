"""Embedded colour profiles: to sRGB, as a colour-managed viewer shows the picture."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["to_srgb"]

_SPACE_OF_MODE = {"RGB": "RGB ", "L": "GRAY", "CMYK": "CMYK"}


def to_srgb(image: Image, icc: bytes | None, max_profile_bytes: int) -> tuple[Image, tuple[str, ...]]:
    """An RGB image from an 8-bit L, RGB or CMYK one, through its profile when it has a usable one, and notes.

    A profile that is broken, too large or of another colour space is ignored, and the note says so: the pixels are
    still what most programs would show.
    """
    as_stored = image.convert("RGB")
    if not icc:
        note = "CMYK without a colour profile: colours are approximate"
        return as_stored, (note,) if image.mode == "CMYK" else ()
    if len(icc) > max_profile_bytes:
        return as_stored, (f"colour profile ignored: {len(icc):,} bytes, the limit is {max_profile_bytes:,}",)

    from PIL import ImageCms

    try:
        profile = ImageCms.ImageCmsProfile(io.BytesIO(icc))
        space = profile.profile.xcolor_space
        description = (profile.profile.profile_description or "").strip()
        if space != _SPACE_OF_MODE[image.mode]:
            return as_stored, (f"colour profile ignored: it is for {space.strip()}, the picture is {image.mode}",)
        if description.startswith("sRGB"):
            return as_stored, ()
        transform = ImageCms.buildTransform(
            profile,
            ImageCms.createProfile("sRGB"),
            image.mode,
            "RGB",
            renderingIntent=ImageCms.Intent.RELATIVE_COLORIMETRIC,
            flags=ImageCms.Flags.BLACKPOINTCOMPENSATION,
        )
        converted = transform.apply(image)
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError) as error:
        return as_stored, (f"colour profile ignored: it cannot be used ({error})",)
    return converted, (f"colour profile {description or 'without a name'!r} converted to sRGB",)
