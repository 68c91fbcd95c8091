"""How turns, blocks and memories look in a terminal."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any, Self

import click

if TYPE_CHECKING:
    from collections.abc import Iterable

    from claudemem_edge.cli.words import Words

ENDINGS = frozenset({"final", "failed", "cancelled"})
SIGN_AFTER_S = 1.0


def dim(text: str) -> str:
    """Return a text that stays in the background."""
    return click.style(text, dim=True)


def block_lines(context: dict[str, Any], words: Words) -> list[str]:
    """Return the lines of a block with the turns they come from."""
    lines = []
    for line in context.get("lines", []):
        turns = ", ".join(str(turn) for turn in line["turns"])
        lines.append(f"  │ {line['text']}" + (f"   ← {words.say('turn', turns=turns)}" if turns else ""))
    return lines


def reply(events: Iterable[dict[str, Any]], words: Words, *, quiet: bool) -> bool:
    """Print a turn as it comes, and its block dim below. Tell whether it was answered."""
    waiting = Waiting()
    spoken = False
    try:
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
                return _ending(event, words, quiet=quiet)
    finally:
        waiting.hide()
    return False


class Waiting:
    """A sign in a terminal that something takes its time: it counts the seconds and leaves no trace."""

    def __init__(self) -> None:
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        self.show()
        return self

    def __exit__(self, *_: object) -> None:
        self.hide()

    def show(self) -> None:
        """Begin to count, where a person looks on."""
        if sys.stderr.isatty() and self._thread is None:
            self._thread = threading.Thread(target=self._count, daemon=True)
            self._thread.start()

    def hide(self) -> None:
        """End, and wipe the sign away; twice does no harm."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _count(self) -> None:
        waited_s = 0
        while not self._over.wait(SIGN_AFTER_S):
            waited_s += 1
            click.echo("\r" + dim(f"… {waited_s} s"), nl=False, err=True)
        if waited_s:
            click.echo("\r\033[K", nl=False, err=True)


def _ending(event: dict[str, Any], words: Words, *, quiet: bool) -> bool:
    if event["event"] == "failed":
        click.echo(event["error"]["text"], err=True)
        return False
    if event["event"] == "cancelled":
        click.echo(dim(words.say("stopped")))
        return False
    lines = block_lines(event.get("context", {}), words)
    if lines and not quiet:
        click.echo(dim("\n".join(lines)))
    return True
