"""Builds a tiny local model, serves it, degrades real photographs, and runs detect, repair and solve on them."""

from __future__ import annotations

import argparse
import asyncio
import shutil
import sys
import time
from pathlib import Path

from ....bench_data.errors import SeeworthyError
from ....bench_data.memory import tune_glibc_malloc
from ....tools.models.registry import resolve_model
from ....tools.models.serving import LocalServer
from ....tools.models.tiny import build_tiny_llava
from .cases import Case, clean_cases, stressed_cases
from .page import demo_page
from .run import Row, run_case
from .table import print_table

_HONEST = (
    "The model behind this demo is random: a tiny LLaVA with untrained weights, built a moment ago, so that the whole\n"
    "chain runs anywhere. Its answers mean nothing. What is real: the photographs, their degradation, the detection,\n"
    "the repairs, and the way the solver asks, compares and abstains. Point --model at a model of yours for answers."
)


def main() -> int:
    """Runs the demo; returns the exit code."""
    parser = argparse.ArgumentParser(prog="seeworthy photographs", description=__doc__)
    parser.add_argument(
        "--out", type=Path, default=Path("demo/photographs"), help="folder for the page and its pictures"
    )
    parser.add_argument("--model", help="provider/model[@base_url]; default: a tiny model built and served on the spot")
    arguments = parser.parse_args()
    tune_glibc_malloc()
    started = time.monotonic()
    try:
        rows = _with_model(arguments.model, arguments.out)
    except SeeworthyError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print_table(rows)
    print(f"\n{_HONEST}" if arguments.model is None else "")
    page = arguments.out / "index.html"
    page.write_text(demo_page(rows, honest=_HONEST if arguments.model is None else None), encoding="utf-8")
    print(f"\nPictures and traces: {page}   ({time.monotonic() - started:.0f} s)")
    return 0


def _with_model(model: str | None, out: Path) -> list[Row]:
    out.mkdir(parents=True, exist_ok=True)
    cases = [*stressed_cases(), *clean_cases()]
    if model is not None:
        return asyncio.run(_run_all(model, cases, out))
    folder = out / "tiny-llava"
    shutil.rmtree(folder, ignore_errors=True)
    build_tiny_llava(folder)
    _say("a tiny random model was built; starting `transformers serve` on loopback ...")
    with LocalServer(folder) as server:
        _say(f"serving at {server.base_url}")
        return asyncio.run(_run_all(server.model_name, cases, out))


async def _run_all(name: str, cases: list[Case], out: Path) -> list[Row]:
    model = resolve_model(name)
    rows = []
    for number, case in enumerate(cases, start=1):
        _say(f"[{number}/{len(cases)}] {case.title}")
        rows.append(await run_case(case, model, out))
    return rows


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
