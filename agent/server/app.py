"""Puts the server together: routes, errors, and what happens when it starts and ends."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from ..robust import RobustVLM
from .answering import Answerer
from .chat_endpoint import ChatEndpoint
from .errors import ApiError
from .gate import Gate
from .pictures import PictureReader
from .remote_images import RemoteImages, Resolve
from .settings import ServeSettings
from .traces import TraceShelf

__all__ = ["create_app"]

_LOG = logging.getLogger(__name__)

# A trace page holds words of strangers and needs nothing but its own styles and pictures.
_PAGE_HEADERS = {
    "content-security-policy": "default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}


def create_app(
    robust: RobustVLM,
    settings: ServeSettings,
    *,
    resolve: Resolve | None = None,
    now_s: Callable[[], float] = time.time,
) -> FastAPI:
    """An ASGI application that answers with ``robust``; under the profile ``off``, with the model inside it.

    Args:
        robust: its run folder is not used.
        settings: see ``ServeSettings``.
        resolve: looks up the hosts of remote pictures; the operating system's resolver unless given.
        now_s: Unix time, for the field ``created``.

    Raises:
        SolverError: a host of ``image_hosts`` cannot be understood.
        OSError: the folder of the traces cannot be used.
    """
    limits = settings.limits
    remote = RemoteImages(
        settings.image_hosts, max_bytes=limits.max_image_bytes, seconds=limits.fetch_seconds, resolve=resolve
    )
    shelf = TraceShelf(settings.traces, max_count=limits.max_traces, max_bytes=limits.max_trace_bytes)
    answerer = Answerer(robust, PictureReader(limits, remote), shelf)
    chat = ChatEndpoint(settings, answerer, now_s=now_s)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        close = getattr(robust.model, "aclose", None)
        if close is not None:
            await close()

    app = FastAPI(title="Seeworthy", docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    app.state.seats = chat.seats
    app.router.routes.append(Route("/v1/chat/completions", chat, methods=["POST"]))
    _add_models(app, settings, created_s=int(now_s()))
    _add_pages(app, shelf)
    app.add_exception_handler(ApiError, _api_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(Exception, _unexpected)
    app.add_middleware(Gate, settings=settings)
    return app


def _add_models(app: FastAPI, settings: ServeSettings, *, created_s: int) -> None:
    models = [{"id": name, "object": "model", "created": created_s, "owned_by": "seeworthy"} for name in settings.names]

    @app.get("/v1/models")
    async def list_models() -> JSONResponse:
        return JSONResponse({"object": "list", "data": models})

    @app.get("/v1/models/{name:path}")
    async def retrieve_model(name: str) -> JSONResponse:
        for model in models:
            if model["id"] == name:
                return JSONResponse(model)
        raise ApiError(404, f"the model {name[:400]!r} is not served", code="model_not_found", param="model")


def _add_pages(app: FastAPI, shelf: TraceShelf) -> None:
    @app.get("/health")
    async def health() -> JSONResponse:
        return JSONResponse({"status": "ok"})

    @app.get("/v1/traces/{trace_id}")
    def trace(trace_id: str) -> Response:
        page = shelf.get(trace_id)
        if page is None:
            raise ApiError(404, "there is no such trace, or it was old and made room", code="trace_not_found")
        return HTMLResponse(page, headers=_PAGE_HEADERS)


async def _api_error(request: Request, error: Exception) -> Response:
    if not isinstance(error, ApiError):
        raise error
    return JSONResponse(error.body(), status_code=error.status, headers=error.headers)


async def _http_error(request: Request, error: Exception) -> Response:
    """What the framework refuses by itself: unknown paths and wrong methods."""
    if not isinstance(error, HTTPException):
        raise error
    words = {404: "there is no such address here", 405: "this address does not take this method"}
    message = f"{words.get(error.status_code, error.detail)}: {request.method} {request.url.path[:400]}"
    told = ApiError(error.status_code, message, code="not_found" if error.status_code == 404 else "http_error")
    return JSONResponse(told.body(), status_code=error.status_code, headers=error.headers)


async def _unexpected(request: Request, error: Exception) -> Response:
    """A fault of our own; the framework logs it with its traceback after this was sent."""
    told = ApiError(500, "internal error; see the server's log", code="internal_error")
    return JSONResponse(told.body(), status_code=500)
