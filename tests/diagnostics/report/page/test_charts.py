"""Charts say what their data say: shapes are read back by the charts' own ticks."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seeworthy.bench_data.stress import ROBOSTRESS_TAGS
from seeworthy.diagnostics.report.page.charts import (
    Axis,
    Bar,
    BarRow,
    Curve,
    CurvePoint,
    FlipRow,
    ForestRow,
    HeatCell,
    RadarSeries,
    Span,
    bar_chart,
    curve_chart,
    flip_chart,
    forest_plot,
    heat_table,
    radar_chart,
)
from seeworthy.diagnostics.report.page.charts.heat import heat_class
from seeworthy.diagnostics.report.page.charts.marks import fitted, legend, marker, text, text_width
from seeworthy.diagnostics.report.page.charts.scales import reach_of, ticks_between

from .drawn import Drawn

HOSTILE = "<script>alert('x')</script>&\"'"
shares = st.floats(0, 1, allow_nan=False)


def spans(values: st.SearchStrategy[float] = shares) -> st.SearchStrategy[Span]:
    def made(three: list[float]) -> Span:
        low, value, high = sorted(three)
        return Span(value, low, high)

    return st.lists(values, min_size=3, max_size=3).map(made)


def at(element: ET.Element, *names: str) -> tuple[float, ...]:
    return tuple(float(element.get(name, "nan")) for name in names)


def place_of(element: ET.Element) -> tuple[float, float]:
    """Of a marker, whatever its shape."""
    if element.tag == "circle":
        x, y = at(element, "cx", "cy")
        return x, y
    x, y = (element.get("data-at") or "").split(",")
    return float(x), float(y)


@given(st.lists(st.tuples(spans(), shares), min_size=1, max_size=5))
@settings(max_examples=25, deadline=None)
def test_bars_end_at_their_values_and_whiskers_at_their_bounds(bars: list[tuple[Span, float]]) -> None:
    row = BarRow("haze", tuple(Bar(place, span, "n = 4", chance) for place, (span, chance) in enumerate(bars)))
    names = [f"model {place}" for place in range(len(bars))]
    chart = Drawn(bar_chart([row], names, key="k", title="t"))
    slope, offset = chart.scale("x")
    for name, (span, chance) in zip(names, bars, strict=True):
        (group,) = chart.groups(f"haze, {name}:")
        rect = group.find("rect")
        assert rect is not None
        x, width = at(rect, "x", "width")
        assert slope * x + offset == pytest.approx(0, abs=1e-4)
        assert slope * (x + width) + offset == pytest.approx(span.value, abs=1e-4)
        ends = [at(one, "x1", "x2") for one in group.findall("line") if one.get("class") == "whisker"]
        assert span.low is not None and span.high is not None
        if span.high > span.low:
            assert [slope * end + offset for end in ends[0]] == pytest.approx([span.low, span.high], abs=1e-4)
        else:
            assert not ends
        (tick,) = [one for one in group.findall("line") if one.get("class") == "chance"]
        assert slope * at(tick, "x1")[0] + offset == pytest.approx(chance, abs=1e-4)


def test_a_bar_without_data_is_no_bar_of_zero() -> None:
    chart = Drawn(bar_chart([BarRow("rain", (Bar(0, None),))], ["m"], key="k", title="t"))
    (group,) = chart.groups("rain, m:")
    assert group.find("rect") is None
    assert "no data" in chart.words()


@given(st.lists(spans(), min_size=2, max_size=6))
@settings(max_examples=25, deadline=None)
def test_curves_and_their_bands_pass_through_their_points(points: list[Span]) -> None:
    drawn = Curve(0, tuple(CurvePoint(float(x), span) for x, span in enumerate(points)))
    ticks = {float(x): str(x) if x else "clean" for x in range(len(points))}
    chart = Drawn(curve_chart([drawn], ["m"], key="k", title="t", ticks=ticks, chance=0.25))
    slope, offset = chart.scale("y")
    outlines = {one.get("class"): one.get("points", "").split() for one in chart.root.iter() if one.get("points")}
    line = [float(one.split(",")[1]) for one in outlines["s0 stroke"]]
    assert [slope * y + offset for y in line] == pytest.approx([one.value for one in points], abs=2e-4)
    band = [slope * float(one.split(",")[1]) + offset for one in outlines["s0 band"]]
    assert band[: len(points)] == pytest.approx([one.ends[1] for one in points], abs=2e-4)
    assert band[len(points) :][::-1] == pytest.approx([one.ends[0] for one in points], abs=2e-4)
    (chance,) = chart.groups("chance 25.0%")
    (dashed,) = chance.findall("line")
    assert slope * at(dashed, "y1")[0] + offset == pytest.approx(0.25, abs=2e-4)


def test_a_radar_of_sixteen_tags_puts_every_score_on_its_spoke() -> None:
    axes = [Axis(tag.label, f"n = {place}", tag.dimension.value) for place, tag in enumerate(ROBOSTRESS_TAGS)]
    values = [tuple((place + shift) / 20 for place in range(16)) for shift in range(3)]
    chart = Drawn(
        radar_chart(axes, [RadarSeries(k, one) for k, one in enumerate(values)], ["a", "b", "c"], key="k", title="t")
    )
    assert all(axis.label in chart.words() for axis in axes)
    (rim,) = [
        [tuple(map(float, point.split(","))) for point in one.get("points", "").split()]
        for one in chart.root.iter("polygon")
        if one.get("class") == "grid ring"
    ][-1:]
    assert len(rim) == 16
    cx, cy = (sum(point[k] for point in rim) / 16 for k in (0, 1))
    radius = math.dist(rim[0], (cx, cy))
    for name, series in zip("abc", values, strict=True):
        for place, (axis, value) in enumerate(zip(axes, series, strict=True)):
            (group,) = chart.groups(f"{name}, {axis.label}:")
            x, y = place_of(next(one for one in group if one.tag != "title"))
            assert math.dist((x, y), (cx, cy)) / radius == pytest.approx(value, abs=2e-3)
            if value > 0.05:
                off = math.atan2(x - cx, cy - y) - 2 * math.pi * place / 16
                assert math.cos(off) == pytest.approx(1, abs=1e-3)
    inside = [point for one in chart.texts() for point in [at(one, "x", "y")]]
    width, height = chart.size
    assert all(0 <= x <= width and 0 <= y <= height for x, y in inside)


def test_labels_of_a_radar_stay_inside_and_apart() -> None:
    axes = [Axis(tag.label, "n = 1,234", tag.dimension.value) for tag in ROBOSTRESS_TAGS]
    chart = Drawn(radar_chart(axes, [RadarSeries(0, (0.5,) * 16)], ["m"], key="k", title="t"))
    boxes = []
    for one in chart.texts():
        if one.text in {axis.label for axis in axes}:
            x, y = at(one, "x", "y")
            wide = text_width(one.text or "")
            left = {"end": x - wide, "middle": x - wide / 2}.get(one.get("text-anchor") or "start", x)
            boxes.append((left, y - 10, left + wide, y + 16))
    width, height = chart.size
    assert len(boxes) == 16
    assert all(x0 >= 0 and x1 <= width and y0 >= 0 and y1 <= height for x0, y0, x1, y1 in boxes)
    for place, one in enumerate(boxes):
        for other in boxes[place + 1 :]:
            assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def test_a_missing_tag_breaks_the_outline() -> None:
    axes = [Axis(str(place)) for place in range(5)]
    whole = Drawn(radar_chart(axes, [RadarSeries(0, (0.5,) * 5)], ["m"], key="k", title="t"))
    broken = Drawn(radar_chart(axes, [RadarSeries(0, (0.5, None, 0.5, 0.5, 0.5))], ["m"], key="k", title="t"))
    assert sum(one.get("class") == "s0 stroke" for one in whole.root.iter("polygon")) == 1
    assert not any(one.get("class") == "s0 stroke" for one in broken.root.iter("polygon"))
    assert sum(one.get("class") == "s0 stroke" for one in broken.root.iter("polyline")) == 3
    assert not broken.groups("m, 1:")
    assert "1 no data" in (broken.root.findtext("desc") or "")


@given(st.lists(spans(st.floats(-1, 1)), min_size=1, max_size=6))
@settings(max_examples=25, deadline=None)
def test_a_forest_plot_puts_differences_and_bounds_where_they_belong(differences: list[Span]) -> None:
    rows = [ForestRow(f"row {place};", span) for place, span in enumerate(differences)]
    chart = Drawn(forest_plot(rows, key="k", title="t"))
    slope, offset = chart.scale("x")
    for row in rows:
        (group,) = chart.groups(row.label)
        look = "clear" if row.span.ends[0] > 0 or row.span.ends[1] < 0 else "unclear"
        bound = next(one for one in group.findall("line") if one.get("class") == f"{look} bound")
        found = [(slope * end + offset) / 100 for end in at(bound, "x1", "x2")]
        assert found == pytest.approx(list(row.span.ends), abs=2e-4)
        diamond = next(one for one in group.findall("polygon") if one.get("class") == f"{look} dot")
        xs = [float(point.split(",")[0]) for point in (diamond.get("points") or "").split()]
        middle = (min(xs) + max(xs)) / 2
        assert (slope * middle + offset) / 100 == pytest.approx(row.span.value, abs=2e-4)


def test_flips_go_both_ways_as_shares_of_the_pairs() -> None:
    chart = Drawn(flip_chart([FlipRow("haze", 12, 4, 40), FlipRow("rain", 0, 9, 30)], key="k", title="t"))
    slope, offset = chart.scale("x")
    for label, lost, gained in (("haze", 4 / 40, 12 / 40), ("rain", 9 / 30, 0.0)):
        (group,) = chart.groups(label)
        left, right = group.findall("rect")
        x, width = at(left, "x", "width")
        assert (slope * x + offset) / 100 == pytest.approx(-lost, abs=2e-4)
        assert (slope * (x + width) + offset) / 100 == pytest.approx(0, abs=2e-4)
        x, width = at(right, "x", "width")
        assert (slope * x + offset) / 100 == pytest.approx(0, abs=2e-4)
        assert (slope * (x + width) + offset) / 100 == pytest.approx(gained, abs=2e-4)


def test_a_heat_table_has_every_number_and_marks_what_is_like_chance() -> None:
    cells = [
        [HeatCell(Span(0.425, 0.3, 0.5), "n 40", 0.25), HeatCell(Span(0.3, 0.2, 0.4), "n 40", 0.25)],
        [HeatCell(None), HeatCell(Span(1.0), "n 1", 1.0)],
    ]
    root = ET.fromstring(heat_table(["a", HOSTILE], ["clean", "haze"], cells, corner="kind", caption="c"))
    found = [["".join(cell.itertext()) for cell in row.iter("td")] for row in root.iter("tr")][1:]
    assert found[0] == ["42.5%30–50 · n 40", "30.0%20–40 · n 40 ≈ chance"]
    assert found[1] == ["–", "100.0%n 1"]
    assert [cell.get("class") for cell in root.iter("td")] == ["h4", "h3", "none", "h10"]
    assert HOSTILE in ["".join(head.itertext()) for head in root.iter("th")]


def test_shades_grow_with_the_score() -> None:
    shades = [int(heat_class(value / 100)[1:]) for value in range(-10, 111)]
    assert shades == sorted(shades) and set(shades) == set(range(11))


def all_charts(name: str) -> list[str]:
    span = Span(0.5, 0.4, 0.6)
    point = CurvePoint(1.0, span, name)
    return [
        bar_chart([BarRow(name, (Bar(0, span, name), Bar(1, None)))], [name, name], key="k", title=name),
        curve_chart([Curve(0, (point,))], [name, name], key="k", title=name, ticks={0.0: name, 1.0: name}),
        radar_chart([Axis(name, name)] * 3, [RadarSeries(0, (0.1, None, 0.2))], [name, name], key="k", title=name),
        forest_plot([ForestRow(name, span, name, name)], key="k", title=name),
        flip_chart([FlipRow(name, 1, 2, 9, name, name)], key="k", title=name),
        heat_table([name], [name], [[HeatCell(span, name)]], corner=name, caption=name),
    ]


@pytest.mark.parametrize("name", [HOSTILE, "]]><!--", "‮desrever", "部屋 の 明るさ", "", "x" * 4000])
def test_any_name_gives_a_well_formed_drawing_with_no_element_of_its_own(name: str) -> None:
    known = {"svg", "title", "desc", "g", "text", "rect", "line", "circle", "polygon", "polyline"}
    for chart in all_charts(name):
        root = ET.fromstring(chart)
        if root.tag == "svg":
            assert {one.tag for one in root.iter()} <= known
        assert not any(key.startswith("on") or key == "style" for one in root.iter() for key in one.attrib)


def test_a_chart_says_what_it_shows_to_those_who_cannot_see_it() -> None:
    for chart in all_charts("name")[:5]:
        root = ET.fromstring(chart)
        assert root.get("role") == "img"
        ids = (root.get("aria-labelledby") or "").split()
        assert [root.find(f"*[@id='{one}']") is not None for one in ids] == [True, True]
        assert root.findtext("title") == "name" and root.findtext("desc")


def test_charts_of_nothing_are_drawn() -> None:
    for chart in (
        bar_chart([], [], key="k", title="t"),
        curve_chart([], [], key="k", title="t", ticks={0.0: "clean", 1.0: "1"}),
        forest_plot([], key="k", title="t"),
        flip_chart([], key="k", title="t"),
        heat_table([], [], [], corner="c", caption="c"),
    ):
        assert ET.fromstring(chart) is not None


@given(st.floats(-1e3, 1e3), st.floats(1e-3, 1e3), st.integers(3, 9))
def test_ticks_are_even_and_inside(low: float, room: float, most: int) -> None:
    ticks = ticks_between(low, low + room, most)
    assert len(ticks) <= most
    assert all(low - 1e-6 * room <= tick <= low + room * (1 + 1e-6) for tick in ticks)
    steps = {round(after - before, 9) for before, after in pairwise(ticks)}
    assert len(steps) <= 1 or max(steps) - min(steps) < 1e-6 * room


@given(st.lists(st.floats(-3, 3), max_size=6))
def test_the_reach_of_a_scale_holds_all_values(values: list[float]) -> None:
    assert all(abs(value) <= reach_of(values) + 1e-9 for value in values)


@given(st.text(max_size=60), st.floats(20, 400))
def test_names_are_cut_to_their_room_and_keep_both_ends(words: str, room: float) -> None:
    shown = fitted(words, room)
    assert text_width(shown) <= max(room, text_width("M…M"))
    if shown != words:
        head, tail = shown.split("…", 1) if words.count("…") == 0 else ("", "")
        assert words.startswith(head) and words.endswith(tail)


def test_a_single_series_needs_no_legend_and_many_wrap_into_rows() -> None:
    assert legend(["one"], 300.0, top=5.0) == ([], 5.0)
    parts, below = legend([f"a model with a name {place}" for place in range(9)], 300.0)
    ends = [float(one.split('x="')[1].split('"')[0]) for one in parts for one in [one[one.index("<text") :]]]
    assert len(parts) == 9 and below > 100 and max(ends) < 300


def test_every_series_has_a_shape_of_its_own() -> None:
    def shape(series: int) -> str:
        drawn = marker(10, 10, series).replace(f"s{series}", "s")
        return drawn.split("points=")[-1] if "points=" in drawn else "circle"

    assert len({shape(series) for series in range(6)}) == 6


def test_text_is_escaped() -> None:
    assert "<b>" not in text(0, 0, "<b>&\"'")
