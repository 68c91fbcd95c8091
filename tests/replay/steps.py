"""The steps of a report that turn the clock, speak, look and forget. See `door_steps` for the others."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from fakes.fake_ollama_modes import Piece
    from fakes.fake_ollama_wire import Recorded
    from replay.play import Play, Step

    Act = Callable[[Play, Step], Awaitable[None]]

CUTS = frozenset({"cancel_after", "client_disconnect"})
"""What interrupts the turn that the step before began."""
UNITS_S = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}
SLOW = ("word ",) * 400
MODELS = {
    "slow": "slow", "endless": "endless", "eof_without_done": "no_done", "echo_previous_request": "normal",
    "split_every_byte": "normal", "hang": "stall", "never_answers": "silent", "error_mid_stream": "error_line",
    "broken_line": "bad_line", "hard_cut": "reset", "busy": "503",
}  # fmt: skip
"""What a report calls a model → the mode in which the fake answers."""
KEPT_WHOLE = 50
"""Turns of a repetition of which everything is kept; of the others it is how long they took."""
SPLIT = ("你", "好，", "我是🚪助手。")


def seconds(step: Step) -> float:
    """Return how long a step says."""
    named = {"days": 86400, "hours": 3600, "minutes": 60, "seconds": 1}
    return sum(float(step.get(name, 0)) * unit_s for name, unit_s in named.items())


def length_s(text: str) -> float:
    """Return a length such as "+130d" or "-2h"."""
    found = re.fullmatch(r"([+-]?\d+(?:\.\d+)?)\s*(d|h|min|m|s)", text)
    if found is None:
        raise ValueError("no length of time: " + text)
    return float(found[1]) * UNITS_S[found[2]]


async def _clock(play: Play, step: Step) -> None:
    """The stage was opened at this time."""


async def _advance(play: Play, step: Step) -> None:
    if play.stage.clock is None:
        await asyncio.sleep(seconds(step))
    else:
        play.stage.clock.advance(seconds(step))
        play.stage.look_again()


async def _step_wall(play: Play, step: Step) -> None:
    assert play.stage.clock is not None, "only a stage with a clock of its own can turn it"
    play.stage.clock.step(length_s(step["by"]))
    play.stage.look_again()


def _heard_before(play: Play) -> Callable[[Recorded], Sequence[Piece]]:
    """Answer with what the request before this one held."""
    return lambda asked: ([one.text for one in play.stage.fake.asked if one is not asked] or [""])[-1:]


def _set_model(play: Play, step: Step) -> None:
    fake, named = play.stage.fake, step.get("model", "")
    fake.default = MODELS.get(named, "normal")
    fake.split_bytes = 1 if named == "split_every_byte" else 0
    fake.pieces = (step["reply"],) if "reply" in step else ("Yes", ".")
    if fake.default in {"slow", "endless"}:
        fake.pieces = SLOW
    elif named == "split_every_byte":
        fake.pieces = SPLIT
    elif named == "echo_previous_request":
        fake.pieces = _heard_before(play)


def _scope(play: Play, step: Step) -> str:
    play.scope = step.get("session", play.scope)
    return play.scope


def _fields(step: Step) -> dict[str, Any]:
    language = {"language": step["lang"]} if "lang" in step else {}
    return {name: step[name] for name in ("user", "device", "id", "supersede") if name in step} | language


async def _say(play: Play, step: Step) -> None:
    _set_model(play, step)
    await play.say(_scope(play, step), step["text"], **_fields(step))


async def cut(play: Play, step: Step, by: Step) -> None:
    """Say something and interrupt it."""
    _set_model(play, step)
    scope, fake = _scope(play, step), play.stage.fake
    asked, left = len(fake.asked), len(fake.closes)
    saying = asyncio.create_task(play.say(scope, step["text"], **_fields(step)))
    await fake.wait_asked(asked + 1)
    pause_s: float = by.get("s") or by.get("after_s") or 0.3
    await asyncio.sleep(pause_s)
    begun_s = asyncio.get_running_loop().time()
    if by["op"] == "client_disconnect":
        saying.cancel()
    else:
        await play.stage.http.post(f"/memory/{quote(scope)}/cancel", json={"id": f"r-{len(play.turns)}"})
    await asyncio.gather(saying, return_exceptions=True)
    play.last.prompts = fake.asked[asked:]
    play.closed_after_s = (await fake.wait_closed(left + 1)).at_s - begun_s


async def _say_gen(play: Play, step: Step) -> None:
    text = "".join(part * times for part, times in step["parts"])
    await _say(play, {**step, "text": text})


async def _observe(play: Play, step: Step) -> None:
    speaker = {"local-intent": "event"}.get(step.get("by", ""), step.get("by", "user"))
    body = {"text": step["text"], "speaker": speaker}
    scope = _scope(play, step)
    reply = await play.stage.http.post(f"/memory/{quote(scope)}/observe", json=body)
    if reply.status_code >= 500:
        play.problems.append(f"observing ended with {reply.status_code}")


async def _context(play: Play, step: Step) -> None:
    scope = _scope(play, step)
    play.blocks.append(await play.block(step.get("query") or play.about_me(), scope))


async def _forget(play: Play, step: Step) -> None:
    what = step.get("what") or step.get("scope", "last")
    body = {"what": {"session": "all"}.get(what, what), "key": step.get("key", ""), "confirm": True}
    await play.stage.http.post(f"/memory/{quote(_scope(play, step))}/forget", json=body)


async def _open(play: Play, step: Step) -> None:
    _scope(play, step)


async def _end(play: Play, step: Step) -> None:
    await play.stage.http.post(f"/memory/{quote(step['session'])}/end")


async def _repeat(play: Play, step: Step) -> None:
    warm = min(500, step["n"] // 4)
    for number in range(step["n"]):
        if number == warm:
            play.rss_mb.append(play.resident_mb())
        await act(play, step["do"])
        if number > KEPT_WHOLE and not play.last.error:  # what is measured is the daemon, not what we keep
            play.last.events, play.last.prompts = [], []
            del play.turns[500:-500], play.stage.fake.requests[:-KEPT_WHOLE]
        if step.get("advance_s") and play.stage.clock is not None:
            play.stage.clock.advance(step["advance_s"])
    play.rss_mb.append(play.resident_mb())


async def _parallel(play: Play, step: Step) -> None:
    todo = step["do"] if isinstance(step["do"], list) else [step["do"]] * step.get("n", 2)
    await asyncio.gather(*(act(play, one) for one in todo))


async def _look(play: Play, step: Step) -> None:
    """What is looked at stands in the evidence already."""


SPOKEN: dict[str, Act] = {
    "clock": _clock, "advance": _advance, "run": _advance, "step_wall": _step_wall, "say": _say, "say_gen": _say_gen,
    "observe": _observe, "context": _context, "forget": _forget, "open_session": _open, "end_session": _end,
    "repeat": _repeat, "parallel": _parallel, "health": _look, "export": _look, "inspect_model_request": _look,
    "unit": _look, "env": _look,
}  # fmt: skip


async def act(play: Play, step: Step) -> None:
    """Carry out one step. Raises KeyError for one that nobody knows."""
    from replay.door_steps import DOORS

    await (SPOKEN | DOORS)[step["op"]](play, step)


async def play_steps(play: Play, steps: Sequence[Step]) -> None:
    """Carry out the steps in their order."""
    todo = list(steps)
    while todo:
        step = todo.pop(0)
        if step["op"] == "say" and todo and todo[0]["op"] in CUTS:
            await cut(play, step, todo.pop(0))
        else:
            await act(play, step)
