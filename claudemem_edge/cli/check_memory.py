"""`check-memory`: whether what was told still stands in the block, by what is asked and how much was said since."""

from __future__ import annotations

import json
import sys
import tomllib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from claudemem_edge.memory import Memory
from claudemem_edge.settings import read_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

LEVELS = ("direct", "linked", "reverse")
DISTANCES = (3, 8, 15, 50, 500)
BEGIN = datetime(2026, 1, 5, 9, tzinfo=UTC)
TURN = timedelta(seconds=20)
SHAPE = """
small_talk = ["It rained again today.", "The bus was late."]

[[thing]]
told = ["The press is an S7-1500.", "Its address is 192.168.1.100."]
direct = { ask = "Which model is the press?", held = "S7-1500" }
linked = { ask = "What is the address of the S7-1500?", held = "192.168.1.100" }
reverse = { ask = "Which device has 192.168.1.100?", held = ["S7-1500", "press"] }
"""


@dataclass(slots=True, frozen=True)
class Question:
    """What is asked, and the words of which one must stand in the block."""

    level: str
    ask: str
    held: tuple[str, ...]


@dataclass(slots=True, frozen=True)
class Conversation:
    """What is told, what is asked about it, and the talk that comes between."""

    told: tuple[str, ...]
    questions: tuple[Question, ...]
    small_talk: tuple[str, ...]


@click.command("check-memory", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--limit", "limit_chars", default=220, show_default=True, help="Most characters of the block.")
@click.option(
    "--after", "distances", multiple=True, type=click.IntRange(0), metavar="TURNS",
    help="Turns of small talk before the questions; may be repeated. [default: 3 8 15 50 500]",
)  # fmt: skip
@click.option("--least", default=0.0, metavar="PERCENT", help="End with status 1 when any share is below this.")
@click.option("--misses", is_flag=True, help="Show the questions of which the answer did not stand in the block.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def check_memory(
    file: Path, *, limit_chars: int, distances: tuple[int, ...], least: float, misses: bool, as_json: bool
) -> None:
    """Tell an empty memory the things of FILE, then small talk, and ask for each: directly, by a link, in reverse.

    Needs no daemon and no model: an answer counts when one of its words stands in the block. FILE is TOML with the
    parts `small_talk` and `[[thing]]`, each with `told` and with `direct`, `linked` and `reverse`, of which any may
    be missing; a mistake in it shows an example.
    """
    conversation = _read(file)
    rows, missed = {}, []
    for distance in distances or DISTANCES:
        shares, lost = _play(conversation, distance, limit_chars, _new_memory())
        rows[distance] = shares
        missed += [(distance, question, block) for question, block in lost]
    _show(rows, as_json=as_json)
    for distance, question, block in missed if misses and not as_json else ():
        click.echo(f"\nafter {distance}, {question.level}: {question.ask}\n  wanted: {' | '.join(question.held)}")
        click.echo("".join(f"  │ {line}\n" for line in block.splitlines()) or "  │ (empty)\n", nl=False)
    if any(share < least for shares in rows.values() for share in shares.values()):
        sys.exit(1)


def _new_memory() -> Memory:
    settings = read_settings()
    language = settings.language
    return Memory(language.languages, language.packs, folders=language.folders, options=settings.memory)


def _play(
    conversation: Conversation, distance: int, limit_chars: int, memory: Memory
) -> tuple[dict[str, float], list[tuple[Question, str]]]:
    """Return level → share held in percent, and the questions that were not answered with their blocks."""
    now = BEGIN
    for text in (*conversation.told, *islice(cycle(conversation.small_talk), distance)):
        memory.observe("user", text, at=now)
        now += TURN
    asked: dict[str, list[bool]] = {}
    lost = []
    for question in conversation.questions:
        block = memory.context(question.ask, limit_chars=limit_chars, now=now).text
        held = any(words.casefold() in block.casefold() for words in question.held)
        asked.setdefault(question.level, []).append(held)
        if not held:
            lost.append((question, block))
    return {level: round(100 * sum(asked[level]) / len(asked[level]), 1) for level in LEVELS if level in asked}, lost


def _show(rows: dict[int, dict[str, float]], *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({str(distance): shares for distance, shares in rows.items()}, indent=1))
        return
    levels = [level for level in LEVELS if any(level in shares for shares in rows.values())]
    click.echo(f"{'turns later':>11}  " + "  ".join(f"{level:>8}" for level in levels))
    for distance, shares in rows.items():
        click.echo(f"{distance:>11}  " + "  ".join(f"{shares[level]:>6.1f} %" for level in levels))


def _read(file: Path) -> Conversation:
    try:
        table = tomllib.loads(file.read_text("utf-8"))
        talk = tuple(_texts(table.get("small_talk", [])))
        things = [_thing(one) for one in table["thing"]]
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError, TypeError, AttributeError):
        raise click.UsageError(f"{file} is not written as it should be. An example:\n{SHAPE}") from None
    if not talk:
        raise click.UsageError(f'{file}: small_talk is empty; what is said in between? small_talk = ["It rained."]')
    told = tuple(text for texts, _ in things for text in texts)
    return Conversation(told, tuple(one for _, questions in things for one in questions), talk)


def _thing(table: dict[str, Any]) -> tuple[tuple[str, ...], tuple[Question, ...]]:
    questions = [
        Question(level, _text(table[level]["ask"]), tuple(_texts(table[level]["held"])))
        for level in LEVELS
        if level in table
    ]
    return tuple(_texts(table["told"])), tuple(questions)


def _texts(value: Any) -> Iterator[str]:
    yield from map(_text, [value] if isinstance(value, str) else value)


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise TypeError
    return value
