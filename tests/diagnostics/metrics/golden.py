"""Reads the golden numbers: what published code (or, for box accuracies, a paper's rule) gave on small inputs."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FOLDER = Path(__file__).parents[2] / "golden" / "metrics"


def numbers(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def arrays(name: str) -> dict[str, NDArray[Any]]:
    with np.load(FOLDER / f"{name}.npz") as stored:
        return {key: stored[key] for key in stored.files}
