"""One flood after another on a whole daemon: what was told, what the well-behaved client got, what it weighed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from floods import floods
from floods.calm import Watch, watched
from neighbours.asks import SHORT, WAYS, Asking
from neighbours.house import ollama, open_house

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from neighbours.house import House

BODY_BYTES = 20 << 20
MESSAGE_BYTES = 10_000
SETTLE_S = 2.0


@dataclass
class Sizes:
    """How many of each."""

    callers: int = 50
    half_open: int = 400
    slow_readers: int = 10
    bodies: int = 30
    requests: int = 1000
    messages: int = 6000


@dataclass
class Row:
    """What came of a flood."""

    what: str
    told: floods.Told
    watch: Watch
    recovered: bool


@dataclass
class Flood:
    """A flood to play. `token_s` is how slow the model is, `asks_model` whether the well-behaved client asks it too."""

    what: str
    send: Callable[[House], Awaitable[floods.Told]]
    token_s: float = 0.02
    asks_model: bool = True


def all_floods(sizes: Sizes, token_s: float = 1.0) -> list[Flood]:
    """Return the floods of these sizes; the callers' model takes `token_s` a word."""
    return [
        Flood(f"{sizes.callers} callers of one scope", lambda h: floods.callers(h, sizes.callers, 1), token_s),
        Flood(
            f"{sizes.callers} callers of 5 scopes",
            lambda h: floods.callers(h, sizes.callers, 5),
            token_s,
            asks_model=False,  # there is no place left: it would be told to come back, like everybody
        ),
        Flood(f"{sizes.half_open} half-open clients", lambda h: floods.half_open(h, sizes.half_open)),
        Flood(
            f"{sizes.slow_readers} readers that take nothing",
            lambda h: floods.slow_readers(h, sizes.slow_readers),
            token_s=0.001,
        ),
        Flood(f"{sizes.bodies} bodies of 20 MB", lambda h: floods.big_bodies(h, sizes.bodies, BODY_BYTES)),
        Flood(
            f"{sizes.requests} MQTT requests at once",
            lambda h: floods.requests_at_the_broker(h, sizes.requests),
            asks_model=False,  # the same
        ),
        Flood(
            f"{sizes.messages} MQTT messages of 10 KB",
            lambda h: floods.big_messages(h, sizes.messages, MESSAGE_BYTES),
        ),
    ]


async def play(flood: Flood, folder: Path, settle_s: float = SETTLE_S, **settings: str) -> Row:
    """Play a flood on a daemon of its own, and look what it weighs so long afterwards."""
    async with open_house(folder, ollama(flood.token_s), ("max_queued_messages 0",), **settings) as house:
        async with watched(house, asks_model=flood.asks_model, settle_s=settle_s) as watch:
            told = await flood.send(house)
        answers = await Asking(house, "afterwards", SHORT, tuple(WAYS)).all()
        recovered = all(one.endings == ["final"] for one in answers)
    return Row(flood.what, told, watch, recovered)
