"""Calls the daemon over its Unix socket, for the commands that need one."""

from __future__ import annotations

import json
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import click
import httpx

from claudemem_edge.transport.address import socket_path

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

CONNECT_TIMEOUT_S = 3.0
ANSWER_TIMEOUT_S = 300.0


class DaemonClient:
    """One daemon, by the path of its socket. Ends the command with a helpful sentence when it does not answer."""

    def __init__(self, socket: Path) -> None:
        self.socket = socket
        self._http = httpx.Client(
            transport=httpx.HTTPTransport(uds=str(socket)),
            base_url="http://claudemem-edge",
            timeout=httpx.Timeout(ANSWER_TIMEOUT_S, connect=CONNECT_TIMEOUT_S),
            trust_env=False,
        )

    def alive(self) -> bool:
        """Tell whether a daemon answers there."""
        try:
            return self._http.get("/health", timeout=CONNECT_TIMEOUT_S).status_code < httpx.codes.INTERNAL_SERVER_ERROR
        except httpx.HTTPError:
            return False

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the JSON answer of one call. Raises click.ClickException with the daemon's own sentence."""
        with self._told():
            answer = self._http.request(method, path, json=body)
        found = answer.json()
        if answer.is_error:
            raise click.ClickException(_sentence(found))
        return dict(found)

    def say(self, scope: str, text: str, *, language: str = "") -> Generator[dict[str, Any], None, None]:
        """Say something and give the turn's events; closing the iterator cancels the turn."""
        body = {"text": text, "language": language, "device": "terminal"}
        with self._told(), self._http.stream("POST", f"/memory/{scope}/say", json=body) as answer:
            if answer.is_error:
                raise click.ClickException(_sentence(json.loads(answer.read())))
            for line in answer.iter_lines():
                if line:
                    yield json.loads(line)

    def notices(self, scope: str) -> Iterator[dict[str, Any]]:
        """Give due items as they come, until the daemon ends."""
        with (
            suppress(httpx.HTTPError, ValueError),
            self._http.stream("GET", f"/memory/{scope}/events", timeout=None) as answer,
        ):
            for line in answer.iter_lines():
                if line:
                    yield json.loads(line)

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (httpx.HTTPError, ValueError):
            raise click.ClickException(
                f"no daemon answers at {self.socket}. Start one with: claudemem-edge run"
            ) from None


def _sentence(body: dict[str, Any]) -> str:
    error = body.get("error", {})
    if isinstance(error, str):
        return error
    return " ".join(part for part in (f"{error.get('text', 'it failed')}.", error.get("hint", "")) if part)


def connect(socket: str) -> DaemonClient:
    """Return a client for the daemon at this socket, or at the usual place."""
    return DaemonClient(socket_path(socket))


socket_option = click.option("--socket", default="", metavar="PATH", help="The daemon's Unix socket.")
scope_option = click.option(
    "--scope", default="default", show_default=True, help="Whose memory: a person, a room, a visit."
)
