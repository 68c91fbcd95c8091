"""How turns, blocks and memories look in a terminal."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Iterable

ENDINGS = frozenset({"final", "failed", "cancelled"})


def dim(text: str) -> str:
    """Return a text that stays in the background."""
    return click.style(text, dim=True)


def block_lines(context: dict[str, Any]) -> list[str]:
    """Return the lines of a block with the turns they come from."""
    lines = []
    for line in context.get("lines", []):
        turns = ", ".join(str(turn) for turn in line["turns"])
        lines.append(f"  │ {line['text']}" + (f"   ← turn {turns}" if turns else ""))
    return lines


def reply(events: Iterable[dict[str, Any]], *, quiet: bool) -> bool:
    """Print a turn as it comes, and its block dim below. Tell whether it was answered."""
    waiting = _Waiting()
    spoken = False
    for event in events:
        kind = event["event"]
        if kind == "accepted":
            waiting.show()
            continue
        waiting.hide()
        if kind == "said":
            click.echo(event["text"])
        elif kind == "delta":
            click.echo(event["text"] if spoken else event["text"].lstrip(), nl=False)
            spoken = True
        elif kind in ENDINGS:
            if spoken:
                click.echo()
            return _ending(event, quiet=quiet)
    return False


class _Waiting:
    """A sign in a terminal that the model is thinking, or loading: it counts the seconds and leaves no trace."""

    def __init__(self) -> None:
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def show(self) -> None:
        if sys.stderr.isatty() and self._thread is None:
            self._thread = threading.Thread(target=self._count, daemon=True)
            self._thread.start()

    def hide(self) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _count(self) -> None:
        waited_s = 0
        while not self._over.wait(1):
            waited_s += 1
            click.echo("\r" + dim(f"… {waited_s} s"), nl=False, err=True)
        if waited_s:
            click.echo("\r\033[K", nl=False, err=True)


def _ending(event: dict[str, Any], *, quiet: bool) -> bool:
    if event["event"] == "failed":
        click.echo(event["error"]["text"], err=True)
        return False
    if event["event"] == "cancelled":
        click.echo(dim("(stopped)"))
        return False
    lines = block_lines(event.get("context", {}))
    if lines and not quiet:
        click.echo(dim("\n".join(lines)))
    return True
