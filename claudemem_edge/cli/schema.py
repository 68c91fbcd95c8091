"""Print what the doors take and give, for whoever writes a client."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from claudemem_edge.transport.schema import Name


@click.command()
@click.argument("name", type=click.Choice(["openapi", "asyncapi"]), default="openapi")
def schema(name: Name) -> None:
    """Print the schema of the HTTP routes (openapi) or of the MQTT topics (asyncapi) as JSON.

    No daemon is needed. A running one serves the same at /openapi.json and /asyncapi.json.
    """
    from claudemem_edge.transport.schema import schema_bytes

    click.echo(schema_bytes(name), nl=False)
