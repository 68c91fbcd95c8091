"""What the daemon answers by itself about its memory, the time and its last words."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from claudemem_edge.state_engine import deeds, digest, notices_heard, predicates, spoken
from claudemem_edge.state_engine.item_orders import open_items
from claudemem_edge.state_engine.item_places import in_order

if TYPE_CHECKING:
    from collections.abc import Callable

    from claudemem_edge.shapes.memory import Claim
    from claudemem_edge.shapes.reading import Command
    from claudemem_edge.state_engine.progress import Progress

TOLD_MOST = 6


def _list_memory(progress: Progress, _: Command) -> None:
    """Tell what is known, most important first, and count the rest."""
    claims = sorted(_holding(progress), key=lambda one: (not one.pinned, one.predicate != "name", -one.turn))
    told = [spoken.claim(progress, one) for one in claims]
    told += [spoken.item_line(progress, one) for one in in_order(open_items(progress))]
    if not told:
        progress.say("knows_nothing")
        return
    key = "knows" if len(told) <= TOLD_MOST else "knows_more"
    joint = progress.phrase("list_joint")
    progress.say(key, list=joint.join(told[:TOLD_MOST]), more=len(told) - TOLD_MOST)


def _list_pending(progress: Progress, _: Command) -> None:
    """Tell what is still to happen, soonest first."""
    told = [spoken.item_line(progress, one) for one in in_order(open_items(progress))]
    if not told:
        progress.say("nothing_pending")
        return
    key = "pending" if len(told) <= TOLD_MOST else "pending_more"
    joint = progress.phrase("list_joint")
    progress.say(key, count=len(told), list=joint.join(told[:TOLD_MOST]), more=len(told) - TOLD_MOST)


def _repeat(progress: Progress, _: Command) -> None:
    """Say the last reply again, whole."""
    state = progress.state
    last = state.statements.get(state.last_reply) if state.last_reply is not None else None
    if last is None:
        progress.say("nothing_to_repeat")
        return
    language = progress.lexicon.get(last.language)
    parts = [
        one.text for one in state.statements.values()
        if one.turn == last.turn and one.speaker == last.speaker and one.shown == last.shown
    ]  # fmt: skip
    joint = progress.phrase("clause_joint") if language is None or not language.joined else ""
    progress.said.append((joint or language.say("clause_joint") if language else joint).join(parts))
    progress.keep_reply = True


def _whose_memory(progress: Progress, _: Command) -> None:
    name = next((one.object for one in _holding(progress) if one.subject == "user" and one.predicate == "name"), "")
    if name:
        progress.say("memory_of", name=name)
    else:
        progress.say("memory_of_user")


def _reply_language(progress: Progress, command: Command) -> None:
    wanted = command.argument.lower()
    found = progress.lexicon.languages.get(wanted.replace("_", "-").split("-", 1)[0])
    if found is None:
        found = next((one for one in progress.lexicon.languages.values() if one.title.lower() == wanted), None)
    if found is None or not wanted:
        progress.say("language_unknown")
        return
    progress.state.reply_language = found.code
    progress.language = found
    progress.change("changed", "memory", reply_language=found.code)
    progress.say("language_changed")


def _ask_time(progress: Progress, _: Command) -> None:
    if progress.now.doubt:
        progress.say("no_clock")
    else:
        progress.say("time_now", time=spoken.clock(progress, progress.now.wall))


def _ask_date(progress: Progress, _: Command) -> None:
    if progress.now.doubt:
        progress.say("no_clock")
    else:
        progress.say("date_today", date=spoken.date(progress, progress.now.wall))


def _holding(progress: Progress) -> list[Claim]:
    """Return the claims that hold and have not run out."""
    held = []
    for claim in progress.state.claims.values():
        days = int(predicates.describe(claim.predicate, progress.lexicon).get("ttl_days", 0))
        if claim.open and not (days and claim.since + timedelta(days=days) < progress.now.wall):
            held.append(claim)
    return held


HANDLERS: dict[str, Callable[[Progress, Command], None]] = {
    "list_memory": _list_memory,
    "list_pending": _list_pending,
    "repeat": _repeat,
    "whose_memory": _whose_memory,
    "reply_language": _reply_language,
    "ask_time": _ask_time,
    "ask_date": _ask_date,
    "ask_did": deeds.answer,
    "digest": digest.answer,
    "acknowledge": notices_heard.acknowledge,
    "ask_reminded": notices_heard.answer,
}
