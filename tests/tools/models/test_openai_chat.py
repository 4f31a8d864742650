"""What the OpenAI adapter sends, what it costs, what it is called, and the suite that every adapter runs."""

import base64
import io

import numpy as np
import pytest
from PIL import Image

from seeworthy.tools.models import (
    GenerationSettings,
    Message,
    ReplyStatus,
    Request,
    TextPart,
    Usage,
    VisionLanguageModel,
    user_message,
)
from seeworthy.tools.models.conformance import CHECKS, Subject
from seeworthy.tools.models.openai_chat import OpenAIChatModel
from seeworthy.tools.models.registry import resolve_model
from tests.tools.models.fault_server import FaultServer, answer, error
from tests.tools.models.openai_subjects import ask, build, noise_picture, reply_of


async def test_a_question_with_a_picture_goes_out_whole():
    picture = noise_picture(30, 20)
    request = Request(
        messages=(Message(role="system", parts=(TextPart(text="Be brief."),)), user_message("Which?", (picture,))),
        settings=GenerationSettings(temperature=0.5, top_p=0.9, max_tokens=77, stop=("##",)),
        seed=9,
    )
    reply, server = await reply_of([answer("B")], request, image_detail="high", extra_body={"top_k": 3})
    (sent,) = server.chats
    image_url = sent.body["messages"][1]["content"][0]["image_url"]
    head, data = image_url.pop("url").split(",")
    assert head == "data:image/png;base64"
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(base64.b64decode(data)))), picture.image_srgb_u8)
    assert sent.body == {
        "model": "test-model",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {
                "role": "user",
                "content": [{"type": "image_url", "image_url": {"detail": "high"}}, {"type": "text", "text": "Which?"}],
            },
        ],
        "max_tokens": 77,
        "temperature": 0.5,
        "top_p": 0.9,
        "stop": ["##"],
        "seed": 9,
        "top_k": 3,
    }
    assert reply.text == "B"
    assert reply.status is ReplyStatus.OK
    assert reply.fault is None
    assert reply.attempts == 1
    assert reply.model_reported == "test-model"
    assert reply.usage == Usage(input_tokens=11, output_tokens=3)
    assert [image.sha256 for image in reply.sent_images] == [picture.sha256]


async def test_unset_fields_are_not_sent():
    _, server = await reply_of([answer()])
    assert set(server.chats[0].body) == {"model", "messages", "max_tokens", "temperature"}


async def test_a_model_without_system_messages_gets_them_in_the_first_user_message():
    messages = (
        user_message("First", (noise_picture(8, 8, 1),)),
        Message(role="assistant", parts=(TextPart(text="yes"),)),
        Message(role="system", parts=(TextPart(text="Be brief."),)),
        user_message("Second", (noise_picture(8, 8, 2),)),
    )
    reply, server = await reply_of([answer()], Request(messages=messages), honours_system_message=False)
    sent = server.chats[0].body["messages"]
    assert [message["role"] for message in sent] == ["user", "assistant", "user"]
    assert [part["type"] for part in sent[0]["content"]] == ["text", "image_url", "text"]
    assert sent[0]["content"][0]["text"] == "Be brief."
    assert "the system message was put before the first user message" in reply.notes


async def test_half_characters_in_a_prompt_do_no_harm():
    reply, server = await reply_of([answer()], ask("cut \ud83d here"))
    assert reply.status is ReplyStatus.OK
    assert server.chats[0].body["messages"][0]["content"] == "cut \ufffd here"
    assert any("U+FFFD" in note for note in reply.notes)


async def test_cost_comes_from_the_users_table_only():
    assert (await reply_of([answer()]))[0].cost_usd is None
    assert (await reply_of([answer()], prices={"other": {"input": 1, "output": 1}}))[0].cost_usd is None
    reply, _ = await reply_of([answer()], prices={"test-model": {"input": 2, "output": 10}})
    assert reply.cost_usd == pytest.approx((11 * 2 + 3 * 10) / 1e6)
    reply, _ = await reply_of([answer(model="dated")], prices={"dated": {"input": 1, "output": 0}})
    assert reply.cost_usd == pytest.approx(11e-6)
    reply, _ = await reply_of([answer(usage={"prompt_tokens": 1})], prices={"test-model": {"input": 2, "output": 10}})
    assert reply.cost_usd is None


def test_capabilities_are_what_is_stated():
    model = build("http://localhost:1/v1", model="qwen2.5-vl-7b", max_images=4, honours_seed=True)
    capabilities = model.capabilities
    assert capabilities.coordinate_space.value == "sent_pixels"
    assert (capabilities.max_images, capabilities.honours_seed, capabilities.honours_temperature) == (4, True, None)
    assert model.coordinate_space_guess.known
    stated = build("http://localhost:1/v1", model="qwen2.5-vl-7b", coordinate_space="fraction")
    assert stated.capabilities.coordinate_space.value == "fraction"
    assert not build("http://localhost:1/v1", model="m").coordinate_space_guess.known


async def test_by_its_name_on_the_command_line(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with FaultServer([error(503, headers={"Retry-After": "0"}), answer("B")]) as server:
        name = f"openai/org/model:tag@{server.base_url}"
        model = resolve_model(name, {"backoff_base_s": "0.001", "timeout_s": "30"})
        assert isinstance(model, VisionLanguageModel)
        assert isinstance(model, OpenAIChatModel)
        assert model.name == name
        reply = await model.reply(ask())
        await model.aclose()
    assert (reply.text, reply.attempts) == ("B", 2)
    assert server.chats[0].body["model"] == "org/model:tag"
    assert server.chats[0].headers["authorization"] == "Bearer no-key-needed"


@pytest.fixture(scope="module")
def subject():
    def model(server: FaultServer, **options: object):
        return build(server.base_url, **options)

    says = {"text": "A chair."}
    with (
        FaultServer([answer("A chair.")]) as good,
        FaultServer(lambda body: answer(says["text"])) as saying,
        FaultServer([error(500)]) as failing,
        FaultServer([answer("A chair.", delay_s=0.25)]) as slow,
    ):

        def build_saying(text: str):
            says["text"] = text
            return model(saying)

        yield Subject(
            build=lambda: model(good, max_images=2),
            build_saying=build_saying,
            build_failing=lambda: model(failing),
            build_slow=lambda: model(slow),
        )


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_the_adapter_conforms(check, subject):
    assert check.applies_to(subject)
    check.run(subject)
