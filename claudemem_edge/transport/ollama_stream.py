"""A model server's answer on its way to a client: whole lines as bytes, with an ear on what the assistant says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from claudemem_edge.errors import BackendUnreachable

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator

LINE_MOST_BYTES = 4 << 20
SSE_DATA = b"data:"
SSE_END = b"[DONE]"


class Tap:
    """Listens to an answer. `text` is what the assistant said so far; `complete` once the server said so.

    Understands Ollama's lines, its one document and OpenAI's one document; OpenAI's events where `events` are to come.
    Of several choices the first is heard.
    """

    def __init__(self, most_chars: int, *, events: bool = False) -> None:
        self._most_chars = most_chars
        self._events = events
        self._pieces: list[str] = []
        self._chars = 0
        self.complete = False
        self.failed = False
        """True once the server itself said that something went wrong."""

    @property
    def text(self) -> str:
        """The assistant's words, cut to what a memory takes."""
        return "".join(self._pieces)[: self._most_chars].strip()

    def hear(self, line: bytes) -> None:
        """Take in a line, or the whole of a document. What is no JSON object says nothing."""
        if self._events:
            if not line.startswith(SSE_DATA):
                return  # no client reads it either
            line = line[len(SSE_DATA) :].strip()
            if line == SSE_END:
                self.complete = True
                return
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            return
        if isinstance(row, dict):
            self._take(_said(row))
            self.failed = self.failed or bool(row.get("error"))
            self.complete = self.complete or row.get("done") is True or _finished(row)

    def _take(self, piece: str) -> None:
        if self._chars < self._most_chars:
            self._pieces.append(piece)
            self._chars += len(piece)


def _said(row: dict[str, Any]) -> str:
    choice = _choice(row)
    message = choice.get("delta") or choice.get("message") if choice else row.get("message")
    said = message.get("content") if isinstance(message, dict) else row.get("response")
    return said if isinstance(said, str) else ""


def _finished(row: dict[str, Any]) -> bool:
    """Tell whether an OpenAI document is an answer that ended; in a stream the last event says it."""
    choice = _choice(row)
    return bool(choice.get("finish_reason")) and "message" in choice


def _choice(row: dict[str, Any]) -> dict[str, Any]:
    choices = row.get("choices")
    told = [choice for choice in choices if isinstance(choice, dict)] if isinstance(choices, list) else []
    return next((choice for choice in told if choice.get("index", 0) == 0), {})


async def whole_lines(chunks: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    """Yield what has come, in whole lines: half a line is kept back until its end comes.

    Raises BackendUnreachable when that end never comes, or the line is longer than any answer can be.
    """
    rest = b""
    async for chunk in chunks:
        lines, newline, rest = (rest + chunk).rpartition(b"\n")
        if newline:
            yield lines + newline
        if len(rest) > LINE_MOST_BYTES:
            raise BackendUnreachable("the model's server sent a line without an end")
    if _is_whole(rest):
        yield rest + b"\n"
    elif rest.strip():
        raise BackendUnreachable("the model's server ended in the middle of a line")


def _is_whole(rest: bytes) -> bool:
    told = rest.removeprefix(SSE_DATA).strip()
    try:
        return told == SSE_END or isinstance(json.loads(told), dict)
    except (ValueError, RecursionError):
        return False


def without_blank_lines(lines: bytes) -> bytes:
    """Return the lines without the empty ones, which Ollama's own client cannot read."""
    if not lines.startswith((b"\n", b"\r\n")) and b"\n\n" not in lines and b"\n\r\n" not in lines:
        return lines
    return b"".join(line for line in lines.splitlines(keepends=True) if line.strip())
