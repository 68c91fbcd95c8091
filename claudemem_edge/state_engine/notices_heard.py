"""Notices that were given: acknowledged with "got it", and asked about with "what did you remind me of?"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claudemem_edge.state_engine import item_orders, spoken

if TYPE_CHECKING:
    from claudemem_edge.shapes.memory import Item
    from claudemem_edge.shapes.reading import Command
    from claudemem_edge.state_engine.progress import Progress

HEARD_WITHIN_S = 120.0
"""How long after a notice "got it" is about the notice, and not about whatever else was said."""
ANSWERABLE_S = 86400.0
"""How long what was told stays answerable."""


def acknowledge(progress: Progress, _: Command) -> None:
    """Let the notice that was just given rest. Without one the words are about something else."""
    recent = [one for one in item_orders.open_items(progress) if one.state == "triggered" and not one.heard]
    told = _told_within(progress, recent, HEARD_WITHIN_S)
    if told:
        item_orders.acknowledge_item(progress, told[-1])


def answer(progress: Progress, command: Command) -> None:
    """Say which notices were given lately, and when."""
    told = _told_within(progress, list(progress.state.pending_items.values()), ANSWERABLE_S)
    if command.argument:
        told = item_orders.by_words(progress, told, command.argument)
    if not told:
        progress.say("reminded_nothing")
        return
    lines = [
        progress.phrase("did_line", when=spoken.when(progress, one.told_at.wall), what=one.text)
        for one in told
        if one.told_at is not None
    ]
    progress.say("reminded", list=progress.phrase("list_joint").join(lines))


def _told_within(progress: Progress, items: list[Item], seconds: float) -> list[Item]:
    """Return the items whose notice is no older than this, the latest last."""
    ages = [(progress.now.boot_s - one.told_at.boot_s, one) for one in items if one.told_at is not None]
    return [one for age_s, one in sorted(ages, key=lambda pair: -pair[0]) if age_s <= seconds]
