"""`show`: what the running daemon remembers."""

from __future__ import annotations

import json
from typing import Any

import click

from claudemem_edge.cli.client import connect, scope_option, socket_option
from claudemem_edge.cli.render import dim


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@socket_option
@scope_option
@click.option("--json", "as_json", is_flag=True, help="Print all of it as JSON.")
@click.option("--statements", is_flag=True, help="Show every statement too.")
def show(socket: str, scope: str, *, as_json: bool, statements: bool) -> None:
    """Show what the running daemon remembers for a scope."""
    view = connect(socket).call("GET", f"/memory/{scope}")
    if as_json:
        click.echo(json.dumps(view, ensure_ascii=False, indent=2))
        return
    click.echo(dim(f"{scope}: {view['turn']} turns, {view.get('size_bytes', 0)} bytes"))
    for claim in view.get("claims", []):
        _claim(claim)
    for item in view.get("items", []):
        click.echo(f"{item['id']}: {item['text']} {dim(' '.join(filter(None, [item['due'], item['state']])))}")
    for statement in view.get("statements", []) if statements else []:
        click.echo(f"{statement['turn']:>4} {statement['speaker']}: {statement['text']}")


def _claim(claim: dict[str, Any]) -> None:
    held = f"{claim['subject']} · {claim['predicate']} · {claim['object']}"
    turns = ", ".join(str(turn) for turn in claim.get("turns", []))
    click.echo((held if claim.get("open", True) else dim(held)) + dim(f"   ← turn {turns}" if turns else ""))
