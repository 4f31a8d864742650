"""Reads a chart back: what its shapes say, by the chart's own ticks and nothing else."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np

__all__ = ["Drawn"]


class Drawn:
    """A chart as its reader sees it."""

    def __init__(self, svg: str) -> None:
        self.root = ET.fromstring(svg)

    def texts(self) -> list[ET.Element]:
        return list(self.root.iter("text"))

    def words(self) -> list[str]:
        return [one.text or "" for one in self.texts()]

    def groups(self, start: str) -> list[ET.Element]:
        """The groups whose description starts so."""
        return [one for one in self.root.iter("g") if (one.findtext("title") or "").startswith(start)]

    def scale(self, axis: str) -> tuple[float, float]:
        """(slope, offset) with value = slope * pixel + offset, from the tick labels along one axis."""
        other = "y" if axis == "x" else "x"
        ticks = [
            (float(one.get(axis, "nan")), float(one.get(other, "nan")), _number(one.text or ""))
            for one in self.texts()
            if "soft" in (one.get("class") or "").split() and re.fullmatch(r"[+−]?[\d.]+%?", one.text or "")
        ]
        lines = {place for _, place, _ in ticks}
        row = max(lines, key=lambda place: sum(one[1] == place for one in ticks))
        mine = [(at, value) for at, place, value in ticks if place == row]
        if axis == "y":  # words stand below their line by part of their height: take the lines
            lines_px = sorted(
                float(one.get("y1", "nan")) for one in self.root.iter("line") if one.get("class") == "grid"
            )
            mine = [(at, value) for at, (_, value) in zip(lines_px, sorted(mine), strict=True)]
        slope, offset = np.polyfit([at for at, _ in mine], [value for _, value in mine], 1)
        return float(slope), float(offset)

    @property
    def size(self) -> tuple[float, float]:
        _, _, width, height = (float(one) for one in (self.root.get("viewBox") or "").split())
        return width, height


def _number(words: str) -> float:
    value = float(words.removesuffix("%").replace("−", "-"))
    return value / 100 if words.endswith("%") else value
