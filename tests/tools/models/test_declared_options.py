from enum import StrEnum

import pytest
from pydantic import Field

from seeworthy.tools.errors import ModelError
from seeworthy.tools.models.declared_options import ProviderOptions, option_help, read_options
from seeworthy.tools.models.openai_chat import OpenAIChatOptions
from seeworthy.tools.models.registry import MODEL_PROVIDERS, resolve_model


class Colour(StrEnum):
    RED = "red"


class Options(ProviderOptions):
    timeout_s: float = Field(3.0, gt=0, description="seconds to wait")
    retries: int = Field(2, description="how often")
    colour: Colour | None = Field(None, description="which one")
    loud: bool = Field(False, description="whether to shout")


def test_text_from_a_command_line_is_converted():
    given = {"timeout_s": "1.5", "retries": "4", "colour": "red", "loud": "true"}
    assert read_options(Options, given, provider="p") == Options(timeout_s=1.5, retries=4, colour=Colour.RED, loud=True)


def test_defaults_fill_what_is_not_given():
    assert read_options(Options, {}, provider="p") == Options()


@pytest.mark.parametrize(("given", "near"), [("timeout", "timeout_s"), ("retrys", "retries"), ("color", "colour")])
def test_an_unknown_option_names_the_nearest(given, near):
    with pytest.raises(ModelError, match=rf"provider 'p' has no option '{given}'; did you mean '{near}'\?"):
        read_options(Options, {given: 1}, provider="p")


def test_an_option_like_nothing_lists_all():
    with pytest.raises(ModelError, match=r"no option 'xyz'; It knows: colour, loud, retries, timeout_s"):
        read_options(Options, {"xyz": 1}, provider="p")


@pytest.mark.parametrize(
    "given", [{"timeout_s": "soon"}, {"timeout_s": 0}, {"retries": 1.5}, {"colour": "blue"}, {"loud": "perhaps"}]
)
def test_a_wrong_value_names_the_option_and_not_the_value(given):
    ((name, value),) = given.items()
    with pytest.raises(ModelError, match=f"option '{name}' cannot be used") as caught:
        read_options(Options, given, provider="p")
    if isinstance(value, str):
        assert value not in str(caught.value)


def test_help_has_a_line_for_each_option_with_its_default():
    assert option_help(Options) == {
        "timeout_s": "seconds to wait (default: 3.0)",
        "retries": "how often (default: 2)",
        "colour": "which one",
        "loud": "whether to shout (default: False)",
    }


def test_the_registry_shows_the_options_of_the_openai_provider():
    spec = MODEL_PROVIDERS.get("openai")
    assert set(spec.options) == set(OpenAIChatOptions.model_fields)
    assert all(len(line) > 10 for line in spec.options.values())


def test_a_wrong_option_of_a_model_is_an_error_at_once():
    with pytest.raises(ModelError, match="did you mean 'timeout_s'"):
        resolve_model("openai/m@http://localhost:1/v1", {"timout_s": 3})


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"extra_body": "{"}, "not valid JSON"),
        ({"extra_body": "[1]"}, "must be a JSON object"),
        ({"extra_body": {"temperature": 1}}, "'temperature' is set by the request itself"),
        ({"max_tokens_parameter": "tokens"}, "max_tokens_parameter"),
        ({"prices": "/nowhere.json"}, "cannot be read"),
        ({"timeout_s": float("inf")}, "timeout_s"),
        ({"max_concurrency": 0}, "max_concurrency"),
    ],
)
def test_wrong_values_of_the_openai_provider(given, says):
    with pytest.raises(ModelError, match=says):
        read_options(OpenAIChatOptions, given, provider="openai")


def test_json_options_may_be_text():
    chosen = read_options(
        OpenAIChatOptions,
        {
            "extra_body": '{"chat_template_kwargs": {"enable_thinking": false}}',
            "prices": '{"m": {"input": 1, "output": 2}}',
        },
        provider="openai",
    )
    assert chosen.extra_body == {"chat_template_kwargs": {"enable_thinking": False}}
    assert chosen.prices is not None
    assert chosen.prices["m"].output == 2
