"""Trace pages on disk: bounded in number and bytes, the oldest go first."""

from __future__ import annotations

import logging
import re
import secrets
from collections import OrderedDict
from pathlib import Path
from threading import Lock

from ..result import SolverResult
from ..trace.page import trace_page

__all__ = ["TraceShelf"]

_ID = re.compile(r"[0-9a-f]{32}")
_LOG = logging.getLogger(__name__)


class TraceShelf:
    """Keeps the pages of the last answers.

    Pages of an earlier server in the same folder stay readable and count. Other files are left alone.

    Args:
        folder: made when it is missing.
        max_count, max_bytes: of all pages together; 0 keeps none.
    """

    def __init__(self, folder: Path, *, max_count: int, max_bytes: int) -> None:
        self._folder = folder
        self._max_count = max_count
        self._max_bytes = max_bytes
        self._sizes: OrderedDict[str, int] = OrderedDict()
        self._lock = Lock()
        folder.mkdir(parents=True, exist_ok=True)
        for left_over in folder.glob("*.part"):
            # From a server that was killed while it wrote.
            if _ID.fullmatch(left_over.stem):
                left_over.unlink(missing_ok=True)
        known = [(path.stat(), path) for path in folder.glob("*.html") if _ID.fullmatch(path.stem)]
        for stat, path in sorted(known, key=lambda entry: (entry[0].st_mtime_ns, entry[1].name)):
            self._sizes[path.stem] = stat.st_size
        self._evict()

    def __len__(self) -> int:
        return len(self._sizes)

    @property
    def total_bytes(self) -> int:
        """On disk, all pages together."""
        return sum(self._sizes.values())

    def put(self, result: SolverResult) -> str | None:
        """Draws and keeps the page of a result, and returns its id; None when it is not kept.

        A full disk costs the page, never the answer.
        """
        if not self._max_count:
            return None
        page = trace_page(result).encode()
        if len(page) > self._max_bytes:
            return None
        # The id is all that stands between a page and whoever guesses, so it comes from the system's secure source.
        name = secrets.token_hex(16)
        path = self._folder / f"{name}.html"
        unfinished = path.with_suffix(".part")
        try:
            unfinished.write_bytes(page)
            unfinished.replace(path)
        except OSError as error:
            _LOG.warning("cannot keep a trace page: %s", error)
            unfinished.unlink(missing_ok=True)
            return None
        with self._lock:
            self._sizes[name] = len(page)
            self._evict()
        return name

    def get(self, name: str) -> bytes | None:
        """The page of that id; None when there is none (any more)."""
        if not _ID.fullmatch(name):
            return None
        try:
            return (self._folder / f"{name}.html").read_bytes()
        except FileNotFoundError:
            return None

    def _evict(self) -> None:
        while self._sizes and (len(self._sizes) > self._max_count or self.total_bytes > self._max_bytes):
            name, _ = self._sizes.popitem(last=False)
            (self._folder / f"{name}.html").unlink(missing_ok=True)
