"""`run`: the daemon in the foreground."""

from __future__ import annotations

import asyncio
import gc
import sys
from typing import Any

import click

from claudemem_edge.errors import PackError, SettingsError


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--socket", default="", metavar="PATH", help="Unix socket to listen on.")
@click.option("--tcp/--no-tcp", default=None, help="Listen on loopback TCP too (127.0.0.1:11535).")
@click.option("--model", default="", metavar="NAME", help='Model to use; "echo" answers without any model.')
@click.option(
    "--model-url", "model_urls", multiple=True, metavar="URL", help="Where the model answers; may be repeated."
)
@click.option("--mqtt", default="", metavar="HOST[:PORT]", help="Connect to this MQTT broker.")
@click.option("--with-parent", is_flag=True, help="Stop when standard input ends.")
@click.option("-v", "--verbose", is_flag=True, help="Log more (never what people say, but with log.log_text).")
def run(
    *,
    socket: str,
    tcp: bool | None,
    model: str,
    model_urls: tuple[str, ...],
    mqtt: str,
    with_parent: bool,
    verbose: bool,
) -> None:
    """Run the daemon in the foreground, until it is interrupted or terminated.

    Settings come from defaults.toml, /etc/claudemem-edge/*.toml, $XDG_CONFIG_HOME/claudemem-edge/*.toml and
    variables such as CLAUDEMEM_MODEL__NAME; the options here win over all of them. Wrong settings end with status 78.
    """
    gc.disable()  # nothing that is loaded now is garbage; the daemon enables it once it is ready
    from claudemem_edge.settings import EX_CONFIG, read_settings

    overrides: dict[str, dict[str, Any]] = {"http": {}, "model": {}, "mqtt": {}, "log": {}}
    if socket:
        overrides["http"]["socket"] = socket
    if tcp is not None:
        overrides["http"]["tcp"] = tcp
    if model == "echo":
        overrides["model"]["echo"] = True
    elif model:
        overrides["model"]["name"] = model
    if model_urls:
        overrides["model"]["urls"] = model_urls
    if mqtt:
        host, _, port = mqtt.partition(":")
        overrides["mqtt"] = {"enabled": True, "host": host, **({"port": port} if port else {})}
    if verbose:
        overrides["log"]["level"] = "debug"
    try:
        settings = read_settings(overrides=overrides)
        from claudemem_edge.daemon import Daemon

        daemon = Daemon(settings)
    except (SettingsError, PackError) as error:
        click.echo(f"claudemem-edge: the settings cannot be used:\n{error}", err=True)
        sys.exit(EX_CONFIG)
    sys.exit(asyncio.run(daemon.run(stop_with_input=with_parent)))
