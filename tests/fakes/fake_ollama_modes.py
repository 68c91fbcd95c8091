"""How the fake Ollama answers a question: well, slowly, or in one of the ways in which servers fail."""

from __future__ import annotations

import asyncio
import itertools
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from fakes.fake_ollama_wire import Reply

Piece = str | dict[str, Any]
"""A piece of an answer: text, or the fields of a whole message (tool calls, thinking)."""
CREATED = "2026-03-11T01:40:00.000000Z"
COUNTS = {
    "total_duration": 5_000_000,
    "load_duration": 1_000_000,
    "prompt_eval_count": 26,
    "prompt_eval_duration": 2_000_000,
    "eval_duration": 2_000_000,
}


@dataclass(slots=True)
class Answer:
    """One answer to give: what, how fast, and where the gate of `gated` stands."""

    reply: Reply
    pieces: Sequence[Piece]
    model: str
    token_s: float
    after: int
    to: str
    gate: asyncio.Semaphore

    @property
    def path(self) -> str:
        """The route that was asked."""
        return self.reply.request.path

    def line(self, piece: Piece) -> bytes:
        """Return the line that carries one piece."""
        message = {"role": "assistant", "content": piece} if isinstance(piece, str) else {"role": "assistant", **piece}
        if self.path == "/api/pull":
            return _line(dict(piece) if isinstance(piece, dict) else {"status": piece})
        if self.path == "/api/chat":
            return _line({"model": self.model, "created_at": CREATED, "message": message, "done": False})
        if self.path == "/api/generate":
            return _line({"model": self.model, "created_at": CREATED, "response": message["content"], "done": False})
        delta = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": self.model}
        return _event(delta | {"choices": [{"index": 0, "delta": message, "finish_reason": None}]})

    def last(self) -> bytes:
        """Return what makes a stream complete."""
        if self.path == "/api/pull":
            return b""
        end = {"model": self.model, "created_at": CREATED, "done": True, "done_reason": "stop", **COUNTS}
        end["eval_count"] = len(self.pieces)
        if self.path == "/api/chat":
            return _line(end | {"message": {"role": "assistant", "content": ""}})
        if self.path == "/api/generate":
            return _line(end | {"response": "", "context": [1, 2, 3]})
        return b"data: [DONE]\n\n"

    def whole(self) -> dict[str, Any]:
        """Return the answer as one document."""
        message: dict[str, Any] = {"role": "assistant"}
        for piece in self.pieces:
            message |= piece if isinstance(piece, dict) else {}
        message["content"] = "".join(piece for piece in self.pieces if isinstance(piece, str))
        if self.path == "/v1/chat/completions":
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            return {"id": "chatcmpl-1", "object": "chat.completion", "model": self.model, "choices": [choice]}
        end: dict[str, Any] = json.loads(self.last())
        return end | ({"message": message} if self.path == "/api/chat" else {"response": message["content"]})

    async def send(self, pieces: Iterable[Piece], before: Callable[[], Awaitable[object]] | None = None) -> None:
        """Send the head and then piece after piece, `before` each of them."""
        await self.reply.begin("text/event-stream" if self.path.startswith("/v1/") else "application/x-ndjson")
        for piece in pieces:
            if before is not None:
                await before()
            await self.reply.chunk(self.line(piece))
            self.reply.pieces_sent += 1


def _line(payload: dict[str, Any]) -> bytes:
    return json.dumps(payload, ensure_ascii=False).encode() + b"\n"


def _event(payload: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(payload, ensure_ascii=False).encode() + b"\n\n"


async def _complete(answer: Answer, before: Callable[[], Awaitable[object]] | None = None) -> None:
    if answer.reply.streams:
        await answer.send(answer.pieces, before)
        answer.reply.finished = True
        await answer.reply.chunk(answer.last())
        await answer.reply.finish()
        return
    if before is not None:
        for _ in answer.pieces:
            await before()
    await answer.reply.json(answer.whole())


async def normal(answer: Answer) -> None:
    """Answer at once."""
    await _complete(answer)


async def slow(answer: Answer) -> None:
    """Wait `token_s` before each piece."""
    await _complete(answer, lambda: asyncio.sleep(answer.token_s))


async def gated(answer: Answer) -> None:
    """Wait for `fake.release()` before each piece: a slow model without a clock."""
    await _complete(answer, answer.gate.acquire)


async def silent(answer: Answer) -> None:
    """Take the request and never send a byte."""
    await asyncio.Event().wait()


async def stall(answer: Answer) -> None:
    """Send `after` pieces and then never another byte."""
    await answer.send(answer.pieces[: answer.after])
    await asyncio.Event().wait()


async def no_done(answer: Answer) -> None:
    """End cleanly after `after` pieces, without the line that says done."""
    await answer.send(answer.pieces[: answer.after])
    await answer.reply.finish()


async def reset(answer: Answer) -> None:
    """Break off hard after `after` pieces."""
    await answer.send(answer.pieces[: answer.after])
    answer.reply.reset()


async def half_line(answer: Answer) -> None:
    """End cleanly in the middle of a line."""
    await answer.send(answer.pieces[: answer.after])
    await answer.reply.chunk(answer.line("never whole")[:20])
    await answer.reply.finish()


async def error_line(answer: Answer) -> None:
    """Say in mid-stream that something went wrong, as Ollama does."""
    await answer.send(answer.pieces[: answer.after])
    await answer.reply.chunk(_line({"error": "an error was encountered while running the model: out of memory"}))
    await answer.reply.finish()


async def half_event(answer: Answer) -> None:
    """Break off hard between the line of an event and the empty one that ends it."""
    await answer.send(answer.pieces[: answer.after])
    await answer.reply.chunk(answer.line("never told").rstrip() + b"\n")
    answer.reply.reset()


async def past_end(answer: Answer) -> None:
    """Answer well, and break off hard in the middle of whatever would have come next."""
    await answer.send(answer.pieces)
    await answer.reply.chunk(answer.last() + b'{"never')
    answer.reply.reset()


async def bad_line(answer: Answer) -> None:
    """Send a line that is no JSON."""
    await answer.send(answer.pieces[: answer.after])
    await answer.reply.chunk(b"{never json\n")
    await answer.reply.finish()


async def blank_lines(answer: Answer) -> None:
    """Answer well, with an empty line before each piece."""
    await _complete(answer, lambda: answer.reply.chunk(b"\n") if answer.reply.streams else asyncio.sleep(0))


async def long_line(answer: Answer) -> None:
    """Send one line that never ends."""
    await answer.send(())
    while True:
        await answer.reply.chunk(b"x" * 65_536)


async def endless(answer: Answer) -> None:
    """Never stop talking."""
    await answer.send(itertools.cycle(answer.pieces), lambda: asyncio.sleep(0))


async def redirect(answer: Answer) -> None:
    """Send the caller, prompt and all, to another listener."""
    answer.reply.headers["Location"] = answer.to + answer.path
    await answer.reply.whole(307, b"")


async def not_json(answer: Answer) -> None:
    """Fail as a proxy in between does."""
    await answer.reply.whole(502, b"<html>Bad Gateway</html>", "text/html")


def _refusal(status: int, error: str) -> Callable[[Answer], Awaitable[None]]:
    async def refuse(answer: Answer) -> None:
        await answer.reply.refuse(error.format(model=answer.model), status)

    return refuse


MODES: dict[str, Callable[[Answer], Awaitable[None]]] = {
    "normal": normal,
    "slow": slow,
    "gated": gated,
    "silent": silent,
    "stall": stall,
    "no_done": no_done,
    "reset": reset,
    "half_line": half_line,
    "half_event": half_event,
    "error_line": error_line,
    "past_end": past_end,
    "bad_line": bad_line,
    "blank_lines": blank_lines,
    "long_line": long_line,
    "endless": endless,
    "redirect": redirect,
    "not_json": not_json,
    "400": _refusal(400, "invalid request"),
    "404": _refusal(404, "model '{model}' not found"),
    "429": _refusal(429, "too many requests"),
    "500": _refusal(500, "llama runner process has terminated"),
    "503": _refusal(503, "server busy, please try again.  maximum pending requests exceeded"),
}
