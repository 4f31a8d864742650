"""Where the corpus of replies and the golden numbers of the published parsers lie."""

import json
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).parents[2] / "golden"
CORPUS = sorted((GOLDEN / "replies").glob("*.jsonl"))


def rows(name: str) -> list[dict[str, Any]]:
    text = (GOLDEN / "replies" / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def all_rows() -> list[dict[str, Any]]:
    return [row for path in CORPUS for row in rows(path.stem)]


def golden(name: str) -> Any:
    return json.loads((GOLDEN / name).read_text(encoding="utf-8"))
