"""`say`: one utterance to the running daemon."""

from __future__ import annotations

import sys

import click

from claudemem_edge.cli import render
from claudemem_edge.cli.client import connect, scope_option, socket_option
from claudemem_edge.cli.words import Words


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("text")
@socket_option
@scope_option
@click.option("-q", "--quiet", is_flag=True, help="Do not show the block below the answer.")
def say(text: str, socket: str, scope: str, *, quiet: bool) -> None:
    """Say one thing to the running daemon and print the answer as it comes.

    Ends with status 0 only if it was answered.
    """
    answered = render.reply(connect(socket).say(scope, text), Words(), quiet=quiet)
    sys.exit(0 if answered else 1)
