"""What guessers reach, against chance, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .judging import ALL_KINDS, FALSE_ALARMS, LEAST_QUESTIONS, LEAST_SCENES, Sees, Tally, p_values
from .rules import AVOIDING

__all__ = ["ConstantGuess", "Guess", "LeakReport", "judged"]

WHOLE_SET = 20_000
"""Of so many questions of all kinds the plain distance from chance decides; sampling error is no excuse any more."""
_LISTED = 12


@dataclass(frozen=True, slots=True)
class Guess:
    """What one guesser reached.

    Args:
        guesser: its name.
        sees: what it looks at; "knowledge" is what it knows of the world from other scenes.
        kind: of the questions, or `ALL_KINDS`.
        questions: to which its trick applied.
        accuracy: the share that it got right; ties count as the chance to pick the right one of them.
        chance: of a blind guess on the same questions.
        scenes: that they are from.
        standard_error: of accuracy - chance, see `Tally`.
        p_value: how often luck gives any guesser of the audit as much beyond the tolerance; None where too little was
            asked to tell, and for knowledge.
        leaks: whether it is beyond chance by more than the tolerance.
    """

    guesser: str
    sees: Sees
    kind: str
    questions: int
    accuracy: float
    chance: float
    scenes: int
    standard_error: float
    p_value: float | None
    leaks: bool

    @property
    def excess(self) -> float:
        """Accuracy beyond chance. Below it is no leak: whoever turns such a guess round is a guesser of its own."""
        return self.accuracy - self.chance

    @property
    def lacking(self) -> str:
        """What it would take to tell, such as "12 of 30 questions, 2 of 7 scenes"; empty where there is enough."""
        return _lacking(self.questions, self.scenes)

    @property
    def interval(self) -> tuple[float, float] | None:
        """95 % interval of the excess (Student's t over scenes), within what is possible; None if too few to tell."""
        if self.lacking:
            return None
        from scipy.special import stdtrit

        reach = self.standard_error * float(stdtrit(self.scenes - 1, 0.975))
        return max(self.excess - reach, -self.chance), min(self.excess + reach, 1 - self.chance)

    @property
    def interval_text(self) -> str:
        """The interval in words, or what it would take."""
        if self.interval is None:
            return "few scenes" if self.leaks else "too few to tell"
        low, high = self.interval
        return f"{low:+.1%} to {high:+.1%}"

    @property
    def verdict(self) -> str:
        """The word at the end of a table's row: LEAK, knowledge, or none."""
        return "LEAK" if self.leaks else "knowledge" if self.sees == "knowledge" else ""


def _lacking(questions: int, scenes: int) -> str:
    wanted = (
        (questions, LEAST_QUESTIONS, "questions"),
        (scenes, LEAST_SCENES, "scenes"),
    )
    return ", ".join(f"{there} of {least} {what}" for there, least, what in wanted if there < least)


@dataclass(frozen=True, slots=True)
class ConstantGuess:
    """What the best fixed answer reaches on questions for numbers; there is no chance level for these.

    Args:
        score: mean relative accuracy, or the share of counts hit.
    """

    kind: str
    questions: int
    answer: float
    score: float


@dataclass(frozen=True)
class LeakReport:
    """The result of a leak audit.

    Args:
        questions: read in all.
        guesses: each guesser overall first, then by kind.
        constants: for questions without options.
        tolerance: distance above chance that is accepted.
        tallies: what each guesser reached in each scene; reports of several suites are pooled from these.
    """

    questions: int
    guesses: tuple[Guess, ...]
    constants: tuple[ConstantGuess, ...]
    tolerance: float
    tallies: tuple[Tally, ...] = field(default=(), compare=False, repr=False)

    @property
    def leaks(self) -> tuple[Guess, ...]:
        """What lies outside of the tolerance."""
        return tuple(guess for guess in self.guesses if guess.leaks)

    @property
    def ok(self) -> bool:
        """Whether nothing leaks."""
        return not self.leaks

    @property
    def too_few(self) -> Mapping[str, str]:
        """Kinds of which no guesser saw enough to tell -> what it would take: "12 of 30 questions, 2 of 7 scenes"."""
        most: dict[str, tuple[int, int]] = {}
        for one in self.guesses:
            questions, scenes = most.get(one.kind, (0, 0))
            most[one.kind] = max(questions, one.questions), max(scenes, one.scenes)
        found = {kind: _lacking(*counts) for kind, counts in most.items()}
        return {kind: lacking for kind, lacking in found.items() if lacking}

    @property
    def shown(self) -> tuple[Guess, ...]:
        """The rows of a table: overall results of all guessers but the avoiding ones, and all leaks."""
        overall = [one for one in self.guesses if one.kind == ALL_KINDS and (one.leaks or one.guesser not in AVOIDING)]
        return (*overall, *(one for one in self.leaks if one.kind != ALL_KINDS))

    def overall(self, guesser: str) -> Guess | None:
        """A guesser's result over all kinds; None where it applied to nothing."""
        return next((one for one in self.guesses if one.guesser == guesser and one.kind == ALL_KINDS), None)

    def summary(self) -> list[str]:
        """What was found, in one line; and what is too little to tell, if any is."""
        found = "no leak" if self.ok else f"{len(self.leaks)} LEAKS"
        lines = [
            f"{self.questions} questions, {found} beyond {self.tolerance:.0%} above chance and sampling error "
            f"(false alarms in at most {FALSE_ALARMS:.0%} of sets)"
        ]
        few = [f"{kind} ({lacking})" for kind, lacking in self.too_few.items()]
        if few:
            more = f" and {len(few) - _LISTED} more" if len(few) > _LISTED else ""
            lines.append(f"too few to tell: {', '.join(few[:_LISTED])}{more}")
        return lines

    def as_text(self) -> str:
        """A table of the overall results and of all leaks."""
        names = [one.guesser if one.kind == ALL_KINDS else f"  {one.guesser}, {one.kind}" for one in self.shown]
        width = max(map(len, ["guesser", *names]))
        lines = [f"{'guesser':<{width}}{'questions':>10}{'right':>8}{'chance':>8}{'beyond':>8}{'95 %':>19}"]
        for one, name in zip(self.shown, names, strict=True):
            row = (
                f"{name:<{width}}{one.questions:>10}{one.accuracy:>8.1%}{one.chance:>8.1%}"
                f"{one.excess:>+8.1%}{one.interval_text:>19}  {one.verdict}"
            )
            lines.append(row.rstrip())
        lines += [
            f"always {one.answer:.3g}: {one.score:.1%} of {one.questions}, {one.kind} (numbers)"
            for one in self.constants
        ]
        return "\n".join([*lines, *self.summary()])


def judged(
    questions: int, tallies: Sequence[Tally], constants: Sequence[ConstantGuess], *, tolerance: float, seed: int = 0
) -> LeakReport:
    """The report on tallies, all of which are tested together.

    Args:
        questions: read in all.
        tallies, constants: what guessers reached.
        tolerance: distance above chance that is accepted.
        seed: see `p_values`.
    """
    tested = [one for one in tallies if one.sees != "knowledge" and one.enough]
    p = {id(one): value for one, value in zip(tested, p_values(tested, tolerance, seed=seed), strict=True)}
    guesses = tuple(_guess(one, p.get(id(one)), tolerance) for one in tallies)
    return LeakReport(questions, guesses, tuple(constants), tolerance, tuple(tallies))


def _guess(tally: Tally, p_value: float | None, tolerance: float) -> Guess:
    leaks = p_value is not None and p_value <= FALSE_ALARMS
    if tally.kind == ALL_KINDS and tally.count >= WHOLE_SET and tally.sees != "knowledge":
        leaks = tally.accuracy - tally.chance > tolerance
    return Guess(
        guesser=tally.guesser,
        sees=tally.sees,
        kind=tally.kind,
        questions=tally.count,
        accuracy=tally.accuracy,
        chance=tally.chance,
        scenes=len(tally.scenes),
        standard_error=tally.standard_error,
        p_value=p_value,
        leaks=leaks,
    )
