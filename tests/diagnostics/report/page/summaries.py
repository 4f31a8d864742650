"""Summaries made by hand: plausible numbers of any size, drawn from a seed, with or without hostile names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from seeworthy.bench_data.stress import ROBOSTRESS_TAGS
from seeworthy.diagnostics.metrics import Flips, Interval
from seeworthy.diagnostics.report.summary import (
    ALL,
    ALL_DEGRADED,
    ArmCard,
    By,
    ConsistencyRow,
    Contrast,
    CostRow,
    Example,
    ExampleReply,
    MixtureScore,
    PairedRow,
    PromptExample,
    RecoveryRow,
    ReportSummary,
    ResultRow,
    RunCard,
    SensitivityRow,
    SentPictures,
    SettingDifference,
    SeverityCurve,
    SeverityPoint,
    ShownPicture,
    StressRow,
    Subject,
)
from seeworthy.tools.models import CoordinateSpace, GenerationSettings

__all__ = ["Maker", "interval"]


def interval(estimate: float, half: float = 0.05, *, flags: Sequence[str] = (), n: int = 40) -> Interval:
    """An interval of the same width to both sides."""
    return Interval(
        estimate=estimate,
        low=estimate - half,
        high=estimate + half,
        standard_error=half / 2,
        confidence=0.95,
        n_items=n,
        n_clusters=n,
        method="percentile",
        flags=tuple(flags),
    )


class Maker:
    """Makes summaries.

    Args:
        arms, prompts, runs, kinds, degradations: names; all may be hostile.
        levels: of each degradation.
        reply: what models say in the examples.
        examples: how many.
    """

    def __init__(
        self,
        *,
        arms: Sequence[str] = ("openai/qwen3-vl@http://localhost:8000/v1", "robust(openai/qwen3-vl@…)"),
        prompts: Sequence[str] = ("plain",),
        runs: Sequence[str] = ("monday",),
        kinds: Sequence[str] = ("object counting", "relative distance", "camera height"),
        degradations: Sequence[str] = ("haze", "low_light"),
        levels: int = 5,
        reply: str = "The answer is B.",
        examples: int = 2,
        seed: int = 0,
    ) -> None:
        self.arms, self.prompts, self.runs = tuple(arms), tuple(prompts), tuple(runs)
        self.kinds, self.degradations, self.levels = tuple(kinds), tuple(degradations), levels
        self.reply, self.examples = reply, examples
        self.rng = np.random.default_rng(seed)
        self.subjects = tuple(
            Subject(run=run, arm=arm, prompt=prompt) for run in runs for arm in arms for prompt in prompts
        )
        self.degraded = tuple(f"{name}@{level}" for name in degradations for level in range(1, levels + 1))
        self.conditions = ("clean", *self.degraded, ALL_DEGRADED)

    def summary(self) -> ReportSummary:
        """All parts."""
        return ReportSummary(
            runs=tuple(self.card(run) for run in self.runs),
            differences=tuple(
                SettingDifference(run=run, name="settings.seed", left=0, right=place)
                for place, run in enumerate(self.runs)
                if place
            ),
            subjects=self.subjects,
            conditions=self.conditions,
            blind_prompts=tuple(prompt for prompt in self.prompts if prompt == "blind"),
            results=tuple(
                self.result(subject, condition, by, category)
                for subject in self.subjects
                for condition in self.conditions
                for by, category in self.categories()
            ),
            paired=self.paired(),
            severity_curves=tuple(self.curve(one, name, ALL) for one in self.subjects for name in self.degradations),
            task_curves=tuple(
                self.curve(one, name, task)
                for one in self.subjects
                for name in self.degradations
                for task in self.kinds[:2]
            ),
            mixtures=tuple(self.mixture(one) for one in self.subjects),
            sensitivity=self.sensitivity(),
            stress=tuple(self.tag(one, place) for one in self.subjects for place in range(len(ROBOSTRESS_TAGS))),
            consistency=(self.audit(),),
            costs=tuple(self.cost(one) for one in self.subjects),
            recovery=self.recovery(),
            examples=tuple(self.example(place) for place in range(self.examples)),
            example_rule="The largest losses, one of each kind first.",
        )

    def score(self) -> float:
        return float(np.round(self.rng.uniform(0.1, 0.9), 4))

    def categories(self) -> list[tuple[By, str]]:
        kinds: list[tuple[By, str]] = [("kind", kind) for kind in self.kinds]
        return [("all", ALL), *kinds]

    def result(self, subject: Subject, condition: str, by: By, category: str) -> ResultRow:
        return ResultRow(
            subject=subject,
            condition=condition,
            by=by,
            category=category,
            n=45,
            scored=40,
            unscored=2,
            errors=1,
            missing=2,
            score=interval(self.score()),
            low=0.2,
            high=0.9,
            chance=0.25,
            blind=0.31,
            parse_failure=0.1,
            refusal=0.02,
            truncation=0.0,
        )

    def paired(self) -> tuple[PairedRow, ...]:
        rows = [
            self.pair("condition", one, one, "clean", condition)
            for one in self.subjects
            for condition in self.conditions[1:]
        ]
        rows += [
            self.pair("arm", self.subjects[0], one, condition, condition)
            for one in self.subjects[1:]
            for condition in self.conditions
        ]
        return tuple(rows)

    def pair(self, contrast: Contrast, before: Subject, after: Subject, start: str, end: str) -> PairedRow:
        gained, lost = (int(count) for count in self.rng.integers(0, 12, 2))
        flips = Flips(both_right=14, both_wrong=40 - 14 - gained - lost, gained=gained, lost=lost)
        return PairedRow(
            contrast=contrast,
            before=before,
            after=after,
            condition_before=start,
            condition_after=end,
            by="all",
            category=ALL,
            n=40,
            score_before=0.6,
            score_after=0.6 + (gained - lost) / 40,
            difference=interval((gained - lost) / 40, 0.04),
            flip_items=40,
            flips=flips,
            negative_flip_rate=lost / 40,
            mcnemar_p=0.04,
            mcnemar_p_holm=0.2,
        )

    def curve(self, subject: Subject, degradation: str, task: str) -> SeverityCurve:
        points = [
            SeverityPoint(
                level=str(level),
                condition=f"{degradation}@{level}",
                scored=40,
                score=interval(self.score()),
                difference=interval(-0.1),
            )
            for level in range(1, self.levels + 1)
        ]
        bench = SeverityPoint(
            level="bench", condition=f"{degradation}@bench", scored=40, score=interval(self.score()), difference=None
        )
        return SeverityCurve(
            subject=subject,
            degradation=degradation,
            task=task,
            clean=interval(0.8),
            chance=0.25,
            points=(*points, bench),
        )

    def mixture(self, subject: Subject) -> MixtureScore:
        return MixtureScore(
            subject=subject,
            condition="haze+low_res",
            task=ALL,
            scored=40,
            score=interval(0.4),
            clean=interval(0.8),
            difference=interval(-0.4),
        )

    def sensitivity(self) -> tuple[SensitivityRow, ...]:
        def row(degradation: str, by: By, category: str) -> SensitivityRow:
            return SensitivityRow(
                subject=None,
                degradation=degradation,
                by=by,
                category=category,
                n=200,
                items=interval(-self.score() / 2),
                items_paired=interval(-self.score()),
                subjects=2,
                models=-0.4,
                models_paired=-0.8,
            )

        rows = [row(name, "all", ALL) for name in (*self.degradations, ALL)]
        rows += [row(ALL, "answer_format", form) for form in ("choice", "number")]
        return (*rows, *(row(ALL, "task", kind) for kind in self.kinds))

    def tag(self, subject: Subject, place: int) -> StressRow:
        stress = ROBOSTRESS_TAGS[place]
        return StressRow(
            subject=subject,
            by="tag",
            tag=stress.value,
            dimension=stress.dimension.value,
            n=30 + place,
            scored=20 + place,
            score=interval(self.score()),
            chance=0.25,
        )

    def audit(self) -> ConsistencyRow:
        return ConsistencyRow(
            audit="audit",
            model=self.arms[0],
            condition="clean",
            pictures=12,
            questions=120,
            qa=0.7,
            qa_blind=0.3,
            chance=0.25,
            sgc=0.55,
            graphs=12,
            graphs_failed=1,
            coverage=interval(0.8),
            agreement=interval(0.66),
            agreement_chance=0.3,
            kappa=interval(0.5),
            ceiling=0.95,
            mode="semantic shortcut",
            mode_probability=0.9,
        )

    def cost(self, subject: Subject) -> CostRow:
        return CostRow(
            subject=subject,
            questions=400,
            calls=800,
            input_tokens=120_000,
            output_tokens=9_000,
            usd=1.25,
            unpriced=0,
            seconds=4000.0,
            seconds_median=1.2,
        )

    def recovery(self) -> tuple[RecoveryRow, ...]:
        return tuple(
            RecoveryRow(
                before=self.subjects[0],
                after=one,
                condition=ALL_DEGRADED,
                wraps=one.arm.startswith("robust("),
                pairs=200,
                recovered=23,
                lost=7,
                calls_before=200,
                calls_after=520,
                tokens_before=1000,
                tokens_after=3000,
                usd_before=0.1,
                usd_after=0.35,
                extra_calls_per_recovered=320 / 23,
                extra_calls_per_net=20.0,
                extra_tokens_per_recovered=2000 / 23,
                extra_usd_per_recovered=0.25 / 23,
                extra_usd_per_net=0.25 / 16,
            )
            for one in self.subjects[1:]
        )

    def example(self, place: int) -> Example:
        def side(condition: str, digest: str, score: float) -> ExampleReply:
            return ExampleReply(
                subject=self.subjects[0],
                condition=condition,
                pictures=(ShownPicture(path=f"images/{condition}/{place}.png", sha256=digest * 64, size=(8, 6)),),
                status="ok",
                score=score,
                text=self.reply,
            )

        return Example(
            why="condition",
            loss=1.0,
            question_id=f"q{place}",
            kind=self.kinds[0],
            scene="room-1",
            question=f"Question {place}: how many chairs are there?",
            options={"A": "one", "B": "two"},
            truth="two",
            before=side("clean", "a", 1.0),
            after=side(self.degraded[-1] if self.degraded else "clean", "b", 0.0),
        )

    def card(self, run: str) -> RunCard:
        arms = tuple(
            ArmCard(
                name=arm,
                identity={"model": arm, "base_url": None},
                space=CoordinateSpace.PERMILLE,
                reported={"qwen3-vl-8b": 400, "": 3},
                sent=(
                    SentPictures(
                        original_size=(640, 480),
                        sent_size=(320, 240),
                        media_type="image/png",
                        jpeg_quality=None,
                        count=9,
                    ),
                ),
            )
            for arm in self.arms
        )
        prompt = PromptExample(
            prompt=self.prompts[0],
            version="3",
            blind=False,
            answer_format="choice",
            space=CoordinateSpace.PERMILLE,
            item="q0@clean",
            parts=(("image", "images/clean/0.png"), ("text", self.reply), ("reply", "")),
        )
        return RunCard(
            label=run,
            sources=("data",),
            limit=None,
            data_sha256="0f" * 32,
            conditions={"clean": 45},
            items=45 * len(self.conditions),
            questions=45,
            scenes=9,
            arms=arms,
            prompts=(prompt,),
            repeats=1,
            seed=0,
            generation=GenerationSettings(),
            imported=None,
            planned_calls=900,
            calls_left=12,
            stray_records=0,
            versions={"seeworthy": "0.1.0"},
            report_versions={"seeworthy": "0.1.0"},
            first_call="2026-05-01T10:00:00Z",
            last_call="2026-05-01T11:00:00Z",
        )
