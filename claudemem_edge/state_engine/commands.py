"""Orders to the memory: who may give which, and who carries it out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claudemem_edge.errors import BadRequest
from claudemem_edge.state_engine import answers, doors, forget, item_orders

if TYPE_CHECKING:
    from collections.abc import Callable

    from claudemem_edge.shapes.reading import Command
    from claudemem_edge.state_engine.progress import Progress

HANDLERS: dict[str, Callable[[Progress, Command], None]] = {
    **dict.fromkeys(("forget_last", "forget_task", "forget_topic", "forget_entity", "forget_all"), forget.obey),
    **dict.fromkeys(("done", "cancel", "call_off", "snooze", "change", "later", "earlier"), item_orders.obey),
    **answers.HANDLERS,
}
NOT_FOR_DOORS = frozenset({"correct", "call_off", "later", "earlier", "yes", "no", "return_topic"})


def obey_all(progress: Progress) -> None:
    """Carry out the user's orders, in the order in which they were given. Raises BadRequest to a door."""
    for command in progress.reading.commands:
        if progress.from_door:
            _obey_door(progress, command)
        elif command.kind in HANDLERS:
            HANDLERS[command.kind](progress, command)


def _obey_door(progress: Progress, command: Command) -> None:
    if command.kind in doors.KINDS:
        doors.obey(progress, command)
    elif command.kind == "forget_all":
        if command.argument != "confirmed":
            raise BadRequest("forgetting everything needs a confirmation", hint='give "confirmed" as the argument')
        forget.everything(progress)
    elif command.kind in HANDLERS:
        HANDLERS[command.kind](progress, command)
    else:
        known = sorted((HANDLERS.keys() | doors.KINDS) - NOT_FOR_DOORS)
        raise BadRequest("there is no such command", hint=f"one of {', '.join(known)}")
