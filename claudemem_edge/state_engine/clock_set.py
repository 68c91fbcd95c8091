"""What was recorded by a wall clock that nobody had set, put right once it is: the boot clock knows how long ago."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from claudemem_edge.shapes.times import ElapsedDue, Moment
from claudemem_edge.state_engine.item_due import later

if TYPE_CHECKING:
    from datetime import datetime

    from claudemem_edge.shapes.memory import Item
    from claudemem_edge.state_engine.progress import Progress

STEP_S = 1.0
"""What two readings of the clocks may differ by without anybody having set one."""


def follow(progress: Progress) -> None:
    """Move all times recorded by a doubtful wall clock by as much as it was set since."""
    now, state = progress.now, progress.state
    ahead_s = now.wall.timestamp() - now.boot_s
    if state.doubtful_s is not None and abs(ahead_s - state.doubtful_s) > STEP_S:
        _move_all(progress, ahead_s - state.doubtful_s)
    state.doubtful_s = ahead_s if now.doubt else None


def _move_all(progress: Progress, seconds: float) -> None:
    ledger, state = progress.ledger, progress.state
    for statement in state.statements.values():
        ledger.set(statement, said_at=later(statement.said_at, seconds))
    for claim in state.claims.values():
        ledger.set(claim, since=later(claim.since, seconds), until=_moved(claim.until, seconds))
    for item in state.pending_items.values():
        _move_item(progress, item, seconds)


def _move_item(progress: Progress, item: Item, seconds: float) -> None:
    due = item.due
    if isinstance(due, ElapsedDue):
        due = replace(due, wall=later(due.wall, seconds))
    progress.ledger.set(
        item,
        due=due,
        done_at=_moved(item.done_at, seconds),
        fired_at=_at(item.fired_at, seconds),
        told_at=_at(item.told_at, seconds),
    )


def _moved(at: datetime | None, seconds: float) -> datetime | None:
    return later(at, seconds) if at is not None else None


def _at(moment: Moment | None, seconds: float) -> Moment | None:
    return replace(moment, wall=later(moment.wall, seconds)) if moment is not None else None
