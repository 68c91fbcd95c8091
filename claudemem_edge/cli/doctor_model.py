"""`doctor --model`: the questions put to a model, the table of what was tried, and the profile to paste."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace
from importlib import resources
from typing import TYPE_CHECKING

import click

from claudemem_edge.cli.render import dim
from claudemem_edge.doctor.propose import Proposal, Row, propose
from claudemem_edge.errors import EdgeError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from claudemem_edge.settings import Settings

WIDTH = 22


def interview(settings: Settings, model: str, texts: Mapping[str, str], *, as_json: bool) -> None:
    """Ask, and print each way that was tried as it is done. Raises click.ClickException."""
    languages = settings.language.languages
    if not as_json:
        click.echo(dim(texts["begin"].format(model=model)))

    def tried(row: Row) -> None:
        if not as_json:
            click.echo(_cells(row.tried, *(f"{code} {count}" for code, count in row.right.items()), str(row.total)))

    try:
        proposal = asyncio.run(propose(replace(settings.model, name=model), languages, tried))
    except EdgeError as error:
        raise click.ClickException(f"{error.message}. {error.hint}".strip()) from None
    if as_json:
        click.echo(json.dumps(_told(proposal), ensure_ascii=False, indent=2))
    else:
        _advise(proposal, texts)


def _cells(first: str, *others: str) -> str:
    return f"  {first:<{WIDTH}}" + "".join(f"{other:>8}" for other in others)


def _told(proposal: Proposal) -> dict[str, object]:
    return {
        "model": proposal.model,
        "questions": dict(proposal.asked),
        "tried": [{"tried": row.tried, "right": dict(row.right), "total": row.total} for row in proposal.rows],
        "present": {"profile": proposal.present, "right": proposal.present_right},
        "proposed": {"right": proposal.best, "toml": proposal.toml},
    }


def _advise(proposal: Proposal, texts: Mapping[str, str]) -> None:
    count = sum(proposal.asked.values())
    values = {"count": count, "present": proposal.present_right, "profile": proposal.present}
    if max(proposal.best, proposal.present_right) * 2 < count:
        click.echo(texts["weak"])
    if proposal.best <= proposal.present_right:
        click.echo(texts["present"].format(**values | {"right": proposal.present_right}))
        click.echo(dim(proposal.toml))
        return
    name = re.sub(r"[^a-z0-9.-]+", "-", proposal.model.lower().rpartition("/")[2])
    path = resources.files("claudemem_edge") / "model" / "profiles" / f"{name}.toml"
    click.echo(texts["better"].format(**values | {"right": proposal.best, "path": path}))
    click.echo(f"\n{proposal.toml}")
