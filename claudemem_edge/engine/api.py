"""Ollama's HTTP over one model in this process."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from claudemem_edge.engine.question import (
    MAX_BODY_BYTES,
    Job,
    Refused,
    chat_job,
    check_model,
    generate_job,
    openai_job,
    read_json,
)
from claudemem_edge.engine.replies import OllamaWording, OpenaiWording, Wording, loaded_row, model_row, shown

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable
    from typing import Any, TypeVar

    from starlette.requests import Request
    from starlette.types import Receive, Scope, Send

    from claudemem_edge.engine.llama import Llama, Piece
    from claudemem_edge.engine.weights import Weights

    T = TypeVar("T")

VERSION = "0.12.6-claudemem-edge"
"""The version of Ollama whose API this follows."""


def build_app(llama: Llama, weights: Weights, context_tokens: int) -> Starlette:
    """Return the application."""
    engine = _Engine(llama, weights, context_tokens)
    return Starlette(
        routes=[
            Route("/", engine.root),
            Route("/api/version", engine.version),
            Route("/api/tags", engine.tags),
            Route("/api/ps", engine.loaded),
            Route("/api/show", engine.show, methods=["POST"]),
            Route("/api/chat", engine.chat, methods=["POST"]),
            Route("/api/generate", engine.generate, methods=["POST"]),
            Route("/api/embed", engine.embed, methods=["POST"]),
            Route("/api/embeddings", engine.embed, methods=["POST"]),
            Route("/v1/models", engine.openai_models),
            Route("/v1/chat/completions", engine.openai_chat, methods=["POST"]),
        ],
        exception_handlers={Refused: _refused, HTTPException: _unknown},
    )


async def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)  # noqa: S101  registered for it alone
    return JSONResponse({"error": error.error}, error.status)


async def _unknown(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101  registered for it alone
    return JSONResponse({"error": "the embedded engine has no such route"}, error.status_code)


class _Engine:
    def __init__(self, llama: Llama, weights: Weights, context_tokens: int) -> None:
        self._llama = llama
        self._weights = weights
        self._context_tokens = context_tokens

    async def root(self, _: Request) -> Response:
        return PlainTextResponse("Ollama is running")

    async def version(self, _: Request) -> Response:
        return JSONResponse({"version": VERSION})

    async def tags(self, _: Request) -> Response:
        return JSONResponse({"models": [model_row(self._weights)]})

    async def loaded(self, _: Request) -> Response:
        return JSONResponse({"models": [loaded_row(self._weights, self._context_tokens)]})

    async def show(self, request: Request) -> Response:
        await self._asked(request)
        return JSONResponse(shown(self._weights, self._context_tokens))

    async def openai_models(self, _: Request) -> Response:
        row = {"id": self._weights.name, "object": "model", "created": 0, "owned_by": "library"}
        return JSONResponse({"object": "list", "data": [row]})

    async def embed(self, _: Request) -> Response:
        raise Refused(501, "the embedded engine makes no embeddings")

    async def chat(self, request: Request) -> Response:
        asked = await self._asked(request)
        wording = OllamaWording(asked["model"], chat=True)
        job = chat_job(asked, self._weights)
        return JSONResponse(wording.loaded()) if job is None else await self._answered(request, job, wording)

    async def generate(self, request: Request) -> Response:
        asked = await self._asked(request)
        wording = OllamaWording(asked["model"], chat=False)
        job = generate_job(asked, self._weights)
        return JSONResponse(wording.loaded()) if job is None else await self._answered(request, job, wording)

    async def openai_chat(self, request: Request) -> Response:
        asked = await self._asked(request)
        return await self._answered(request, openai_job(asked, self._weights), OpenaiWording(asked["model"]))

    async def _asked(self, request: Request) -> dict[str, Any]:
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > MAX_BODY_BYTES:
                raise Refused(413, "the request body is too large")
        asked = read_json(body)
        check_model(asked, self._weights)
        return {**asked, "model": asked.get("model") or asked["name"]}

    async def _answered(self, request: Request, job: Job, wording: Wording) -> Response:
        """Wait for the first piece, so that a refusal still has its own status; then stream, or gather the rest."""
        pieces = self._llama.answer(job)
        try:
            first = await _unless_gone(request.receive, anext(pieces))
            if job.chunked:
                return _Stream(first, pieces, wording)
            text, last = await _unless_gone(request.receive, _gathered(first, pieces))
        except BaseException:
            await pieces.aclose()
            raise
        return JSONResponse(wording.whole(text, last))


async def _gathered(first: Piece, pieces: AsyncGenerator[Piece, None]) -> tuple[str, Piece]:
    text, last = first.text, first
    async for piece in pieces:
        text += piece.text
        last = piece
    return text, last


async def _unless_gone(receive: Receive, work: Awaitable[T]) -> T:
    """Wait for the work, but stop it when the caller goes away."""

    async def until_gone() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    task, gone = asyncio.ensure_future(work), asyncio.ensure_future(until_gone())
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise Refused(499, "the caller went away")
        return task.result()
    finally:
        task.cancel()
        gone.cancel()
        await asyncio.gather(task, gone, return_exceptions=True)


class _Stream(Response):
    """An answer as it comes. The model stops when the caller goes away."""

    def __init__(self, first: Piece, pieces: AsyncGenerator[Piece, None], wording: Wording) -> None:
        super().__init__(media_type=wording.content_type)
        del self.headers["content-length"]
        self._first = first
        self._pieces = pieces
        self._wording = wording

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        del scope
        async with contextlib.aclosing(self._pieces):
            with contextlib.suppress(Refused):  # the caller is gone, there is nobody to tell
                await _unless_gone(receive, self._send(send))

    async def _send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        await self._send_piece(self._first, send)
        try:
            async for piece in self._pieces:
                await self._send_piece(piece, send)
        except Refused as error:
            await send({"type": "http.response.body", "body": self._wording.failure(error.error), "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    async def _send_piece(self, piece: Piece, send: Send) -> None:
        body = self._wording.part(piece.text) if piece.text else b""
        body += self._wording.end(piece) if piece.reason else b""
        await send({"type": "http.response.body", "body": body, "more_body": True})
