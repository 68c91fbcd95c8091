"""`explain`: what is understood of sentences, what they change, and the block the last one would get."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import click

from claudemem_edge.cli.render import dim
from claudemem_edge.memory import Memory
from claudemem_edge.settings import read_settings

if TYPE_CHECKING:
    from claudemem_edge.shapes.outcome import Outcome
    from claudemem_edge.shapes.reading import Reading


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("sentences", nargs=-1, required=True)
@click.option("--speaker", default="user", show_default=True, help="Who says it: user, assistant, event, or a name.")
@click.option("--at", "at_text", default="", metavar="TIME", help="When it is said, as 2026-03-11T09:40.")
@click.option("--limit", "limit_chars", default=220, show_default=True, help="Most characters of the block.")
def explain(sentences: tuple[str, ...], speaker: str, at_text: str, limit_chars: int) -> None:
    """Say SENTENCES in order to an empty memory and show, for each, what is understood and what changes.

    Needs no daemon and no model. The block shown is the one the last sentence would get as a question.
    """
    settings = read_settings()
    now = datetime.fromisoformat(at_text) if at_text else datetime.now(settings.zone())
    now = now if now.tzinfo else now.replace(tzinfo=settings.zone())
    language = settings.language
    memory = Memory(language.languages, language.packs, folders=language.folders, options=settings.memory)
    for sentence in sentences:
        click.echo(click.style(sentence, bold=True))
        _reading(memory.explain(sentence, at=now))
        _outcome(memory.observe(speaker, sentence, at=now))
    context = memory.context(sentences[-1], limit_chars=limit_chars, now=now)
    click.echo(dim("block"))
    for line in context.lines:
        click.echo(f"  │ {line.text}" + dim(f"   ← {line.kind}, turn {line.turns}, {line.score:.2f}"))
    if not context.lines:
        click.echo("  (nothing relevant: empty)")


def _reading(reading: Reading) -> None:
    _row("language", reading.utterance.language or "none of the packs")
    for command in reading.commands:
        _row("command", f"{command.kind} {command.argument}".strip(), command.rule)
    for draft in reading.reminders:
        when = draft.time.text if draft.time else draft.trigger or ("not understood" if draft.unclear else "no time")
        _row("reminder", f"{draft.text} ({when})", draft.rule)
    for mention in reading.times:
        until = f" … {mention.end.isoformat()}" if mention.end else ""
        start = mention.start.isoformat() if mention.start else ""
        more = mention.recurrence or (f"{mention.duration_s} s" if mention.duration_s else "")
        unsure = " ambiguous" if mention.ambiguous else ""
        _row("time", f"{mention.text} = {start}{until} {more}{unsure}".rstrip(), mention.rule)
    for name in reading.mentions:
        _row("mention", f"{name.name} ({name.kind})", name.rule)
    for reference in reading.references:
        _row("reference", f"{reference.word} → {reference.kind or 'anything'}", reference.rule)
    for claim in reading.claims:
        flags = " denied" * claim.denies + " corrects" * claim.corrects
        _row("claim", f"{claim.subject} · {claim.predicate} · {claim.object}{flags}", claim.rule)
    if reading.attitude:
        _row("attitude", f"{reading.attitude:+.1f}")


def _outcome(outcome: Outcome) -> None:
    for change in outcome.changed:
        detail = ", ".join(f"{key}: {value}" for key, value in change.detail)
        _row(change.kind, f"{change.record} {change.id} {detail}".rstrip())
    if outcome.say:
        _row("say", outcome.say)


def _row(kind: str, text: str, rule: str = "") -> None:
    click.echo(f"  {kind:<10} {text}" + (dim(f"   [{rule}]") if rule else ""))
