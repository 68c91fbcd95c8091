"""Real parts put together for tests that need more than one of them."""

from __future__ import annotations

import asyncio
import itertools
from zoneinfo import ZoneInfo

from claudemem_edge.errors import Full
from claudemem_edge.memory import Memory
from claudemem_edge.model.client import ModelClient
from claudemem_edge.sessions import Sessions
from claudemem_edge.shapes.options import ModelOptions, SessionOptions, TurnOptions
from claudemem_edge.shapes.turn import Ask, Origin, TurnEvent

_ids = itertools.count(1)
_opened: list[ModelClient] = []


def make_sessions(
    *urls: str, turn_options: TurnOptions | None = None, options: SessionOptions | None = None
) -> Sessions:
    """Return sessions over a model client for these urls, in Shanghai."""
    model = ModelClient(ModelOptions(urls=urls))
    _opened.append(model)
    return Sessions(
        model,
        new_memory=Memory,
        options=options or SessionOptions(),
        turn_options=turn_options or TurnOptions(),
        zone=ZoneInfo("Asia/Shanghai"),
    )


async def close_models() -> None:
    """Close the connections of every model client opened here, in the loop that opened them."""
    while _opened:
        await _opened.pop().aclose()


def ask(text: str, scope: str = "anna", *, ask_id: str = "", within_s: float = 20, supersede: bool = False) -> Ask:
    """Return an ask whose deadline lies so many seconds ahead."""
    deadline_s = asyncio.get_running_loop().time() + within_s
    return Ask(scope, text, ask_id or f"r-{next(_ids)}", Origin("http", "test"), deadline_s, supersede=supersede)


def fill(sessions: Sessions, scope: str) -> int:
    """Have a door add items to a scope until it takes no more; return how many it took."""
    text = "water the figs, the plums and the pears" * 40
    for taken in range(10_000):
        try:
            sessions.command(scope, "add", text)
        except Full:
            return taken
    raise AssertionError("a scope takes whatever comes")


async def events_of(sessions: Sessions, one: Ask) -> list[TurnEvent]:
    """Return all events of a turn."""
    return [event async for event in sessions.turn(one)]
