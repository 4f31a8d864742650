"""Batches of the local adapter change nothing, and each row keeps to its own request."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")


from seeworthy.tools.models.local import Loaded

from ..conftest import ask, noise_picture
from .transformers_subjects import Generate, build, one_by_one, questions, texts, together


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
