"""The command line. Each command is a file of its own, imported when it is called."""

from __future__ import annotations

import importlib

import click

from claudemem_edge import __version__

COMMANDS = {
    "run": ("run", "Run the daemon in the foreground."),
    "chat": ("chat", "Talk to a model that remembers; starts all it needs when no daemon answers."),
    "say": ("say", "Say one thing to the running daemon and print the answer."),
    "explain": ("explain", "Show what is understood of a sentence, what it changes, and the block it would get."),
    "check-memory": ("check_memory", "Tell things, talk on, and ask for them: the share that is still held."),
    "show": ("show", "Show what the running daemon remembers."),
    "forget": ("forget", "Let the running daemon forget something, or everything."),
    "doctor": ("doctor", "Look for what stands in the way, and say what to type."),
    "schema": ("schema", "Print what the doors take and give: OpenAPI, AsyncAPI."),
    "packs": ("packs", "List the language and domain packs."),
}


class LazyGroup(click.Group):
    """A group that lists its commands without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's signature)
        """Return the names in the order of a first day's use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 (click's signature)
        """Import one command; None when there is none of this name."""
        if cmd_name not in COMMANDS:
            return None
        module, _ = COMMANDS[cmd_name]
        command = getattr(importlib.import_module(f"claudemem_edge.cli.{module}"), module)
        return command if isinstance(command, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 (click's signature)
        """Write the list from the table above, so that --help imports nothing."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_text) for name, (_, help_text) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="claudemem-edge")
def main() -> None:
    """Memory for small local language models: offline, all in RAM, Chinese and English alike."""
