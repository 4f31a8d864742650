"""Picture: one 8-bit sRGB image with a content hash, as tools, models and stores pass it around."""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..errors import BenchDataError
from .colour import srgb_from_u8, u8_from_srgb

__all__ = ["Picture"]


@dataclass(frozen=True, eq=False)
class Picture:
    """A picture as a person sees it: upright, opaque, 8-bit sRGB.

    Args:
        image_srgb_u8: (H, W, 3) uint8, display-encoded. Made read-only.
        source: where it came from, for messages (a path, "memory").
        notes: what the loader had to do to it ("EXIF orientation 6 applied").
    """

    image_srgb_u8: NDArray[np.uint8]
    source: str = "memory"
    notes: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        array = self.image_srgb_u8
        if not isinstance(array, np.ndarray) or array.dtype != np.uint8 or array.ndim != 3 or array.shape[2] != 3:
            shape = getattr(array, "shape", None)
            dtype = getattr(array, "dtype", type(array).__name__)
            raise BenchDataError(
                f"{self.source}: a Picture needs a (H, W, 3) uint8 array, got shape {shape} of {dtype}; "
                "use load_image() or picture_from_array() to convert"
            )
        if array.shape[0] == 0 or array.shape[1] == 0:
            raise BenchDataError(f"{self.source}: the picture is empty, shape {array.shape}")
        frozen = np.ascontiguousarray(array)
        if frozen is array and array.flags.writeable:
            frozen = array.copy()
        frozen.setflags(write=False)
        object.__setattr__(self, "image_srgb_u8", frozen)

    @classmethod
    def from_srgb(
        cls, image_srgb: NDArray[np.float32], *, source: str = "memory", notes: tuple[str, ...] = ()
    ) -> Picture:
        """From (H, W, 3) float values in [0, 1]; values are rounded to 8 bits."""
        return cls(u8_from_srgb(image_srgb), source=source, notes=notes)

    @property
    def width(self) -> int:
        return int(self.image_srgb_u8.shape[1])

    @property
    def height(self) -> int:
        return int(self.image_srgb_u8.shape[0])

    @property
    def size(self) -> tuple[int, int]:
        """(width, height) in pixels."""
        return self.width, self.height

    @cached_property
    def sha256(self) -> str:
        """Hash of shape and pixels: two files that show the same picture share it, whatever their format."""
        digest = hashlib.sha256(f"{self.height}x{self.width}x3:u8:".encode())
        digest.update(self.image_srgb_u8.data)
        return digest.hexdigest()

    @property
    def image_srgb(self) -> NDArray[np.float32]:
        """(H, W, 3) float32 in [0, 1], a new array each time."""
        return srgb_from_u8(self.image_srgb_u8)

    def png(self) -> bytes:
        """The picture as a PNG file, without metadata; the same bytes each time."""
        from PIL import Image

        buffer = io.BytesIO()
        Image.fromarray(self.image_srgb_u8).save(buffer, format="PNG", compress_level=4)
        return buffer.getvalue()

    def __repr__(self) -> str:
        return f"Picture({self.width}x{self.height}, {self.source}, sha256={self.sha256[:12]})"
