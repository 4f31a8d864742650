"""The weights that come with the package: what they say about a room that no training saw."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from seeworthy.agent.nano_study.settings import ANSWER, GRAPH, room_settings
from seeworthy.agent.nano_study.steps import Show, built
from seeworthy.bench_data.building import DataSet
from seeworthy.bench_data.images import load_image
from seeworthy.diagnostics.asking import question_request
from seeworthy.diagnostics.auditing import choose_pictures
from seeworthy.diagnostics.nano.answers import answer_words
from seeworthy.diagnostics.nano.claims import is_claimed
from seeworthy.diagnostics.scene_graph import GraphRequest
from seeworthy.tools.models import Request, VisionLanguageModel, user_message
from seeworthy.tools.models.registry import EMBEDDED_MODELS, resolve_model

_SURE = ("visible_existence", "is_left_of", "is_right_of", "left_predicate", "right_predicate")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> DataSet:
    settings = room_settings(scenes=3, views=2, conditions="clean", seed=977)
    return built(settings, tmp_path_factory.mktemp("rooms") / "data", Show(), jobs=1)


async def _said(model: VisionLanguageModel, requests: list[Request]) -> list[str]:
    return [reply.text for reply in await asyncio.gather(*(model.reply(request) for request in requests))]


def _sure_ones(data: DataSet, model: VisionLanguageModel, *, blind: bool) -> tuple[list[Request], list[str]]:
    requests, right = [], []
    for suite in data.suites:
        for one in data.asked(suite, "clean"):
            question = one.question
            if question.kind.endswith(_SURE) and is_claimed(suite, question.kind):
                pictures = [] if blind else [load_image(path) for path in one.pictures]
                space = model.capabilities.coordinate_space
                requests.append(question_request(question, pictures, space=space, settings=ANSWER))
                right.append(answer_words(question))
    return requests, right


@pytest.mark.parametrize("name", EMBEDDED_MODELS)
def test_it_sees_what_is_there_and_what_is_left_of_what(data: DataSet, name: str) -> None:
    model = resolve_model(name)
    requests, right = _sure_ones(data, model, blind=False)
    said = asyncio.run(_said(model, requests))
    assert len(right) > 40
    assert sum(map(str.__eq__, said, right)) / len(right) > 0.75
    assert set(said) <= {"yes", "no"}


def test_without_the_picture_it_guesses(data: DataSet) -> None:
    model = resolve_model("nano")
    requests, right = _sure_ones(data, model, blind=True)
    said = asyncio.run(_said(model, requests))
    assert 0.3 < sum(map(str.__eq__, said, right)) / len(right) < 0.7


@pytest.mark.parametrize("name", EMBEDDED_MODELS)
def test_its_scene_graphs_can_be_read(data: DataSet, name: str) -> None:
    shown = choose_pictures(data).pictures
    asked = [GraphRequest.of(picture.known.graph) for picture in shown]
    requests = [
        Request(messages=(user_message(one.text, (load_image(picture.file),)),), settings=GRAPH)
        for one, picture in zip(asked, shown, strict=True)
    ]
    said = asyncio.run(_said(resolve_model(name), requests))
    read = [one.parse(text) for one, text in zip(asked, said, strict=True)]
    assert len(read) >= 4
    assert [one.graph is not None for one in read].count(False) <= 1, [one.status for one in read]


def test_the_package_holds_card_and_record_beside_each_model() -> None:
    import seeworthy.tools.models.nano as package

    for name in EMBEDDED_MODELS:
        folder = Path(package.__path__[0]) / name
        assert "license: apache-2.0" in (folder / "README.md").read_text(encoding="utf-8")
        record = json.loads((folder / "training.json").read_text(encoding="utf-8"))
        assert record["curves"][f"joint-{name}"][-1]["step"] == record["plan"]["joint"]["steps"]
        assert (folder / "model.safetensors").stat().st_size < 10_000_000
