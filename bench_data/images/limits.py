"""How large a picture may be before it is refused, checked on the header before anything is decoded."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import BenchDataError

__all__ = ["ImageLimits"]


@dataclass(frozen=True, kw_only=True)
class ImageLimits:
    """Bounds on what a loader accepts.

    Args:
        max_pixels: width times height. The default covers 61-megapixel cameras; decoding needs up to about 20 bytes a
            pixel while it runs.
        max_file_bytes: size of the encoded file.
        max_profile_bytes: a larger colour profile is ignored, with a note.
    """

    max_pixels: int = 64_000_000
    max_file_bytes: int = 512 * 2**20
    max_profile_bytes: int = 4 * 2**20

    def __post_init__(self) -> None:
        for name in ("max_pixels", "max_file_bytes", "max_profile_bytes"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise BenchDataError(f"ImageLimits.{name} must be a whole number of at least 1, got {value!r}")

    def check_size(self, width: int, height: int, source: str) -> None:
        """Raises when the header claims more pixels than allowed, or none."""
        if width < 1 or height < 1:
            raise BenchDataError(
                f"{source}: the header claims a picture of {width}x{height} pixels; get the file again"
            )
        if width * height > self.max_pixels:
            raise BenchDataError(
                f"{source}: the header claims {width}x{height} = {width * height:,} pixels, the limit is "
                f"{self.max_pixels:,}; if the file is sound, pass limits=ImageLimits(max_pixels={width * height})"
            )

    def check_file(self, size_bytes: int, source: str) -> None:
        """Raises when the file is empty or larger than allowed."""
        if size_bytes == 0:
            raise BenchDataError(f"{source}: the file is empty (0 bytes); get it again")
        if size_bytes > self.max_file_bytes:
            raise BenchDataError(
                f"{source}: the file has {size_bytes:,} bytes, the limit is {self.max_file_bytes:,}; if it is sound, "
                f"pass limits=ImageLimits(max_file_bytes={size_bytes})"
            )
