"""The daemon's question to itself: a whole turn, from words to an answer, in memories that are thrown away."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from claudemem_edge.errors import InternalError
from claudemem_edge.model.echo import EchoModel
from claudemem_edge.sessions.registry import Sessions
from claudemem_edge.shapes.options import SessionOptions, TurnOptions
from claudemem_edge.shapes.turn import Ask, Final, Origin

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import tzinfo

    from claudemem_edge.memory import Memory

ASKED, KEPT = "4711-zq", "0815-yx"
"""Names of no language: read, kept and found like any other, and moving no rule."""
SCOPE = "self-test"


async def self_test(new_memory: Callable[[], Memory], zone: tzinfo) -> None:
    """Learn something, ask for it, and see that it stands before the question. Raises InternalError."""
    options = TurnOptions()
    sessions = Sessions(EchoModel(), new_memory=new_memory, options=SessionOptions(), turn_options=options, zone=zone)
    sessions.observe(SCOPE, "user", f"{ASKED} {KEPT}")
    deadline_s = asyncio.get_running_loop().time() + options.deadline_s
    *_, last = [event async for event in sessions.turn(Ask(SCOPE, ASKED, SCOPE, Origin(SCOPE), deadline_s))]
    if not isinstance(last, Final) or KEPT not in last.context.text or ASKED not in last.text:
        raise InternalError("a turn of our own did not come back with what it had been told")
