"""The numbers of an audit in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from ....diagnostics.auditing import PartSummary
    from ....diagnostics.metrics import Interval

__all__ = ["print_summaries"]


def print_summaries(summaries: Sequence[PartSummary]) -> None:
    """Everything of importance, one condition of the data after the other."""
    from rich.console import Console

    console = Console(highlight=False)
    for summary in summaries:
        console.rule(f"{summary.model} · {summary.condition} · {summary.pictures} pictures", style="dim")
        for reason, count in summary.left_out.items():
            console.print(f"{count} questions left out: {reason}", style="dim")
        _rates(console, summary)
        _graphs(console, summary)
        _consistency(console, summary)
        _effects(console, summary)
        _errors(console, summary)
        _diagnosis(console, summary)


def _rates(console: Console, summary: PartSummary) -> None:
    table = _table(
        "answers", ["condition"], ["asked", "score", "chance", "unreadable", "refused", "failed", "not asked"]
    )
    for name, rates in summary.rates.items():
        table.add_row(
            name,
            str(rates.n),
            _share(rates.accuracy),
            _share(rates.chance),
            _share(rates.parse_failure_rate),
            _share(rates.refusal_rate),
            str(rates.errors),
            str(sum(summary.missing.get(name, {}).values())),
        )
    console.print(table)
    for name, reasons in summary.missing.items():
        for reason, count in reasons.items():
            console.print(f"{name}: {count} not asked: {reason}", style="yellow", markup=False)


def _graphs(console: Console, summary: PartSummary) -> None:
    if not summary.graphs:
        return
    table = _table("scene graphs", ["picture"], ["asked", "no graph", "SGC", "lengths", "relations", "empty answer"])
    for graphs in summary.graphs:
        table.add_row(
            graphs.source,
            str(graphs.pictures),
            str(graphs.failed),
            _share(graphs.sgc),
            _share(graphs.estimation),
            _share(graphs.relation),
            _share(graphs.relation_of_empty_answer),
        )
    console.print(table)
    for graphs in summary.graphs:
        if graphs.unit_slip is not None:
            console.print(f"its lengths seem to be in {graphs.unit_slip}, not in metres", style="yellow")
        if graphs.mirror_slip != "none":
            console.print(f"its relations are told the wrong way round: {graphs.mirror_slip}", style="yellow")


def _consistency(console: Console, summary: PartSummary) -> None:
    report = summary.consistency
    if report is None:
        return
    table = _table("consistency", ["ability"], ["questions", "coverage", "agreement", "chance", "kappa", "ceiling"])
    for group in report.groups:
        table.add_row(
            group.name,
            str(group.questions),
            _share(group.coverage),
            _share(group.agreement),
            _share(group.chance),
            "–" if group.kappa is None else f"{group.kappa:.2f}",
            _share(None if group.ceiling is None else group.ceiling.overall),
        )
    table.add_section()
    table.add_row(
        "all",
        str(report.questions),
        _share(report.coverage.estimate),
        _share(None if report.agreement is None else report.agreement.estimate),
        _share(report.chance),
        "–" if report.kappa is None else f"{report.kappa.estimate:.2f}",
        _share(None if report.ceiling is None else report.ceiling.overall),
    )
    console.print(table)
    console.print(", ".join(f"{outcome.value} {count}" for outcome, count in report.outcomes.items()))
    if report.agreement is not None and report.kappa is not None:
        console.print(f"agreement {_interval(report.agreement)}, beyond chance {_interval(report.kappa)}", markup=False)
    if summary.published is not None:
        values = summary.published
        console.print(f"as published: {_share(values.consistency)}, valid {_share(values.valid_rate)}")


def _effects(console: Console, summary: PartSummary) -> None:
    if not summary.effects:
        return
    table = _table("effects", ["effect"], ["questions", "missing", "before", "after", "difference, 95 %"])
    for effect in summary.effects:
        found = effect.difference
        table.add_row(
            effect.name,
            str(effect.questions),
            str(effect.missing),
            _share(None if found is None else found.before),
            _share(None if found is None else found.after),
            "–" if found is None else _interval(found.difference, signed=True).replace("[", "\\["),
        )
    console.print(table)


def _errors(console: Console, summary: PartSummary) -> None:
    if not summary.errors:
        return
    table = _table("errors under degradation", ["what"], [errors.condition for errors in summary.errors])
    table.add_row("wrong", *(f"{errors.wrong} of {errors.questions}" for errors in summary.errors))
    for kind in summary.errors[0].kinds:
        table.add_row(f"  {kind.value}", *(str(errors.kinds[kind]) for errors in summary.errors))
    table.add_row("declined", *(str(errors.declined) for errors in summary.errors))
    table.add_row("  rightly", *(str(errors.declined_rightly) for errors in summary.errors))
    if any(errors.named for errors in summary.errors):
        named = (f"{one.named_rightly} of {one.named}" if one.named else "–" for one in summary.errors)
        table.add_row("degradation named rightly", *named)
    console.print(table)


def _diagnosis(console: Console, summary: PartSummary) -> None:
    found = summary.diagnosis
    if found is None:
        return
    console.print(f"\ndiagnosis: [bold]{found.mode.value}[/bold], probability {found.probability:.0%}")
    others = [one for one in found.modes if one.mode is not found.mode and one.probability >= 0.01]
    if others:
        console.print("also possible: " + ", ".join(f"{one.mode.value} {one.probability:.0%}" for one in others))
    console.print(f"quadrant: {found.quadrant.value}, {found.quadrants[found.quadrant]:.0%}")
    console.print(f"{found.meaning}\n{found.advice}")
    for warning in found.warnings:
        console.print(warning, style="yellow", markup=False)


def _table(title: str, words: Sequence[str], numbers: Sequence[str]) -> Table:
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=None, header_style="bold")
    for head in words:
        table.add_column(head)
    for head in numbers:
        table.add_column(head, justify="right")
    return table


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"


def _interval(found: Interval, *, signed: bool = False) -> str:
    sign = "+" if signed else ""
    if found.low is None or found.high is None:
        return f"{found.estimate:{sign}.1%}"
    return f"{found.estimate:{sign}.1%} [{found.low:{sign}.1%}, {found.high:{sign}.1%}]"
