"""The report in three sentences, and what a reader must know before believing them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ...metrics import Interval
from ..summary import ALL, ALL_DEGRADED, PairedRow, RecoveryRow, ReportSummary, ResultRow, Subject
from .charts.scales import points
from .formats import FLAG_MARKS, count_words, difference_words, listed, score_words, share
from .naming import drawn_subjects, subject_names

__all__ = ["headline", "warnings"]

_MUCH = 0.05
"""A share of replies that a reader must be told about."""
_MOST_SETTINGS = 6
_CLEAN = "clean"
_RATES: Mapping[str, Callable[[ResultRow], float | None]] = {
    "could not be read": lambda row: row.parse_failure,
    "were refusals": lambda row: row.refusal,
    "were cut off": lambda row: row.truncation,
}


def headline(summary: ReportSummary) -> tuple[str, ...]:
    """Up to three sentences: what was asked, who did best and what degradation took, what helped or hurt most."""
    names = subject_names(summary)
    sentences = [_what(summary), _best(summary, names), _wrapped(summary, names) or _hardest(summary, names)]
    return tuple(one for one in sentences if one)


def warnings(summary: ReportSummary) -> tuple[str, ...]:
    """What weakens the numbers: calls without a reply, unreadable replies, few scenes."""
    names = subject_names(summary)
    found = []
    for run in summary.runs:
        if run.calls_left:
            found.append(
                f"{run.label}: {run.calls_left:,} of {run.planned_calls:,} calls have no reply yet; the run's command, "
                "given again, makes them."
            )
        if run.stray_records:
            found.append(f"{run.label}: {count_words(run.stray_records, 'record')} of data that changed; not counted.")
    for label in dict.fromkeys(one.run for one in summary.differences):
        settings = [one.name for one in summary.differences if one.run == label]
        more = f" and {len(settings) - _MOST_SETTINGS:,} more" if len(settings) > _MOST_SETTINGS else ""
        found.append(f"{label} differs from {summary.runs[0].label} in {', '.join(settings[:_MOST_SETTINGS])}{more}.")
    for subject in summary.subjects:
        bad = _bad_replies([row for row in _every_item(summary) if row.subject == subject])
        if bad:
            found.append(f"{names[subject]}: {listed(bad)}.")
    flags = {flag for row in summary.results if row.score is not None for flag in row.score.flags}
    flags |= {flag for row in summary.paired for flag in row.difference.flags}
    found += [f"{mark} {words}." for flag, (mark, words) in FLAG_MARKS.items() if flag in flags]
    return tuple(found)


def _bad_replies(rows: Sequence[ResultRow]) -> list[str]:
    """What went wrong with many replies of one subject, over all conditions, and where most."""
    bad = []
    for what, rate in _RATES.items():
        known = [(rate(row), row) for row in rows]
        there = [(value, row, row.n - row.errors - row.missing) for value, row in known if value is not None]
        replies = sum(count for _, _, count in there)
        pooled = sum(value * count for value, _, count in there) / replies if replies else 0.0
        if pooled > _MUCH:
            worst, row, _ = max(there, key=lambda one: one[0])
            most = f" ({share(worst)} under {row.condition})" if len(there) > 1 and worst > pooled else ""
            bad.append(f"{share(pooled)} of the replies {what}{most}")
    if errors := sum(row.errors for row in rows):
        bad.append(f"{count_words(errors, 'call')} failed")
    return bad


def _what(summary: ReportSummary) -> str:
    if not summary.runs or not summary.results:
        return "Nothing was asked, so there is nothing to report."
    run = summary.runs[0]
    models = len({one.arm for one in summary.subjects})
    prompts = len({one.prompt for one in summary.subjects})
    conditions = len([name for name in summary.conditions if name != ALL_DEGRADED])
    runs = f"{count_words(len(summary.runs), 'run')} over the same data: " if len(summary.runs) > 1 else ""
    asked = (
        f"{runs}{count_words(models, 'model')} {'was' if models == 1 else 'were'} asked "
        f"{count_words(run.questions, 'question')} about {count_words(run.scenes, 'scene')} under "
        f"{count_words(conditions, 'condition')}" + (f" with {prompts} prompts" if prompts > 1 else "")
    )
    rows = _every_item(summary)
    planned, there = sum(row.n for row in rows), sum(row.n - row.missing - row.errors for row in rows)
    return f"{asked}: {there:,} of {planned:,} replies are there."


def _best(summary: ReportSummary, names: Mapping[Subject, str]) -> str:
    scores = {(row.subject, row.condition): row for row in _overall(summary) if row.score is not None}
    seeing = drawn_subjects(summary)
    condition = _first_of([_CLEAN, *summary.conditions], {condition for _, condition in scores})
    ranked = [scores[one, condition] for one in seeing if (one, condition) in scores]
    if not ranked:
        return "No answer could be scored." if summary.results else ""
    best = max(ranked, key=lambda row: _estimate(row.score))
    beside = [f"guessing gives {share(best.chance)}"] if best.chance is not None else []
    beside += [f"without pictures it scores {share(best.blind)}"] if best.blind is not None else []
    lead = "scores" if len(ranked) == 1 else "does best, with"
    on = "clean pictures" if condition == _CLEAN else condition
    words = f"On {on} {names[best.subject]} {lead} {score_words(best.score)}"
    words += f", where {listed(beside)}" if beside else ""
    drop = next((row for row in _drops(summary, best.subject) if row.condition_after == ALL_DEGRADED), None)
    if drop is None:
        return words + "."
    fall = "; degraded pictures cost it" if drop.difference.estimate < 0 else "; degraded pictures change that by"
    size = difference_words(drop.difference) if drop.difference.estimate >= 0 else _loss_words(drop.difference)
    return f"{words}{fall} {size} points{_doubt(drop.difference)}."


def _wrapped(summary: ReportSummary, names: Mapping[Subject, str]) -> str:
    rows = [row for row in summary.recovery if row.wraps and row.before in drawn_subjects(summary)]
    row = next((row for row in rows if row.condition == ALL_DEGRADED), None) or next(
        (row for row in rows if row.condition not in (ALL, _CLEAN)), None
    )
    if row is None:
        return ""
    pair = _pair_of(summary, row)
    change = "" if pair is None else f" changes its score by {difference_words(pair.difference)} points"
    doubt = "" if pair is None else _doubt(pair.difference)
    on = "degraded pictures" if row.condition == ALL_DEGRADED else row.condition
    moved = f"{count_words(row.recovered, 'answer')} came right and {row.lost:,} went wrong"
    return f"On {on} wrapping {names[row.before]} as {names[row.after]}{change}{doubt}: {moved}."


def _pair_of(summary: ReportSummary, row: RecoveryRow) -> PairedRow | None:
    for pair in summary.paired:
        same = (pair.before, pair.after, pair.condition_after) == (row.before, row.after, row.condition)
        if same and pair.by == "all" and pair.contrast == "arm":
            return pair
    return None


def _hardest(summary: ReportSummary, names: Mapping[Subject, str]) -> str:
    rows = [
        row
        for one in drawn_subjects(summary)
        for row in _drops(summary, one)
        if row.condition_after != ALL_DEGRADED and row.difference.estimate < 0
    ]
    if not rows:
        return "No condition lowers a score." if any(row.contrast == "condition" for row in summary.paired) else ""
    worst = min(rows, key=lambda row: row.difference.estimate)
    flips = ""
    if worst.flips is not None:
        flips = f": {count_words(worst.flips.lost, 'answer')} went wrong and {worst.flips.gained:,} came right"
    return (
        f"The largest loss is {names[worst.after]}'s under {worst.condition_after}, {_loss_words(worst.difference)} "
        f"points{_doubt(worst.difference)}{flips}."
    )


def _drops(summary: ReportSummary, subject: Subject) -> list[PairedRow]:
    return [row for row in summary.paired if row.contrast == "condition" and row.by == "all" and row.after == subject]


def _overall(summary: ReportSummary) -> list[ResultRow]:
    return [row for row in summary.results if row.by == "all" and row.category == ALL]


def _every_item(summary: ReportSummary) -> list[ResultRow]:
    return [row for row in _overall(summary) if row.condition != ALL_DEGRADED]


def _loss_words(found: Interval) -> str:
    bounds = (
        "" if found.low is None or found.high is None else f" [{-100 * found.high:z.1f}, {-100 * found.low:z.1f}]"
    ).replace("-", "−")
    return points(-found.estimate).removeprefix("+") + bounds


def _doubt(found: Interval) -> str:
    """Said where the data do not tell a difference from none."""
    if found.low is None or found.high is None or "no_variation" in found.flags:
        return " (one cannot tell how surely)"
    return " (which may be chance)" if found.low <= 0 <= found.high else ""


def _estimate(found: Interval | None) -> float:
    return -1.0 if found is None else found.estimate


def _first_of(wanted: Sequence[str], there: set[str]) -> str:
    return next((name for name in wanted if name in there), "")
