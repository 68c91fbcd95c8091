"""What a client is asked to do, and what came of it: the same for every client, whatever language it is written in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

MODEL = "llama3.2:1b"
TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "look",
        "description": "Look into a room.",
        "parameters": {"type": "object", "properties": {"room": {"type": "string"}}, "required": ["room"]},
    },
}
FOUND = "The key is here."
"""What the tool answers, whichever room it looks into."""


@dataclass(slots=True, frozen=True)
class Step:
    """One call of a client. `do`: chat, stream, leave, tools, generate, embed, list, show, ps or version.

    `leave` hangs up after the first piece of a stream; `tools` carries out one round of calls and asks again.
    """

    do: str
    url: str
    text: str = ""
    model: str = MODEL
    more: dict[str, Any] = field(default_factory=dict)
    """Parameters of this client alone."""


@dataclass(slots=True)
class Heard:
    """What the program behind the client got to know. `status` is the HTTP status its error was raised with."""

    text: str = ""
    pieces: list[str] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    numbers: list[float] = field(default_factory=list)
    error: str = ""
    status: int = 0

    def piece(self, piece: str | None) -> None:
        """Take in a piece of a stream; an empty one says nothing."""
        if piece:
            self.pieces.append(piece)
            self.text += piece


Ask = Callable[[Step], Awaitable[Heard]]
