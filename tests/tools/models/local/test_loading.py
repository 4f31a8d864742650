"""Whatever is wrong with a model folder or name, the error says what, where and what to do."""

from __future__ import annotations

import importlib.util
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
import transformers

from seeworthy.tools.errors import ModelError
from seeworthy.tools.models import extras
from seeworthy.tools.models.local import Loaded, load, loading, processors
from seeworthy.tools.models.protocol import CoordinateSpace
from seeworthy.tools.models.registry import resolve_model

HAS_TORCHVISION = importlib.util.find_spec("torchvision") is not None


@pytest.fixture
def copy(tiny_llava: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny_llava, tmp_path / "copy"))


def edit_json(path: Path, change: Callable[[dict[str, object]], None]) -> None:
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    path.write_text(json.dumps(content), encoding="utf-8")


def test_a_good_folder_loads_in_evaluation_mode_and_float32(llava: Loaded) -> None:
    assert llava.model_type == "llava"
    assert not llava.model.training
    assert llava.model.dtype == torch.float32
    assert llava.model.device.type == "cpu"


def test_dtype_and_device_are_taken(tiny_llava: Path) -> None:
    loaded = load(str(tiny_llava), device="cpu", dtype="bfloat16")
    assert loaded.model.dtype == torch.bfloat16


def test_a_home_relative_path_is_expanded(tiny_llava: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tiny_llava.parent))
    assert load(f"~/{tiny_llava.name}", device="cpu").model_type == "llava"


def test_the_allocator_is_tuned_before_loading(tiny_llava: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    monkeypatch.setattr(loading, "tune_glibc_malloc", lambda: calls.append("tuned"))
    monkeypatch.setattr(loading, "load_processor", lambda *args, **more: calls.append("loaded") or 1 / 0)
    with pytest.raises(ModelError):
        load(str(tiny_llava))
    assert calls == ["tuned", "loaded"]


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("./no/such/folder", "no such folder"),
        ("/no/such/folder", "no such folder"),
        ("~/no-such-folder-here", "no such folder"),
        ("owner/name/extra", "no such folder"),
        ("folder\\name", "no such folder"),
        ("owner/na me", "neither an existing folder nor a hub id"),
        ("owner/--x", "neither an existing folder nor a hub id"),
        ("seeworthy-tests/never-cached", "hf download seeworthy-tests/never-cached"),
        ("never-cached-either", "hf/FOLDER"),
    ],
)
def test_a_name_that_leads_nowhere(source: str, complaint: str) -> None:
    with pytest.raises(ModelError) as caught:
        load(source, local_files_only=True)
    assert complaint in str(caught.value)
    assert source in str(caught.value)


def test_an_empty_folder_and_a_file(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"has no config\.json"):
        load(str(tmp_path))
    (tmp_path / "weights.gguf").touch()
    with pytest.raises(ModelError, match="no such folder"):
        load(str(tmp_path / "weights.gguf"))


def test_a_text_model_is_refused(tmp_path: Path) -> None:
    transformers.LlamaConfig(num_hidden_layers=1).save_pretrained(tmp_path)
    with pytest.raises(ModelError, match="a 'llama' model does not answer questions about pictures"):
        load(str(tmp_path))


def test_an_unknown_architecture_is_refused(copy: Path) -> None:
    edit_json(copy / "config.json", lambda config: config.update(model_type="llava_of_tomorrow"))
    with pytest.raises(ModelError, match="llava_of_tomorrow"):
        load(str(copy))


@pytest.mark.parametrize("content", ["", "{", "[]", '{"model_type": 5}', "null"])
def test_a_broken_configuration(copy: Path, content: str) -> None:
    (copy / "config.json").write_text(content, encoding="utf-8")
    with pytest.raises(ModelError, match=str(copy)):
        load(str(copy))


def test_missing_weights_never_become_random_ones(copy: Path) -> None:
    from safetensors.torch import load_file, save_file

    weights = load_file(copy / "model.safetensors")
    name = sorted(weights)[3]
    del weights[name]
    save_file(weights, copy / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match="lacks 1 weights"):
        load(str(copy))


def test_weights_of_another_shape(copy: Path) -> None:
    edit_json(copy / "config.json", lambda config: config["text_config"].update(intermediate_size=96))  # type: ignore[attr-defined]
    with pytest.raises(ModelError, match="cannot be loaded"):
        load(str(copy))


@pytest.mark.parametrize("damage", ["gone", "cut", "text"])
def test_damaged_weights(copy: Path, damage: str) -> None:
    path = copy / "model.safetensors"
    data = path.read_bytes()
    path.unlink()
    if damage != "gone":
        path.write_bytes(data[: len(data) // 2] if damage == "cut" else b"version https://git-lfs.github.com/spec/v1\n")
    with pytest.raises(ModelError, match="cannot be loaded"):
        load(str(copy))


def test_without_a_chat_template(copy: Path) -> None:
    (copy / "chat_template.jinja").unlink()
    with pytest.raises(ModelError, match="no chat template"):
        load(str(copy))


def test_a_chat_template_of_the_tokenizer_is_taken(copy: Path) -> None:
    template = (copy / "chat_template.jinja").read_text(encoding="utf-8")
    (copy / "chat_template.jinja").unlink()
    edit_json(copy / "tokenizer_config.json", lambda config: config.update(chat_template=template))
    assert load(str(copy), device="cpu").processor.chat_template == template


def test_a_processor_that_takes_no_pictures(copy: Path) -> None:
    (copy / "processor_config.json").unlink()
    with pytest.raises(ModelError, match=str(copy)):
        load(str(copy))


@pytest.mark.parametrize("device", ["", "gpu", "cuda:99", "tpu", "cpu:x"])
def test_devices_that_are_not_there(tiny_llava: Path, device: str) -> None:
    with pytest.raises(ModelError, match="use auto, cpu, cuda"):
        load(str(tiny_llava), device=device)


@pytest.mark.parametrize("dtype", ["", "float", "int8", "float33", "nn", "load"])
def test_types_that_make_no_sense(tiny_llava: Path, dtype: str) -> None:
    if dtype == "float":
        # torch's own second name of float32.
        assert load(str(tiny_llava), device="cpu", dtype=dtype).model.dtype == torch.float32
        return
    with pytest.raises(ModelError, match="use auto, float32"):
        load(str(tiny_llava), device="cpu", dtype=dtype)


@pytest.mark.parametrize("missing", [("torch",), ("transformers",), ("torch", "transformers")])
def test_missing_packages(monkeypatch: pytest.MonkeyPatch, missing: tuple[str, ...]) -> None:
    monkeypatch.setattr(extras, "is_installed", lambda package: package not in missing)
    with pytest.raises(ModelError) as caught:
        resolve_model("hf/anything")
    assert " and ".join(missing) in str(caught.value)
    assert "pip install 'seeworthy[torch]'" in str(caught.value)


class TestImageOnlyProcessor:
    def test_pictures_expand_to_their_tokens(self, qwen3_vl: Loaded) -> None:
        """The number of picture tokens is grid area over merge area, counted by hand for two sizes."""
        from PIL import Image

        processor = qwen3_vl.processor
        turns = [
            {
                "role": "user",
                "content": [
                    {"type": "image", "image": Image.new("RGB", (64, 48))},
                    {"type": "text", "text": "and"},
                    {"type": "image", "image": Image.new("RGB", (96, 32))},
                ],
            }
        ]
        inputs = processor.apply_chat_template(
            turns, tokenize=True, return_dict=True, return_tensors="pt", add_generation_prompt=True
        )
        assert inputs["image_grid_thw"].tolist() == [[1, 6, 8], [1, 4, 12]]
        image_token = processor.tokenizer.convert_tokens_to_ids("<|image_pad|>")
        assert int((inputs["input_ids"] == image_token).sum()) == 6 * 8 // 4 + 4 * 12 // 4
        assert torch.equal(inputs["mm_token_type_ids"] == 1, inputs["input_ids"] == image_token)

    @pytest.mark.skipif(HAS_TORCHVISION, reason="torchvision is installed, so the stock processor loads")
    def test_it_is_needed_and_used_only_without_torchvision(self, tiny_qwen3_vl: Path, qwen3_vl: Loaded) -> None:
        with pytest.raises(ImportError, match="(?i)torchvision"):
            transformers.AutoProcessor.from_pretrained(tiny_qwen3_vl)
        assert type(qwen3_vl.processor).__name__ == "Qwen3VLProcessorImageOnly"
        assert isinstance(qwen3_vl.processor, transformers.Qwen3VLProcessor)

    def test_with_torchvision_the_stock_processor_is_asked_for(
        self, tiny_qwen3_vl: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked: list[str] = []

        def from_pretrained(source: str, **options: object) -> None:
            asked.append(source)
            raise ImportError("Qwen3VLVideoProcessor requires the Torchvision library")

        monkeypatch.setattr(processors, "is_installed", lambda package: True)
        monkeypatch.setattr(transformers.AutoProcessor, "from_pretrained", from_pretrained)
        with pytest.raises(ModelError, match="pip install torchvision"):
            load(str(tiny_qwen3_vl), device="cpu")
        assert asked == [str(tiny_qwen3_vl)]

    @pytest.mark.parametrize("name", ["Qwen2VLProcessor", "Qwen2_5_VLProcessor", "Qwen3VLProcessor"])
    def test_every_family_has_a_working_subclass(self, name: str, qwen3_vl: Loaded) -> None:
        """The families share tokens, so one tokenizer and picture processor serve to build each."""
        subclass = processors.image_only_processor(getattr(transformers, name))
        stock = qwen3_vl.processor
        processor = subclass(stock.image_processor, stock.tokenizer, chat_template=stock.chat_template)
        assert processor.image_token_id == stock.tokenizer.convert_tokens_to_ids("<|image_pad|>")
        assert set(subclass.get_attributes()) == {"image_processor", "tokenizer"}

    def test_every_listed_family_exists(self) -> None:
        for model_type, name in processors._IMAGE_ONLY_FAMILIES.items():
            assert hasattr(transformers, name)
            assert "video_processor" in getattr(transformers, name).get_attributes(), model_type

    def test_another_missing_package_is_named(self, tiny_llava: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def from_pretrained(source: str, **options: object) -> None:
            raise ImportError("requires the sentencepiece library")

        monkeypatch.setattr(transformers.AutoProcessor, "from_pretrained", from_pretrained)
        with pytest.raises(ModelError, match="sentencepiece"):
            load(str(tiny_llava), device="cpu")


class TestByName:
    def test_the_architecture_decides_the_coordinate_space(self, tiny_llava: Path, tiny_qwen3_vl: Path) -> None:
        assert resolve_model(f"hf/{tiny_llava}").capabilities.coordinate_space is CoordinateSpace.FRACTION
        assert resolve_model(f"hf/{tiny_qwen3_vl}").capabilities.coordinate_space is CoordinateSpace.PERMILLE
        given = resolve_model(f"hf/{tiny_llava}", {"coordinate_space": "sent_pixels"})
        assert given.capabilities.coordinate_space is CoordinateSpace.SENT_PIXELS

    @pytest.mark.parametrize(
        "options",
        [
            {"batch_size": 0},
            {"batch_size": "many"},
            {"batch_wait_s": -1},
            {"batch_wait_s": "nan"},
            {"coordinate_space": "inches"},
            {"local_files_only": "perhaps"},
            {"temperature": 1},
            {"devices": "cpu"},
        ],
    )
    def test_wrong_options_are_refused_before_anything_is_loaded(self, options: dict[str, object]) -> None:
        with pytest.raises(ModelError, match="option"):
            resolve_model("hf/./no-such-folder", options)

    def test_a_base_url_is_refused(self) -> None:
        with pytest.raises(ModelError, match="openai/some-model@http://localhost:1/v1"):
            resolve_model("hf/some-model@http://localhost:1/v1")
