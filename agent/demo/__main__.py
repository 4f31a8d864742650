"""Builds a small benchmark, asks the embedded model alone and within the solver, audits it, and writes one report.

Kill it whenever you like: the same command goes on where it was.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path


def main() -> int:
    """Runs the demo; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="seeworthy demo", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=Path("demo"), help="folder for everything that is made")
    parser.add_argument("--model", default="nano", help="provider/model[@base_url]; default: the embedded nano")
    parser.add_argument("--jobs", type=int, help="processes that make rooms; one a core if not given")
    arguments = parser.parse_args()
    # Before torch is loaded: its threads would spin while they wait.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")

    from ...bench_data.errors import SeeworthyError
    from ...tools.models.registry import resolve_model
    from ..cli.bench_progress import shown_run_progress
    from ..cli.common import ExitCode, say
    from ..cli.data.progress import shown_progress
    from ..nano_study.steps import Show
    from .run import DEMO, run_demo

    try:
        model = resolve_model(arguments.model)
        run_demo(
            arguments.out,
            DEMO,
            model,
            Show(building=shown_progress, asking=shown_run_progress),
            jobs=arguments.jobs,
        )
    except SeeworthyError as error:
        say(f"error: {error}")
        return ExitCode.FAILED
    except KeyboardInterrupt:
        say(f"stopped; what is done stays in {arguments.out}, and the same command goes on from there")
        return ExitCode.INTERRUPTED
    return ExitCode.OK


if __name__ == "__main__":
    sys.exit(main())
