"""Charts as plain functions: numbers in, SVG out. They need no script, no network and no style of their own."""

from .bars import bar_chart
from .curves import curve_chart
from .data import Axis, Bar, BarRow, Curve, CurvePoint, FlipRow, ForestRow, RadarSeries, Span
from .forest import flip_chart, forest_plot
from .heat import HeatCell, heat_table
from .radar import radar_chart

__all__ = [
    "Axis",
    "Bar",
    "BarRow",
    "Curve",
    "CurvePoint",
    "FlipRow",
    "ForestRow",
    "HeatCell",
    "RadarSeries",
    "Span",
    "bar_chart",
    "curve_chart",
    "flip_chart",
    "forest_plot",
    "heat_table",
    "radar_chart",
]
