"""Fits the stress model and writes ``stress_model.json``: ``python -m seeworthy.tools.detect.fit --photographs
DIR...``.

Photographs are degraded with known severities (:mod:`.fit_samples`), measured, and a cumulative-link additive model is
fitted for each stress (:mod:`.fit_model`). Floors of confidence are set by five-fold cross-validation over
photographs, so that hardly any clean picture is accused. The package's own calibration photographs are always among
the data; its counted ones never are. Folders of more photographs make the model better; their names and sizes are
recorded in the JSON.

Development only; needs the dependencies of the ``dev`` extra for the package photographs. Takes some ten minutes a
hundred photographs on one core.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...bench_data.images import Picture
from ..errors import ToolError
from .features import measure_features
from .fit_drawings import drawn_pictures
from .fit_model import TrainingTable, fit_score
from .fit_plan import PLAN
from .fit_samples import Sample, samples_of_drawing, samples_of_photograph
from .grading import FittedOn, StressModel

__all__ = ["build_table", "fit_model", "main"]

_MODEL_FILE = Path(__file__).with_name("stress_model.json")
_MODEL_VERSION = "1"
_PACKAGE_SET = "package calibration photographs"
_DRAWN_SET = "pages, screens, charts and checks of fit_drawings"
_LOADED_SIDE_PX = 1600
"""Larger photographs are halved down to this before anything else; their own pixels are interpolated anyway."""


@dataclass(frozen=True)
class _Source:
    """One picture to make samples of; ``file`` is None for what needs no folder."""

    set_name: str
    origin: str
    is_drawing: bool
    file: Path | None = None


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line entry."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photographs", type=Path, nargs="*", default=[], help="folders of clean photographs")
    parser.add_argument("--drawings", type=Path, nargs="*", default=[], help="folders of drawings and screenshots")
    parser.add_argument(
        "--samples", type=Path, help="keep measured samples in this .npz; only new pictures are measured"
    )
    parser.add_argument("--out", type=Path, default=_MODEL_FILE)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args(arguments)
    sources = list(_sources(options.photographs, options.drawings))
    kept = TrainingTable.load(options.samples) if options.samples and options.samples.is_file() else None
    table = build_table(sources, seed=options.seed, workers=options.workers, kept=kept)
    if options.samples is not None:
        table.save(options.samples)
    model = fit_model(table, sets=Counter(source.set_name for source in sources), seed=options.seed)
    document = model.model_dump(mode="json")
    options.out.write_text(json.dumps(_rounded(document), indent=1) + "\n", encoding="utf-8")
    print(f"wrote {options.out}: {len(model.stresses)} stresses, {model.fitted_on.samples} samples")


def build_table(
    sources: Sequence[_Source], *, seed: int, workers: int, kept: TrainingTable | None = None
) -> TrainingTable:
    """Makes and measures the samples of all sources that ``kept`` does not hold yet.

    The result does not depend on the number of workers. ``kept`` must come from the same seed and the same statistics.
    """
    wanted = [source.origin for source in sources]
    twice = sorted(origin for origin, count in Counter(wanted).items() if count > 1)
    if twice:
        raise ToolError(f"two pictures are both called {twice[0]!r}; rename one, samples are told apart by file name")
    held = kept.origins() if kept is not None else frozenset()
    jobs = [(source, seed) for source in sources if source.origin not in held]
    with ProcessPoolExecutor(workers) as pool:
        rows = [row for chunk in pool.map(_measured_samples, jobs) for row in chunk]
    return TrainingTable.joined(kept, rows).only(wanted)


def fit_model(table: TrainingTable, *, sets: Counter[str], seed: int) -> StressModel:
    """Fits every stress of the plan."""
    return StressModel(
        version=_MODEL_VERSION,
        fitted_on=FittedOn(sets=dict(sorted(sets.items())), samples=len(table), seed=seed),
        stresses={stress: fit_score(stress, terms, table) for stress, terms in PLAN.items()},
    )


def _sources(photographs: Sequence[Path], drawings: Sequence[Path]) -> Iterator[_Source]:
    from ...bench_data.photographs import package_photographs

    for photograph in package_photographs(split="calibration"):
        yield _Source(_PACKAGE_SET, photograph.name, is_drawing=False)
    for name, _ in drawn_pictures():
        yield _Source(_DRAWN_SET, name, is_drawing=True)
    for folders, is_drawing in ((photographs, False), (drawings, True)):
        for folder in folders:
            for file in sorted(path for path in folder.iterdir() if path.is_file()):
                yield _Source(folder.name, file.stem, is_drawing, file)


def _measured_samples(job: tuple[_Source, int]) -> list[tuple[Sample, dict[str, float]]]:
    import cv2

    # The pool's processes are the parallelism; more threads would only get in each other's way.
    cv2.setNumThreads(1)
    source, seed = job
    make = samples_of_drawing if source.is_drawing else samples_of_photograph
    rows = []
    for sample, picture in make(_load(source), origin=source.origin, seed=seed):
        rows.append((sample, measure_features(picture).flat()))
    return rows


def _load(source: _Source) -> Picture:
    if source.set_name == _DRAWN_SET:
        return dict(drawn_pictures())[source.origin]
    if source.file is None:
        from ...bench_data.photographs import package_photographs

        photographs = {photograph.name: photograph for photograph in package_photographs(split="calibration")}
        return photographs[source.origin].picture
    from PIL import Image

    with Image.open(source.file) as opened:
        image = opened.convert("RGBA")
    paper = Image.new("RGBA", image.size, "white")
    flat = Image.alpha_composite(paper, image).convert("RGB")
    flat.thumbnail((_LOADED_SIDE_PX, _LOADED_SIDE_PX), Image.Resampling.BOX)
    return Picture(np.asarray(flat), source=source.file.name)


def _rounded(value: object) -> object:
    """Five digits are more than a fit can claim, and keep the file readable."""
    if isinstance(value, float):
        return float(f"{value:.5g}")
    if isinstance(value, dict):
        return {key: _rounded(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_rounded(entry) for entry in value]
    return value


if __name__ == "__main__":
    main()
