"""`doctor`: what stands in the way, and what to type."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from claudemem_edge.cli.client import socket_option
from claudemem_edge.cli.render import Waiting, dim
from claudemem_edge.cli.words import chinese_locale, sentences

if TYPE_CHECKING:
    from claudemem_edge.doctor.finding import Finding

    Report = list[tuple[str, list[Finding]]]

MARKS = {"ok": ("✓", "green"), "hint": ("·", "blue"), "warning": ("!", "yellow"), "problem": ("✗", "red")}
QUICK_RESOLVER = "timeout:2 attempts:1"
"""For the system's resolver: a name server that is silent must not keep the command from ending."""


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@socket_option
@click.option(
    "--model", default="", metavar="NAME", help="Find out by twenty questions how this model wants its block."
)
@click.option("--model-url", "model_urls", multiple=True, metavar="URL", help="Where the model answers.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Leave out what is fine.")
def doctor(*, socket: str, model: str, model_urls: tuple[str, ...], as_json: bool, quiet: bool) -> None:
    """Look at everything the daemon leans on, and say what to type where it is not well.

    The model is asked one sum, and the broker gets a few empty messages. Ends with status 1 if there is a problem.
    With --model nothing else is looked at, and a profile is proposed.
    """
    from claudemem_edge.doctor.examine import examine, installation

    os.environ.setdefault("RES_OPTIONS", QUICK_RESOLVER)
    texts = sentences("doctor.toml", chinese=chinese_locale(os.environ))
    it = installation(socket=socket, overrides={"model": {"urls": model_urls}} if model_urls else None)
    if model:
        from claudemem_edge.cli.doctor_model import interview

        interview(it.settings, model, texts["trial"], as_json=as_json)
        return
    with Waiting():
        report = asyncio.run(examine(it))
    if as_json:
        click.echo(json.dumps(_rows(report, texts), ensure_ascii=False, indent=2))
    else:
        _show(report, texts, quiet=quiet)
    sys.exit(any(finding.grade == "problem" for _, findings in report for finding in findings))


def _rows(report: Report, texts: dict[str, Any]) -> list[dict[str, object]]:
    return [
        {
            "check": name,
            "code": finding.code,
            "grade": finding.grade,
            "found": _found(finding, texts),
            "why": texts["why"].get(finding.code, ""),
            "type": list(finding.commands),
        }
        for name, findings in report
        for finding in findings
    ]


def _found(finding: Finding, texts: dict[str, Any]) -> str:
    return str(texts["found"][finding.code]).format(**finding.values)


def _show(report: Report, texts: dict[str, Any], *, quiet: bool) -> None:
    for name, findings in report:
        shown = [finding for finding in findings if not (quiet and finding.grade == "ok")]
        if shown:
            click.echo(click.style(texts["titles"][name], bold=True))
        for finding in shown:
            _line(finding, texts)
    counts = Counter(str(finding.grade) for _, findings in report for finding in findings)
    click.echo(texts["sum"].format(**{grade: counts[grade] for grade in MARKS}))


def _line(finding: Finding, texts: dict[str, Any]) -> None:
    mark, colour = MARKS[finding.grade]
    click.echo(f"  {click.style(mark, fg=colour)} {_found(finding, texts)}")
    if finding.grade != "ok":
        click.echo(dim(f"      {texts['why_head']} {texts['why'][finding.code]}"))
        for command in finding.commands:
            click.echo(f"      {texts['type_head']} {click.style(command, bold=True)}")
