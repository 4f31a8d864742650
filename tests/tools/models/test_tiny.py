"""The tiny random models are real, deterministic, and say plainly what they are."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch

from seeworthy.bench_data.images import Picture
from seeworthy.tools.errors import ModelError
from seeworthy.tools.models import extras
from seeworthy.tools.models.protocol import ReplyStatus
from seeworthy.tools.models.registry import resolve_model
from seeworthy.tools.models.tiny import build_tiny_llava, build_tiny_qwen3_vl

from .conftest import ask, noise_picture

BUILDERS = [build_tiny_llava, build_tiny_qwen3_vl]
Builder = Callable[..., Path]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("build", BUILDERS)
def test_the_seed_decides_the_files(tmp_path: Path, build: Builder) -> None:
    torch.manual_seed(1)
    first = contents(build(tmp_path / "first"))
    torch.manual_seed(2)
    again = contents(build(tmp_path / "again"))
    other = contents(build(tmp_path / "other", seed=1))
    assert first == again
    assert {name for name in first if first[name] != other[name]} == {"model.safetensors", "README.md"}


@pytest.mark.parametrize("build", BUILDERS)
def test_building_leaves_the_global_generator_alone(tmp_path: Path, build: Builder) -> None:
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    build(tmp_path / "model")
    assert torch.equal(torch.rand(3), expected)


@pytest.mark.parametrize(("build", "parameters"), [(build_tiny_llava, 169_792), (build_tiny_qwen3_vl, 220_960)])
def test_the_model_card_warns(tmp_path: Path, build: Builder, parameters: int) -> None:
    from safetensors import safe_open

    folder = build(tmp_path / "model", seed=3)
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "Random weights, seed 3. Its answers mean nothing." in card
    assert f"{parameters:,} parameters" in card
    with safe_open(folder / "model.safetensors", framework="pt") as weights:
        stored = sum(weights.get_tensor(name).numel() for name in weights.keys())  # noqa: SIM118 - not a mapping
    assert stored == parameters


@pytest.mark.parametrize("do_sample", [True, False])
def test_sampling_by_default_is_a_choice(tmp_path: Path, do_sample: bool) -> None:
    folder = build_tiny_llava(tmp_path / "model", do_sample=do_sample)
    config = json.loads((folder / "generation_config.json").read_text(encoding="utf-8"))
    assert bool(config.get("do_sample")) is do_sample
    tokenizer = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    image_token = next(token["id"] for token in tokenizer["added_tokens"] if token["content"] == "<image>")
    assert image_token in config["suppress_tokens"]


@pytest.mark.parametrize("fixture", ["tiny_llava", "tiny_qwen3_vl"])
async def test_replies_are_printable_and_depend_on_picture_and_text(
    fixture: str, request: pytest.FixtureRequest
) -> None:
    model = resolve_model(f"hf/{request.getfixturevalue(fixture)}")
    by_picture = [await model.reply(ask("Where?", (noise_picture(seed, 64, 64),))) for seed in range(6)]
    by_text = [await model.reply(ask(f"Where is number {index}?")) for index in range(6)]
    for reply in (*by_picture, *by_text):
        assert reply.status is ReplyStatus.OK
        assert reply.text.strip()
        assert reply.text.isascii()
        assert reply.text.isprintable()
    assert len({reply.text for reply in by_picture}) >= 4
    assert len({reply.text for reply in by_text}) >= 4


async def test_two_pictures_are_both_seen(tiny_llava: Path) -> None:
    model = resolve_model(f"hf/{tiny_llava}")
    first, second, third = (noise_picture(seed, 64, 64) for seed in range(3))
    texts = {
        (await model.reply(ask("Compare.", pictures))).text
        for pictures in ((first, second), (second, first), (first, third), (third, second), (first,))
    }
    assert len(texts) == 5


def test_every_pixel_row_reaches_the_model(tiny_llava: Path) -> None:
    """No centre crop: a mark at the far edge of a wide picture changes what the tower gets."""
    from transformers import AutoProcessor

    processor = AutoProcessor.from_pretrained(tiny_llava)
    plain = noise_picture(1, 96, 32).image_srgb_u8
    marked = plain.copy()
    marked[:, :12] = 255
    first, second = (
        processor.image_processor(Picture(pixels).image_srgb_u8, return_tensors="pt")["pixel_values"]
        for pixels in (plain, marked)
    )
    assert not torch.equal(first[..., :4], second[..., :4])


@pytest.mark.parametrize("build", BUILDERS)
def test_a_folder_in_use_is_never_overwritten(tmp_path: Path, build: Builder) -> None:
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(ModelError, match="not empty"):
        build(tmp_path)
    with pytest.raises(ModelError, match="not empty"):
        build(tmp_path / "notes.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_without_torch_the_error_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "is_installed", lambda package: package != "torch")
    with pytest.raises(ModelError, match=r"need torch, .*pip install 'seeworthy\[torch\]'"):
        build_tiny_llava(tmp_path / "model")
    assert not (tmp_path / "model").exists()
