"""`forget`: something, or everything."""

from __future__ import annotations

import click

from claudemem_edge.cli.client import connect, scope_option, socket_option


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("what", type=click.Choice(["last", "task", "topic", "entity", "all"]))
@click.argument("name", default="")
@socket_option
@scope_option
@click.option("--yes", is_flag=True, help="Do not ask before forgetting everything.")
def forget(what: str, name: str, socket: str, scope: str, *, yes: bool) -> None:
    r"""Let the running daemon forget: the last thing said, this task, topic or entity (by NAME), or all.

    \b
    claudemem-edge forget last
    claudemem-edge forget entity Tom
    claudemem-edge forget all --yes
    """
    if what == "entity" and not name:
        raise click.UsageError("name what to forget, as in: claudemem-edge forget entity Tom")
    if what == "all" and not yes:
        click.confirm(f"Forget everything about {scope}?", abort=True)
    body = {"what": what, "key": name, "confirm": what == "all"}
    outcome = connect(socket).call("POST", f"/memory/{scope}/forget", body)
    click.echo(outcome.get("say") or "done")
