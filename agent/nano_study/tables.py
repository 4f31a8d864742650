"""The study's tables: every number is taken from the report, none is computed from replies here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...diagnostics.report import ReportSummary
from ...diagnostics.report.summary import PairedRow, ResultRow
from ...diagnostics.report.writers.tables import Table
from ...diagnostics.report.writers.tables.cells import NONE, count, interval, number, p_value, percent, with_legend

__all__ = ["Numbers", "card_tables", "study_tables"]

CLEAN, PLAIN, _LEAST_LOSS = "clean", "plain", 0.01
"""What is lost must be more than a point before a share of it can be won back."""


class Numbers:
    """Finds rows of a report by name.

    Args:
        summary: of one run.
        models: names of the models that were asked alone and within the solver.
    """

    def __init__(self, summary: ReportSummary, models: Sequence[str]) -> None:
        self.summary, self.models = summary, tuple(models)
        self.conditions = tuple(one for one in summary.conditions if one != CLEAN)

    def score(self, arm: str, condition: str, category: str = "all", by: str = "all") -> ResultRow | None:
        """A score of answers to pictures that were shown."""
        return next(
            (
                row
                for row in self.summary.results
                if row.subject.arm == arm
                and row.subject.prompt == PLAIN
                and (row.condition, row.by, row.category) == (condition, by, category)
            ),
            None,
        )

    def kinds(self) -> tuple[str, ...]:
        """Kinds of questions, in the report's order."""
        return tuple(dict.fromkeys(row.category for row in self.summary.results if row.by == "kind"))

    def taken(self, arm: str, condition: str) -> PairedRow | None:
        """A degradation against clean pictures."""
        return self._paired("condition", arm, arm, condition)

    def between(self, before: str, after: str, condition: str) -> PairedRow | None:
        """One arm against another."""
        return self._paired("arm", before, after, condition)

    def won_back(self, model: str, condition: str) -> float | None:
        """The share of what a degradation takes that the solver wins back; None where it takes next to nothing."""
        taken, given = self.taken(model, condition), self.between(model, robust(model), condition)
        if taken is None or given is None:
            return None
        loss = taken.score_before - taken.score_after
        return (given.score_after - given.score_before) / loss if loss >= _LEAST_LOSS else None

    def _paired(self, contrast: str, before: str, after: str, condition: str) -> PairedRow | None:
        return next(
            (
                row
                for row in self.summary.paired
                if row.contrast == contrast
                and row.by == "all"
                and (row.before.arm, row.after.arm, row.condition_after) == (before, after, condition)
                and row.before.prompt == row.after.prompt == PLAIN
            ),
            None,
        )


def robust(model: str) -> str:
    """The name of the arm that has the solver around a model."""
    return f"robust({model})"


def study_tables(numbers: Numbers) -> Iterator[Table]:
    """All tables, in the order of the page."""
    yield _by_kind(numbers)
    yield _by_condition(numbers)
    yield _won_back(numbers)
    for model in numbers.models:
        yield _paired(
            numbers,
            model,
            robust(model),
            f"What the solver changes: {robust(model)} against {model}",
            (CLEAN, *numbers.conditions),
        )
    for other in numbers.models[1:]:
        first = numbers.models[0]
        yield _paired(numbers, first, other, f"{other} against {first}, both alone", (CLEAN, *numbers.conditions))


def card_tables(numbers: Numbers) -> Iterator[Table]:
    """What a model can do: by kind of question, and under every condition, alone and within the solver."""
    yield _by_kind(numbers)
    yield _by_condition(numbers)


def _by_kind(numbers: Numbers) -> Table:
    rows, shown = [], []
    for kind in numbers.kinds():
        cells = []
        for model in numbers.models:
            row = numbers.score(model, CLEAN, kind, "kind")
            shown.append(None if row is None else row.score)
            cells += [NONE, NONE] if row is None else [number(row.blind), interval(row.score)]
        first = numbers.score(numbers.models[0], CLEAN, kind, "kind")
        size, chance = (NONE, NONE) if first is None else (count(first.scored), number(first.chance))
        rows.append((kind, size, chance, *cells))
    head = ("kind", "n", "chance", *(word for one in numbers.models for word in (f"{one}, blind", one)))
    note = "Blind: the same questions without the picture. Scores of numbers are mean relative accuracies."
    return Table("kinds", "Clean pictures, by kind of question", head, tuple(rows), notes=with_legend(shown, note))


def _by_condition(numbers: Numbers) -> Table:
    arms = [arm for model in numbers.models for arm in (model, robust(model))]
    rows, shown = [], []
    for condition in (CLEAN, *numbers.conditions):
        found = [numbers.score(arm, condition) for arm in arms]
        scores = [None if row is None else row.score for row in found]
        shown += scores
        rows.append((condition, count(None if found[0] is None else found[0].scored), *map(interval, scores)))
    return Table(
        "conditions",
        "By condition, alone and within the solver",
        ("condition", "n", *arms),
        tuple(rows),
        notes=with_legend(shown),
    )


def _won_back(numbers: Numbers) -> Table:
    rows = []
    for condition in numbers.conditions:
        cells = []
        for model in numbers.models:
            taken = numbers.taken(model, condition)
            cells += [
                NONE if taken is None else interval(taken.difference, signed=True),
                percent(numbers.won_back(model, condition)),
            ]
        rows.append((condition, *cells))
    head = ("condition", *(word for one in numbers.models for word in (f"{one}: taken", "won back")))
    note = (
        "Taken: score under the condition less the score on clean pictures, over the same questions. Won back: the "
        "share of it that the solver returns; below 0 % it takes more; no share where less than a point is taken."
    )
    found = [numbers.taken(model, condition) for model in numbers.models for condition in numbers.conditions]
    marks = with_legend((None if row is None else row.difference for row in found), note)
    return Table("won-back", "What degradation takes, and what the solver wins back", head, tuple(rows), notes=marks)


def _paired(numbers: Numbers, before: str, after: str, title: str, conditions: Sequence[str]) -> Table:
    rows = []
    found = [row for one in conditions if (row := numbers.between(before, after, one)) is not None]
    for row in found:
        flips = row.flips
        rows.append(
            (
                row.condition_after,
                count(row.n),
                number(row.score_before),
                number(row.score_after),
                interval(row.difference, signed=True),
                NONE if flips is None else count(flips.gained),
                NONE if flips is None else count(flips.lost),
                percent(row.negative_flip_rate),
                p_value(row.mcnemar_p),
            )
        )
    head = ("condition", "pairs", before, after, "difference", "gained", "lost", "negative flips", "McNemar p")
    note = "Gained, lost, negative flips and McNemar's p are of answers that are right or wrong and nothing between."
    legend = with_legend((row.difference for row in found), note)
    return Table(f"paired-{before}-{after}", title, head, tuple(rows), notes=legend)
