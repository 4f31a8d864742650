"""Which version of a picture is shown: clean, degraded, repaired, faded."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import seeworthy.tools.models.nano as package
from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.nano import corpus as module
from seeworthy.diagnostics.nano.corpus import Corpus
from seeworthy.diagnostics.nano.packing import Speller
from seeworthy.diagnostics.nano.rooms import shard_file
from seeworthy.diagnostics.nano.symbols import GRID, SYMBOLS

CLEAN, DEGRADED, REPAIRED, FADED = 40, 90, 150, 220


@pytest.fixture(scope="module")
def speller() -> Speller:
    from transformers import PreTrainedTokenizerFast

    return Speller(PreTrainedTokenizerFast.from_pretrained(Path(package.__path__[0]) / "nano"))


def room(folder: Path, conditions: list[str], *, degraded: bool = True) -> None:
    """One view and two numberings of it, of one colour for each version."""
    size = len(conditions)
    plain = np.full((size, 144, 192, 3), CLEAN, dtype=np.uint8)
    symbols = np.zeros((size, GRID * GRID, SYMBOLS), dtype=np.uint8)
    text = {
        "conditions": conditions,
        "views": [0] * size,
        "lessons": [[["a/b", "What is object 3?", "chair", []]]] * size,
    }
    arrays = {"pictures": plain, "symbols": symbols, "text": np.frombuffer(json.dumps(text).encode(), dtype=np.uint8)}
    if degraded:
        arrays |= {"degraded": np.full_like(plain, DEGRADED), "degraded_symbols": symbols}
    folder.mkdir(exist_ok=True)
    np.savez(shard_file(folder, 0).open("wb"), **arrays)


def shown(corpus: Corpus, size: int = 300) -> dict[int, float]:
    """Share of the pictures that are of each version's colour; light and tint vary by 15 % at most."""
    pixels = corpus.pictures(np.random.default_rng(0), size).pixels
    values = (pixels.mean(dim=(1, 2, 3)).numpy() + 1) * 127.5
    kinds = np.array([CLEAN, DEGRADED, REPAIRED, FADED])
    nearest = kinds[np.abs(np.log(values[:, None] / kinds)).argmin(axis=1)]
    return {int(kind): float((nearest == kind).mean()) for kind in kinds}


@pytest.mark.parametrize(
    ("condition", "share"), [("haze-3", 0.8), ("haze-bench", 0.8), ("haze-1", 0.8 / 3), ("rain-bench", 0.8 / 3)]
)
def test_what_degrades_little_is_mostly_shown_clean(
    tmp_path: Path, speller: Speller, condition: str, share: float
) -> None:
    room(tmp_path / "rooms", [condition] * 3)
    found = shown(Corpus(tmp_path / "rooms", range(1), speller, degraded_share=0.8))
    assert found[DEGRADED] == pytest.approx(share, abs=0.08)
    assert found[CLEAN] == pytest.approx(1 - share, abs=0.08)


def test_repairs_know_what_they_repair(tmp_path: Path, speller: Speller, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, str]] = []

    def repaired(image: np.ndarray, condition: str, rng: np.random.Generator) -> np.ndarray:
        seen.append((int(image[0, 0, 0]), condition))
        return np.full_like(image, REPAIRED)

    monkeypatch.setattr(module, "repaired", repaired)
    room(tmp_path / "rooms", ["haze-5"] * 3)
    found = shown(Corpus(tmp_path / "rooms", range(1), speller, degraded_share=0.5, repaired_share=0.4))
    assert found[REPAIRED] == pytest.approx(0.4, abs=0.08)
    assert set(seen) == {(CLEAN, ""), (DEGRADED, "haze-5")}


def test_so_many_are_faded_never_their_numbers_and_what_takes_all_things_to_know_is_not_asked_there(
    tmp_path: Path, speller: Speller, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers: list[int] = []

    def faded(image: np.ndarray, kept: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        numbers.append(int(kept.sum()))
        return np.full_like(image, FADED)

    monkeypatch.setattr(module, "faded_and_restored", faded)
    folder = tmp_path / "rooms"
    room(folder, ["haze-5"] * 3, degraded=False)
    with np.load(shard_file(folder, 0)) as file:
        arrays = dict(file)
    existence = "spacedg/object_existence_estimation.visible_existence"
    text = json.loads(arrays["text"].tobytes())
    text["lessons"] = [[["a/b", "What is object 3?", "chair", []], [existence, "Is there a chair?", "yes", []]]] * 3
    arrays["text"] = np.frombuffer(json.dumps(text).encode(), dtype=np.uint8)
    arrays["pictures"][1:, 10:20, 30:40] = 255
    np.savez(shard_file(folder, 0).open("wb"), **arrays)
    corpus = Corpus(folder, range(1), speller, faded_share=0.3)
    assert shown(corpus)[FADED] == pytest.approx(0.3, abs=0.08)
    assert set(numbers) == {0, 100}

    seen, packed = corpus.questions(
        np.random.default_rng(1), 100, room_tokens=90, weight=lambda kind: 1.0, blind_share=0.0, varied=False
    )
    are_faded = (seen.pixels.mean(dim=(1, 2, 3)) > 0.5).tolist()
    assert 15 < sum(are_faded) < 45
    for is_faded, kinds in zip(are_faded, packed.kinds, strict=True):
        assert (existence in kinds) is not is_faded


def test_rooms_without_degraded_pictures_cannot_show_any(tmp_path: Path, speller: Speller) -> None:
    room(tmp_path / "rooms", ["haze-5"] * 3, degraded=False)
    with pytest.raises(DiagnosticsError, match="without degraded pictures"):
        Corpus(tmp_path / "rooms", range(1), speller, degraded_share=0.5)
