"""`chat`: talk in a terminal to a model that remembers."""

from __future__ import annotations

import signal
import sys
import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from claudemem_edge.cli import render
from claudemem_edge.cli.client import connect, scope_option, socket_option
from claudemem_edge.cli.companions import Companions, find_model, free_address
from claudemem_edge.cli.words import Words
from claudemem_edge.errors import SettingsError
from claudemem_edge.settings import EX_CONFIG, read_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from claudemem_edge.cli.client import DaemonClient

DUE = frozenset({"due", "overdue", "missed"})


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@socket_option
@scope_option
@click.option("--model", default="", metavar="NAME", help='Model to use; "echo" answers without any model.')
@click.option(
    "--chinese", is_flag=True, help="Prefer the embedded model that reads Chinese (the default in a zh locale)."
)
@click.option("-q", "--quiet", is_flag=True, help="Do not show the block below each answer.")
@click.option("--say", "sentences", multiple=True, metavar="TEXT", help="Say this and end; may be repeated, in order.")
def chat(*, socket: str, scope: str, model: str, chinese: bool, quiet: bool, sentences: tuple[str, ...]) -> None:
    """Talk to a model that remembers. Starts all it needs when no daemon answers, and ends it again.

    With --say nothing is asked of a terminal, and the status is 0 only if every sentence was answered.
    """
    words = Words(chinese=chinese or None)
    for number in (signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, _leave)
    with ExitStack() as stack:
        client = connect(socket)
        if client.alive():
            greeting = [words.say("joined")]
        else:
            companions = stack.enter_context(Companions())
            client, greeting = _start(companions, model, scope, words, listen=not sentences)
        if sentences:
            sys.exit(0 if _say_all(client, scope, sentences, words, quiet=quiet) else 1)
        click.echo(render.dim("\n".join([*greeting, words.say("welcome").strip()])))
        _talk(client, scope, words, quiet=quiet)


def _leave(number: int, _: object) -> None:
    """End in order when the window is closed: companions and their folder go too."""
    sys.exit(128 + number)


def _start(
    companions: Companions, model: str, scope: str, words: Words, *, listen: bool
) -> tuple[DaemonClient, list[str]]:
    """Start what is missing; return the client and what there is to tell about it.

    `listen`: on loopback TCP too, so that Ollama clients can join the conversation.
    """
    try:
        settings = read_settings()
    except SettingsError as error:
        click.echo(f"claudemem-edge: the settings cannot be used:\n{error}", err=True)
        sys.exit(EX_CONFIG)
    answerer = find_model(companions, settings.model.urls, model, words)
    address = free_address(settings.http) if listen else ""
    client = companions.daemon("--tcp" if address else "--no-tcp", *answerer.options)
    with render.Waiting():
        companions.wait()
    greeting = [words.say("answers", model=answerer.name())]
    if address:
        greeting.append(words.say("clients", address=address, scope=scope))
    return client, greeting


def _say_all(client: DaemonClient, scope: str, sentences: Sequence[str], words: Words, *, quiet: bool) -> bool:
    answered = True
    for sentence in sentences:
        click.echo(click.style(f"> {sentence}", bold=True))
        answered = render.reply(client.say(scope, sentence), words, quiet=quiet) and answered
    return answered


def _talk(client: DaemonClient, scope: str, words: Words, *, quiet: bool) -> None:
    import readline  # noqa: F401 (gives the prompt its arrow keys; its history stays in memory)

    threading.Thread(target=_announce, args=(client, scope), daemon=True).start()
    while True:
        try:
            text = input("> ").strip()
        except (EOFError, KeyboardInterrupt):
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C must not break into the leaving
            click.echo()
            return
        if not text:
            continue
        events = client.say(scope, text)
        try:
            render.reply(events, words, quiet=quiet)
        except KeyboardInterrupt:
            events.close()  # hangs up, and so stops the model
            click.echo(" " + render.dim(words.say("stopped")))
        except click.ClickException as error:
            error.show()


def _announce(client: DaemonClient, scope: str) -> None:
    """Print what becomes due while the prompt waits, and put back what stands at the prompt."""
    import readline

    for notice in client.notices(scope):
        if notice["event"] in DUE:
            due = notice["due"][:16].replace("T", " ")
            click.echo(f"\a\r\033[K⏰ {notice['text']} ({due})\n> {readline.get_line_buffer()}", nl=False)
