"""One utterance, top to bottom: it is learned at once, then answered by us, by the language model, or by both.

Read this file first. `learn` runs the moment an utterance arrives and waits for nothing. `answer` may wait for its
place, for the model and for a slow reader, all within one deadline, and gives exactly one Final, Failed or Cancelled.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from claudemem_edge.errors import BackendUnreachable, EdgeError, InternalError, TimedOut
from claudemem_edge.model.prompt import messages_for
from claudemem_edge.shapes.context import Context
from claudemem_edge.shapes.turn import Accepted, Ask, Delta, Failed, Final, Said, TurnEvent

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from claudemem_edge.counters import Counters
    from claudemem_edge.memory import Memory
    from claudemem_edge.model.chat_model import ChatModel
    from claudemem_edge.model.choice import ChosenModel
    from claudemem_edge.model.history import History
    from claudemem_edge.model.prompt import Message
    from claudemem_edge.model.slot import ModelSlot
    from claudemem_edge.shapes.outcome import Outcome
    from claudemem_edge.shapes.times import Moment

    Emit = Callable[[TurnEvent], Awaitable[None]]
    Heard = tuple[ChosenModel, Context, list[Message]]

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Desk:
    """What the turns of one scope work with. `turn_slot` lets whole replies through one after another."""

    memory: Memory
    history: History
    turn_slot: asyncio.Lock
    model: ChatModel
    model_slot: ModelSlot
    now: Callable[[], Moment]
    counters: Counters


def learn(ask: Ask, desk: Desk, cap_bytes: int | None = None) -> Outcome:
    """Learn what was said. It stays learned however the turn ends. Raises TooLong or Full."""
    with desk.counters.timed("learn"):
        return desk.memory.observe(
            ask.speaker, ask.text, at=desk.now(), language=ask.language, door=str(ask.origin), cap_bytes=cap_bytes
        )


async def answer(ask: Ask, outcome: Outcome, desk: Desk, queue: int, emit: Emit) -> None:
    """Give the events of a turn to `emit`, in order. On cancellation the ending is the canceller's to give."""
    ending: TurnEvent
    try:
        await emit(Accepted(ask.id, outcome.turn, queue, outcome.changed))
        if outcome.say:
            await emit(Said(ask.id, outcome.say))
        if outcome.complete:
            ending = Final(ask.id, outcome.turn, outcome.say, asks_back=outcome.asks_back)
        else:
            async with asyncio.timeout_at(ask.deadline_s):
                ending = await _ask_model(ask, outcome, desk, emit)
    except (EdgeError, TimeoutError) as error:
        known = error if isinstance(error, EdgeError) else TimedOut("no whole answer before the deadline")
        ending = failed(ask, desk.memory, known, outcome.turn)
    except Exception as error:  # noqa: BLE001 (a turn has an ending whatever happens)
        logger.error("turn %d failed inside: %s", outcome.turn, type(error).__name__)  # noqa: TRY400 (its text may hold words)
        ending = failed(ask, desk.memory, InternalError("something went wrong inside"), outcome.turn)
    await emit(ending)


async def _ask_model(ask: Ask, outcome: Outcome, desk: Desk, emit: Emit) -> Final:
    memory, pieces, since = desk.memory, list[str](), (desk.memory.epoch, desk.history.clearings)
    async with desk.turn_slot, desk.model_slot.hold(ask.scope, ask.deadline_s):
        try:
            chosen, context, messages = await _hear(ask, outcome, desk, pieces, emit)
        except BackendUnreachable:
            if pieces:
                raise
            chosen, context, messages = await _hear(ask, outcome, desk, pieces, emit)  # of the next server, if any
    text = "".join(pieces).strip()
    if (memory.epoch, desk.history.clearings) == since and text and chosen.speaks:
        sent = ask.text if chosen.profile.template == "plain" else messages[-1]["content"]  # plain holds the history
        desk.history.append(sent, text, chosen.profile.history_tokens)
        if chosen.profile.trusted:
            memory.observe("assistant", text[: memory.max_text_chars], at=desk.now())
    return Final(
        ask.id, outcome.turn, f"{outcome.say} {text}".strip(), context, chosen.name, asks_back=outcome.asks_back
    )


async def _hear(ask: Ask, outcome: Outcome, desk: Desk, pieces: list[str], emit: Emit) -> Heard:
    chosen, memory, history = await desk.model.chosen(), desk.memory, desk.history.messages()
    shown = [digest for message in history for digest in memory.digests(message["content"])]
    profile, context = chosen.profile, Context()
    if outcome.asks or not profile.asks_only:
        with desk.counters.timed("context"):
            context = memory.context(ask.text, now=desk.now(), profile=profile, shown=shown, language=ask.language)
    messages = messages_for(profile, memory.language, str(context), ask.text, history, asks=outcome.asks)
    async with contextlib.aclosing(desk.model.stream(messages, chosen, ask.deadline_s)) as stream:
        with desk.counters.timed("model"):
            async for piece in stream:
                await emit(Delta(ask.id, len(pieces), piece))
                pieces.append(piece)
    return chosen, context, messages


def failed(ask: Ask, memory: Memory, error: EdgeError, turn: int) -> Failed:
    """Return the ending of a turn that failed, with a sentence in the user's language."""
    return Failed.of(error, ask.id, turn, memory.say(f"error_{error.code}", ask.language))
