"""`packs`: which languages and domains there are."""

from __future__ import annotations

import click

from claudemem_edge.language.load import known_packs
from claudemem_edge.settings import read_settings


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
def packs() -> None:
    """List the language and domain packs, the owner's own among them."""
    for language, pack, title in known_packs(read_settings().language.folders):
        click.echo(f"{language}/{pack}\t{title}")
