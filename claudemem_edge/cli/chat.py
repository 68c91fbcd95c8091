"""`chat`: talk in a terminal to a model that remembers."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from claudemem_edge.cli import render
from claudemem_edge.cli.client import connect, scope_option, socket_option
from claudemem_edge.cli.companions import Companions, find_model
from claudemem_edge.settings import read_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from claudemem_edge.cli.client import DaemonClient

WELCOME = "Say something. Ctrl-C stops an answer, Ctrl-D ends. Dim lines show what the model was given, and from where."


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
    with ExitStack() as stack:
        client = connect(socket)
        if not client.alive():
            companions = stack.enter_context(Companions())
            chinese = chinese or os.environ.get("LANG", "").lower().startswith("zh")
            options = find_model(companions, read_settings().model.urls, model, chinese=chinese)
            client = companions.daemon(*options)
        if sentences:
            sys.exit(0 if _say_all(client, scope, sentences, quiet=quiet) else 1)
        _talk(client, scope, quiet=quiet)


def _say_all(client: DaemonClient, scope: str, sentences: Sequence[str], *, quiet: bool) -> bool:
    answered = True
    for sentence in sentences:
        click.echo(click.style(f"> {sentence}", bold=True))
        answered = render.reply(client.say(scope, sentence), quiet=quiet) and answered
    return answered


def _talk(client: DaemonClient, scope: str, *, quiet: bool) -> None:
    import readline  # noqa: F401 (gives the prompt its arrow keys; its history stays in memory)

    click.echo(render.dim(WELCOME))
    threading.Thread(target=_announce, args=(client, scope), daemon=True).start()
    while True:
        try:
            text = input("> ").strip()
        except (EOFError, KeyboardInterrupt):
            click.echo()
            return
        if not text:
            continue
        events = client.say(scope, text)
        try:
            render.reply(events, quiet=quiet)
        except KeyboardInterrupt:
            events.close()  # hangs up, and so stops the model
            click.echo(render.dim(" (stopped)"))
        except click.ClickException as error:
            error.show()


def _announce(client: DaemonClient, scope: str) -> None:
    """Print due reminders while the prompt waits."""
    for notice in client.notices(scope):
        click.echo(f"\a\n⏰ {notice['text']} ({notice['due'][:16].replace('T', ' ')})")
