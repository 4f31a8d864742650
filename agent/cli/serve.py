"""``seeworthy serve``: an OpenAI-compatible server around a wrapped model."""

from __future__ import annotations

import os
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .common import ExitCode, UsageError, build_model, say

if TYPE_CHECKING:
    from pydantic import SecretStr

    from ..robust import RobustVLM
    from ..server import ServeLimits

__all__ = ["serve"]

_MIB = 2**20
_TOKEN_VARIABLE = "SEEWORTHY_SERVE_TOKEN"  # noqa: S105 - the name of a variable, not a token


def serve(
    model: Annotated[
        str, typer.Option("--model", "-m", help="provider/model[@base_url]; see `seeworthy models list`.")
    ],
    profile: Annotated[
        str, typer.Option("--profile", help="fidelity, perception, replace, surest or off.")
    ] = "fidelity",
    host: Annotated[str, typer.Option("--host", help="Address to listen on; others than loopback need a token.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0 takes any free port.")] = 8321,
    name: Annotated[
        list[str] | None, typer.Option("--name", help="What clients call the model; may be repeated.")
    ] = None,
    token_env: Annotated[
        str, typer.Option("--token-env", help="Environment variable that holds the token clients must show.")
    ] = _TOKEN_VARIABLE,
    image_host: Annotated[
        list[str] | None, typer.Option("--image-host", help="Fetch pictures from this host too; may be repeated.")
    ] = None,
    traces: Annotated[
        Path | None, typer.Option("--traces", help="Keep trace pages in this folder; a passing one unless given.")
    ] = None,
    max_traces: Annotated[int, typer.Option("--max-traces", min=0, help="Trace pages kept; 0 keeps none.")] = 200,
    max_running: Annotated[int, typer.Option("--max-running", min=1, help="Requests answered at once.")] = 16,
    max_waiting: Annotated[int, typer.Option("--max-waiting", min=0, help="Requests waiting; more get 429.")] = 128,
    max_body_mb: Annotated[int, typer.Option("--max-body-mb", min=1, help="Largest request.")] = 32,
    max_megapixels: Annotated[int, typer.Option("--max-megapixels", min=1, help="All pictures of a request.")] = 48,
    max_seconds: Annotated[float, typer.Option("--max-seconds", min=1, help="For one request.")] = 600.0,
    max_calls: Annotated[int, typer.Option("--max-calls", min=1, help="Most model calls an answer.")] = 8,
    max_tokens: Annotated[int, typer.Option("--max-tokens", min=1, help="For requests that do not say.")] = 1024,
    model_option: Annotated[
        list[str] | None, typer.Option("--model-option", help="key=value for the provider; may be repeated.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No line for each request.")] = False,
) -> int:
    """Serve a model, wrapped, to any client of the OpenAI chat protocol."""
    _require_serve()
    from pydantic import ValidationError

    from ..errors import SolverError
    from ..server import ServeSettings, create_app
    from ..server.listening import address_of, is_loopback, listen, run_until_stopped
    from ..server.settings import LOOPBACK_NAMES

    token = _token(token_env)
    if token is None and not is_loopback(host):
        raise UsageError(
            f"whoever reaches {host} could use your model: put a token into {token_env}, or listen on 127.0.0.1"
        )
    robust = _wrapped(model, profile, model_option or [], max_calls=max_calls, max_seconds=max_seconds)
    limits = _limits(max_traces, max_running, max_waiting, max_body_mb, max_megapixels, max_seconds)
    with ExitStack() as stack:
        folder = traces or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="seeworthy-traces-")))
        try:
            settings = ServeSettings(
                names=tuple(dict.fromkeys(name or _names_of(model))),
                traces=folder,
                token=token,
                host_names=LOOPBACK_NAMES | {host.lower()} if token is None else None,
                image_hosts=tuple(image_host or ()),
                default_max_tokens=max_tokens,
                limits=limits,
            )
            app = create_app(robust, settings)
            door = stack.enter_context(listen(host, port))
        except ValidationError as error:
            first = error.errors()[0]
            where = token_env if first["loc"][:1] == ("token",) else "--name"
            raise UsageError(f"{where}: {first['msg'].removeprefix('Value error, ')}") from None
        except SolverError as error:
            raise UsageError(str(error)) from error
        what = robust.model.name if profile == "off" else robust.name
        say(f"serving {what} as {settings.names[0]}; base URL {address_of(door)}/v1; Ctrl-C stops")
        run_until_stopped(app, door, log_requests=not quiet)
    return ExitCode.OK


def _require_serve() -> None:
    from ...tools.models.extras import is_installed

    missing = [package for package in ("fastapi", "uvicorn", "httpx") if not is_installed(package)]
    if missing:
        raise UsageError(f"serve needs {' and '.join(missing)}; run: pip install 'seeworthy[serve]'")


def _token(variable: str) -> SecretStr | None:
    from pydantic import SecretStr

    text = os.environ.get(variable, "").strip()
    if not text and variable != _TOKEN_VARIABLE:
        raise UsageError(f"--token-env names {variable}, which is not set")
    return SecretStr(text) if text else None


def _wrapped(model: str, profile: str, options: list[str], *, max_calls: int, max_seconds: float) -> RobustVLM:
    from ..errors import SolverError
    from ..profiles import Budget, profile_named
    from ..robust import RobustVLM

    try:
        chosen = profile_named(profile)
    except SolverError as error:
        raise UsageError(str(error)) from error
    inner = _unwrapped(model)
    # After half the time nothing new is begun, so that what was begun can still become an answer.
    budget = Budget(max_calls=max_calls, max_seconds=max_seconds / 2, call_seconds=max_seconds)
    return RobustVLM(build_model(inner, options), profile=chosen, budget=budget)


def _unwrapped(model: str) -> str:
    """``robust(NAME)`` is what this command makes of NAME anyway."""
    while model.startswith("robust(") and model.endswith(")"):
        model = model[len("robust(") : -1]
    return model


def _names_of(model: str) -> list[str]:
    """What clients called the model before they were sent here, then its full names, without a URL of the inside."""
    from ...tools.models.registry import parse_model_name

    inner = parse_model_name(_unwrapped(model))
    full = f"{inner.provider}/{inner.model}"
    return [inner.model, full, f"robust({full})"]


def _limits(
    max_traces: int, max_running: int, max_waiting: int, max_body_mb: int, max_megapixels: int, max_seconds: float
) -> ServeLimits:
    from ..server import ServeLimits

    return ServeLimits(
        max_traces=max_traces,
        max_running=max_running,
        max_waiting=max_waiting,
        max_body_bytes=max_body_mb * _MIB,
        max_buffered_bytes=max(1024, 2 * max_body_mb) * _MIB,
        max_image_bytes=max(1, max_body_mb * 3 // 4) * _MIB,
        max_total_pixels=max_megapixels * 1_000_000,
        max_image_pixels=max_megapixels * 1_000_000,
        request_seconds=max_seconds,
    )
