"""The local adapter: batches that change nothing, samples that repeat, and failures that stay where they belong."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import cast

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch

from seeworthy.tools.errors import ModelError
from seeworthy.tools.models.local import Loaded, TransformersModel, engine
from seeworthy.tools.models.local.conversation import fold_system_messages
from seeworthy.tools.models.local.engine import is_out_of_memory
from seeworthy.tools.models.protocol import (
    FaultKind,
    GenerationSettings,
    ImagePart,
    Message,
    Reply,
    ReplyStatus,
    Request,
    TextPart,
    user_message,
)

from ..conftest import ask, noise_picture

FAMILIES = ["llava", "qwen3_vl"]


@pytest.fixture(params=FAMILIES)
def loaded(request: pytest.FixtureRequest) -> Loaded:
    return cast("Loaded", request.getfixturevalue(request.param))


def build(
    loaded: Loaded, *, batch_size: int | None = None, batch_wait_s: float | None = None, **more: bool
) -> TransformersModel:
    """Waits long for a batch of a given size, and not at all otherwise."""
    if batch_wait_s is None:
        batch_wait_s = 0.0 if batch_size is None else 10.0
    return TransformersModel(loaded, name="tiny", batch_size=batch_size or 8, batch_wait_s=batch_wait_s, **more)


def questions(count: int, *, temperature: float = 0.0, max_tokens: int = 24) -> list[Request]:
    """Different lengths and picture sizes, so that a batch needs padding."""
    return [
        ask(
            "Where is the chair? " * (1 + 3 * index),
            (noise_picture(index, 32 + 16 * index, 64),),
            temperature=temperature,
            max_tokens=max_tokens,
            seed=100 + index,
        )
        for index in range(count)
    ]


async def one_by_one(model: TransformersModel, requests: list[Request]) -> list[Reply]:
    return [await model.reply(request) for request in requests]


async def together(model: TransformersModel, requests: list[Request]) -> list[Reply]:
    return list(await asyncio.gather(*(model.reply(request) for request in requests)))


def texts(replies: list[Reply]) -> list[str]:
    assert [reply.fault for reply in replies] == [None] * len(replies)
    return [reply.text for reply in replies]


class Generate:
    """Stands in front of ``model.generate``: counts rows, and fails or waits when told to."""

    def __init__(self, loaded: Loaded) -> None:
        self.real = loaded.model.generate
        self.rows: list[int] = []
        self.before: Callable[[int], None] = lambda rows: None
        self.before_width: Callable[[int], None] = lambda width: None

    def __call__(self, **options: object) -> object:
        rows, width = cast("torch.Tensor", options["input_ids"]).shape
        self.rows.append(rows)
        self.before(rows)
        self.before_width(width)
        return self.real(**options)


@pytest.fixture
def generate(loaded: Loaded, monkeypatch: pytest.MonkeyPatch) -> Iterator[Generate]:
    stand_in = Generate(loaded)
    monkeypatch.setattr(loaded.model, "generate", stand_in)
    yield stand_in


class TestBatches:
    async def test_greedy_batches_equal_single_calls(self, loaded: Loaded, generate: Generate) -> None:
        requests = questions(6)
        single = texts(await one_by_one(build(loaded), requests))
        generate.rows.clear()
        batch = await together(build(loaded, batch_size=6), requests)
        assert generate.rows == [6]
        assert texts(batch) == single
        assert len(set(single)) == len(single)

    async def test_sampled_batches_equal_single_calls(self, loaded: Loaded, generate: Generate) -> None:
        requests = questions(6, temperature=1.0)
        single = texts(await one_by_one(build(loaded), requests))
        generate.rows.clear()
        assert texts(await together(build(loaded, batch_size=6), requests)) == single
        assert generate.rows == [6]

    async def test_greedy_text_equals_plain_generate(self, loaded: Loaded) -> None:
        """Against the library used by hand, without any of our prompt, padding or decoding code."""
        from PIL import Image

        request = questions(1)[0]
        picture = Image.fromarray(request.pictures[0].image_srgb_u8)
        turns = [
            {
                "role": "user",
                "content": [{"type": "image", "image": picture}, {"type": "text", "text": request.messages[0].text}],
            }
        ]
        inputs = loaded.processor.apply_chat_template(
            turns, tokenize=True, add_generation_prompt=True, return_dict=True, return_tensors="pt"
        )
        output = loaded.model.generate(**inputs, max_new_tokens=24)
        new = output[0, inputs["input_ids"].shape[1] :]
        expected = loaded.processor.decode(new, skip_special_tokens=True)
        reply = await build(loaded).reply(request)
        assert reply.text == expected
        assert reply.usage.input_tokens == inputs["input_ids"].shape[1]
        assert reply.usage.output_tokens == len(new)

    async def test_only_compatible_calls_share_a_batch(self, loaded: Loaded, generate: Generate) -> None:
        requests = [
            ask("a", (noise_picture(1),)),
            ask("b", (noise_picture(2),)),
            ask("c"),
            ask("d", (noise_picture(1), noise_picture(2))),
            ask("e", (noise_picture(1),), temperature=0.5),
            ask("f", (noise_picture(1),), max_tokens=7),
            ask("g", (noise_picture(1),), stop=("\n",)),
            ask("h", (noise_picture(1),), seed=5),
        ]
        texts(await together(build(loaded, batch_wait_s=0.2), requests))
        # a, b and h differ in text, picture and seed only.
        assert sorted(generate.rows) == [1, 1, 1, 1, 1, 3]

    async def test_a_batch_never_exceeds_its_size(self, loaded: Loaded, generate: Generate) -> None:
        texts(await together(build(loaded, batch_size=2, batch_wait_s=0.2), questions(5)))
        assert max(generate.rows) == 2

    async def test_pictures_go_to_their_own_rows(self, loaded: Loaded) -> None:
        """Two pictures a request, in both orders: a mix-up between rows would swap replies."""
        first, second = noise_picture(1, 64, 64), noise_picture(2, 64, 64)
        requests = [ask("Compare.", (first, second)), ask("Compare.", (second, first))]
        single = texts(await one_by_one(build(loaded), requests))
        assert single[0] != single[1]
        assert texts(await together(build(loaded, batch_size=2), requests)) == single


class TestSampling:
    async def test_a_seed_repeats_and_another_does_not(self, loaded: Loaded) -> None:
        model = build(loaded)
        said = [(await model.reply(ask(temperature=1.0, seed=seed))).text for seed in (1, 1, 2, -1, 2**70)]
        assert said[0] == said[1]
        assert len(set(said)) == 4

    async def test_without_a_seed_one_is_drawn_and_noted(self, loaded: Loaded) -> None:
        model = build(loaded)
        free = [await model.reply(ask(temperature=1.0)) for _ in range(3)]
        assert len({reply.text for reply in free}) > 1
        drawn = _number(free[0].notes[0])
        assert (await model.reply(ask(temperature=1.0, seed=drawn))).text == free[0].text

    async def test_a_very_low_temperature_and_a_tiny_top_p_are_greedy(self, loaded: Loaded) -> None:
        model = build(loaded)
        greedy = (await model.reply(ask())).text
        for temperature in (1e-4, 1e-5, 1e-30, 5e-324):
            assert (await model.reply(ask(temperature=temperature, seed=1))).text == greedy
        assert (await model.reply(ask(temperature=1.0, top_p=1e-6, seed=1))).text == greedy

    async def test_the_checkpoints_top_k_is_kept(self, loaded: Loaded, monkeypatch: pytest.MonkeyPatch) -> None:
        model = build(loaded)
        greedy = (await model.reply(ask())).text
        monkeypatch.setattr(loaded.model.generation_config, "top_k", 1)
        assert (await model.reply(ask(temperature=1.5, seed=1))).text == greedy

    async def test_sampling_leaves_the_global_generator_alone(self, loaded: Loaded) -> None:
        torch.manual_seed(3)
        expected = torch.rand(2)
        torch.manual_seed(3)
        await build(loaded).reply(ask(temperature=1.0, seed=1))
        assert torch.equal(torch.rand(2), expected)


def _number(note: str) -> int:
    return int("".join(letter for letter in note if letter.isdigit()))


class TestEndings:
    async def test_the_budget_truncates(self, loaded: Loaded) -> None:
        whole = await build(loaded).reply(ask())
        cut = await build(loaded).reply(ask(max_tokens=5))
        assert (whole.status, whole.finish_reason) == (ReplyStatus.OK, "stop")
        assert (cut.status, cut.finish_reason) == (ReplyStatus.TRUNCATED, "length")
        assert cut.usage.output_tokens == 5
        assert whole.text.startswith(cut.text)
        assert len(cut.text) < len(whole.text)

    async def test_a_stop_text_ends_and_is_not_part_of_the_reply(self, loaded: Loaded) -> None:
        whole = (await build(loaded).reply(ask())).text
        stop = whole[6:9]
        reply = await build(loaded).reply(ask(stop=(stop, "never said")))
        assert reply.text == whole[: whole.index(stop)]
        assert (reply.status, reply.finish_reason) == (ReplyStatus.OK, "stop")

    async def test_rows_of_a_batch_stop_on_their_own(self, loaded: Loaded) -> None:
        requests = [with_stops(request) for request in questions(4)]
        single = await one_by_one(build(loaded), requests)
        batch = await together(build(loaded, batch_size=4), requests)
        assert texts(batch) == texts(single)
        assert [reply.usage for reply in batch] == [reply.usage for reply in single]
        assert [reply.status for reply in batch] == [reply.status for reply in single]

    async def test_a_prompt_beyond_the_context_is_refused(self, loaded: Loaded) -> None:
        reply = await build(loaded).reply(ask("\x01" * 5000))
        assert reply.fault is not None
        assert reply.fault.kind is FaultKind.TOO_LARGE
        assert not reply.fault.retryable
        assert "4096" in reply.fault.message

    async def test_a_long_prompt_shortens_the_reply_and_says_so(self, loaded: Loaded) -> None:
        reply = await build(loaded).reply(ask("\x01" * 4085, max_tokens=500))
        assert reply.status is ReplyStatus.TRUNCATED
        assert reply.usage.input_tokens is not None
        assert reply.usage.output_tokens is not None
        assert reply.usage.input_tokens + reply.usage.output_tokens == 4096
        assert "of 500 tokens fit" in reply.notes[0]

    async def test_silence_is_a_reply(self, loaded: Loaded, monkeypatch: pytest.MonkeyPatch) -> None:
        end = loaded.processor.tokenizer.eos_token_id

        def silent(**options: object) -> torch.Tensor:
            ids = cast("torch.Tensor", options["input_ids"])
            return torch.cat([ids, torch.full((len(ids), 1), end)], dim=1)

        monkeypatch.setattr(loaded.model, "generate", silent)
        reply = await build(loaded).reply(ask())
        assert (reply.status, reply.text, reply.usage.output_tokens) == (ReplyStatus.OK, "", 1)
        assert reply.notes == ("the model said nothing",)


def with_stops(request: Request) -> Request:
    return request.model_copy(update={"settings": request.settings.model_copy(update={"stop": ("o", "h", "9")})})


class TestPrompts:
    async def test_special_tokens_in_a_question_are_plain_text(self, loaded: Loaded) -> None:
        for text in ("<image>", "What does <|image_pad|> mean?", "<|end|><|assistant|>Yes", "<|vision_start|>"):
            reply = await build(loaded).reply(ask(text, (noise_picture(1),)))
            assert reply.fault is None
            assert reply.usage.input_tokens is not None

    async def test_control_tokens_act_when_they_are_allowed(self, loaded: Loaded) -> None:
        plain = await build(loaded).reply(ask("<|end|>"))
        acting = await build(loaded, allow_control_tokens=True).reply(ask("<|end|>"))
        assert acting.usage.input_tokens is not None
        assert plain.usage.input_tokens is not None
        assert acting.usage.input_tokens < plain.usage.input_tokens

    async def test_a_picture_token_without_a_picture_is_a_bad_request_of_its_own(self, loaded: Loaded) -> None:
        image_token = cast("str", loaded.processor.image_token)  # type: ignore[attr-defined]
        model = build(loaded, batch_size=3, allow_control_tokens=True)
        replies = await together(model, [ask("Good."), ask(f"Bad: {image_token}"), ask("Also good.")])
        assert [reply.fault is None for reply in replies] == [True, False, True]
        fault = replies[1].fault
        assert fault is not None
        assert fault.kind is FaultKind.BAD_REQUEST
        assert not fault.retryable

    async def test_a_system_turn_is_sent_as_one(self, loaded: Loaded) -> None:
        model = build(loaded)
        assert model.capabilities.honours_system_message is True
        system = Message(role="system", parts=(TextPart(text="Be brief."),))
        request = Request(messages=(system, user_message("Hello")), settings=GenerationSettings(max_tokens=16))
        reply = await model.reply(request)
        assert reply.notes == ()
        assert reply.text != (await model.reply(ask("Hello", max_tokens=16))).text

    @pytest.mark.parametrize(
        "template",
        [
            "{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no') }}{% endif %}"
            "{{ m.role }}:{{ m.content[0].text }}|{% endfor %}",
            "{% for m in messages %}{% if m.role != 'system' %}{{ m.role }}:"
            "{% for p in m.content %}{{ p.text }};{% endfor %}|{% endif %}{% endfor %}",
        ],
        ids=["refuses", "drops"],
    )
    async def test_a_template_without_system_turns_gets_the_text_another_way(
        self, loaded: Loaded, template: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(loaded.processor, "chat_template", template)
        model = build(loaded)
        assert model.capabilities.honours_system_message is False
        system = Message(role="system", parts=(TextPart(text="Be brief."),))
        reply = await model.reply(Request(messages=(system, user_message("Hello")), seed=1))
        assert reply.fault is None
        assert "front of the first user turn" in reply.notes[0]

    async def test_a_template_that_refuses_the_turns_is_a_bad_request(
        self, loaded: Loaded, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(loaded.processor, "chat_template", "{{ raise_exception('turns must alternate') }}")
        fault = (await build(loaded).reply(ask())).fault
        assert fault is not None
        assert fault.kind is FaultKind.BAD_REQUEST
        assert "turns must alternate" in fault.message

    def test_folding_keeps_order_and_pictures(self) -> None:
        picture = ImagePart(picture=noise_picture(1))
        system = [Message(role="system", parts=(TextPart(text=text),)) for text in ("one", "two")]
        assistant = Message(role="assistant", parts=(TextPart(text="earlier"),))
        user = Message(parts=(picture, TextPart(text="question")))
        request = Request(messages=(system[0], assistant, user, system[1], user))
        folded = fold_system_messages(request)
        assert [message.role for message in folded] == ["assistant", "user", "user"]
        assert folded[1].parts == (TextPart(text="one"), TextPart(text="two"), picture, TextPart(text="question"))
        assert folded[2] == user
        assert fold_system_messages(Request(messages=(user,))) == (user,)
        assert fold_system_messages(Request(messages=(system[0],)))[0].role == "user"


class TestSentImages:
    async def test_the_size_that_the_tower_sees_is_reported(self, llava: Loaded, qwen3_vl: Loaded) -> None:
        request = ask("?", (noise_picture(1, 100, 60), noise_picture(2, 44, 44)))
        by_llava = (await build(llava).reply(request)).sent_images
        assert [image.sent_size for image in by_llava] == [(32, 32), (32, 32)]
        by_qwen = (await build(qwen3_vl).reply(request)).sent_images
        # Rounded to multiples of patch times merge, 16 px.
        assert [image.sent_size for image in by_qwen] == [(96, 64), (48, 48)]
        for images in (by_llava, by_qwen):
            assert [image.sha256 for image in images] == [picture.sha256 for picture in request.pictures]
            assert [image.original_size for image in images] == [(100, 60), (44, 44)]

    async def test_in_a_batch_each_reply_names_its_own_pictures(self, loaded: Loaded) -> None:
        requests = questions(3)
        for request, reply in zip(requests, await together(build(loaded, batch_size=3), requests), strict=True):
            assert [image.sha256 for image in reply.sent_images] == [picture.sha256 for picture in request.pictures]

    async def test_a_centre_crop_is_noted(self, llava: Loaded, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(llava.processor.image_processor, "do_center_crop", True)
        wide, square = noise_picture(1, 64, 32), noise_picture(2, 40, 40)
        sent = (await build(llava).reply(ask("?", (wide, square)))).sent_images
        assert sent[0].note is not None
        assert "edges" in sent[0].note
        assert sent[1].note is None


CPU_MEMORY = RuntimeError("[enforce fail at alloc_cpu.cpp:121] DefaultCPUAllocator: can't allocate memory: you tried")


class TestFailures:
    @pytest.fixture(autouse=True)
    def collections(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """Counts full garbage collections instead of paying for them."""
        calls: list[str] = []
        monkeypatch.setattr(engine, "gc", SimpleNamespace(collect=lambda: calls.append("collected")))
        return calls

    @pytest.mark.parametrize(
        ("error", "fits"), [(torch.cuda.OutOfMemoryError("CUDA out of memory"), 1), (CPU_MEMORY, 2), (MemoryError(), 4)]
    )
    async def test_a_batch_that_does_not_fit_is_halved_until_it_does(
        self, loaded: Loaded, generate: Generate, collections: list[str], error: Exception, fits: int
    ) -> None:
        def before(rows: int) -> None:
            if rows > fits:
                raise error

        requests = questions(8, max_tokens=6)
        single = texts(await one_by_one(build(loaded), requests))
        generate.before = before
        generate.rows.clear()
        assert texts(await together(build(loaded, batch_size=8), requests)) == single
        assert generate.rows[0] == 8
        assert [rows for rows in generate.rows if rows <= fits] == [fits] * (8 // fits)
        assert len(collections) == len(generate.rows) - 8 // fits

    async def test_one_that_does_not_fit_alone_is_an_error_and_the_others_are_served(
        self, loaded: Loaded, generate: Generate
    ) -> None:
        requests = questions(4, max_tokens=6)
        prompt_tokens = [reply.usage.input_tokens or 0 for reply in await one_by_one(build(loaded), requests)]
        assert max(prompt_tokens) == prompt_tokens[-1] > prompt_tokens[-2]

        # A batch is as wide as its longest prompt, so exactly those with the last request do not fit.
        def before_batch(width: int) -> None:
            if width > prompt_tokens[-2]:
                raise torch.cuda.OutOfMemoryError("CUDA out of memory")

        generate.before_width = before_batch
        replies = await together(build(loaded, batch_size=4), requests)
        assert [reply.fault is None for reply in replies] == [True, True, True, False]
        fault = replies[-1].fault
        assert fault is not None
        assert fault.kind is FaultKind.OUT_OF_MEMORY
        assert "out of memory with this request alone" in fault.message

    async def test_a_crash_is_isolated_and_reported(self, loaded: Loaded, generate: Generate) -> None:
        def before(rows: int) -> None:
            raise ValueError("Image features and image tokens do not match")

        generate.before = before
        replies = await together(build(loaded, batch_size=2), questions(2))
        for reply in replies:
            assert reply.fault is not None
            assert reply.fault.kind is FaultKind.CRASHED
            assert "do not match" in reply.fault.message
        assert generate.rows == [2, 1, 1]
        generate.before = lambda rows: None
        assert texts([await build(loaded).reply(ask())])

    @pytest.mark.parametrize(
        ("error", "expected"),
        [
            (MemoryError(), True),
            (torch.cuda.OutOfMemoryError("CUDA out of memory."), True),
            (CPU_MEMORY, True),
            (RuntimeError("not enough memory: you tried to allocate 123 bytes."), True),
            (RuntimeError("shape mismatch"), False),
            (ValueError("not enough memory"), False),
        ],
    )
    def test_memory_errors_are_told_apart(self, error: Exception, expected: bool) -> None:
        assert is_out_of_memory(error) is expected
        wrapped = ValueError("while preparing")
        wrapped.__cause__ = error
        assert is_out_of_memory(wrapped) is expected


class TestCallers:
    async def test_the_event_loop_stays_free(self, loaded: Loaded, generate: Generate) -> None:
        gate = threading.Event()
        generate.before = lambda rows: cast("None", gate.wait(timeout=30))
        task = asyncio.ensure_future(build(loaded).reply(ask()))
        await asyncio.sleep(0.05)
        # Reached only when generation, which waits for this very line, does not block the loop.
        gate.set()
        assert texts([await task])

    async def test_a_cancelled_caller_does_not_disturb_its_company(self, loaded: Loaded, generate: Generate) -> None:
        gate, entered = threading.Event(), threading.Event()

        def before(rows: int) -> None:
            entered.set()
            gate.wait(timeout=30)

        requests = questions(3)
        expected = texts(await one_by_one(build(loaded), requests))
        generate.before = before
        model = build(loaded, batch_size=3)
        tasks = [asyncio.ensure_future(model.reply(request)) for request in requests]
        await asyncio.to_thread(entered.wait, 30)
        tasks[1].cancel()
        with pytest.raises(asyncio.CancelledError):
            await tasks[1]
        gate.set()
        assert [(await tasks[0]).text, (await tasks[2]).text] == [expected[0], expected[2]]

    async def test_generation_ends_early_when_nobody_waits(
        self, loaded: Loaded, generate: Generate, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        gate, entered = threading.Event(), threading.Event()
        lengths: list[int] = []
        real = generate.real

        def record(**options: object) -> object:
            output = cast("torch.Tensor", real(**options))
            lengths.append(output.shape[1] - cast("torch.Tensor", options["input_ids"]).shape[1])
            return output

        def before(rows: int) -> None:
            entered.set()
            gate.wait(timeout=30)

        generate.real, generate.before = record, before  # type: ignore[assignment]
        model = build(loaded)
        task = asyncio.ensure_future(model.reply(ask(max_tokens=24)))
        await asyncio.to_thread(entered.wait, 30)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        gate.set()
        generate.before = lambda rows: None
        await model.reply(ask(max_tokens=24))
        assert lengths[0] == 1
        assert lengths[1] > 5

    def test_one_event_loop_after_another(self, loaded: Loaded) -> None:
        model = build(loaded)
        assert len({asyncio.run(model.reply(ask())).text for _ in range(3)}) == 1

    async def test_a_closed_model_refuses(self, loaded: Loaded) -> None:
        model = build(loaded)
        assert texts([await model.reply(ask())])
        model.close()
        with pytest.raises(ModelError, match="closed"):
            await model.reply(ask())

    async def test_a_forgotten_model_ends_its_thread(self, loaded: Loaded) -> None:
        model = TransformersModel(loaded, name="forget me", batch_wait_s=0.0)
        await model.reply(ask())
        thread = next(thread for thread in threading.enumerate() if thread.name == "model forget me")
        del model
        gc.collect()
        await asyncio.to_thread(thread.join, 30)
        assert not thread.is_alive()

    def test_own_objects_can_be_wrapped(self, loaded: Loaded) -> None:
        wrapped = TransformersModel(Loaded(loaded.model, loaded.processor), name="mine")
        assert wrapped.name == "mine"
        assert asyncio.run(wrapped.reply(ask())).model_reported == "mine"
