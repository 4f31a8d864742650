"""How large other tools' files may be before they are refused."""

from __future__ import annotations

from dataclasses import dataclass

from ...bench_data.suites import SuiteLimits

__all__ = ["ImportLimits"]


@dataclass(frozen=True, kw_only=True)
class ImportLimits:
    """Bounds on files that somebody else wrote, so that a broken or hostile one cannot fill the memory.

    Args:
        file_bytes: of one file.
        row_bytes: of one row as it stands in the file.
        row_lines: that one row of a table may go on over, in quotes.
        rows: of all files together.
        reply_characters: of one reply.
        unpacked_bytes: of one part of a spreadsheet, which is compressed in its file.
    """

    file_bytes: int = 4 * 2**30
    row_bytes: int = 32 * 2**20
    row_lines: int = 20_000
    rows: int = 2_000_000
    reply_characters: int = 2_000_000
    unpacked_bytes: int = 2 * 2**30

    @property
    def of_rows(self) -> SuiteLimits:
        """As the readers of rows want them."""
        return SuiteLimits(row_bytes=self.row_bytes, row_lines=self.row_lines)
