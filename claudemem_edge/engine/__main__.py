"""The embedded engine as a program: `python -m claudemem_edge.engine --socket PATH`."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import errno
import os
import signal
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import uvicorn

from claudemem_edge.engine.api import build_app
from claudemem_edge.engine.llama import Llama, load
from claudemem_edge.engine.processor import check_processor
from claudemem_edge.engine.weights import find_weights
from claudemem_edge.errors import EdgeError
from claudemem_edge.hardening import close_to_others
from claudemem_edge.systemd_notify import SystemdNotify, take_sockets

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

EX_CONFIG = 78
STDIN = 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Load the model, then listen; return the exit status."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    sockets = take_sockets()
    if not sockets and chosen.socket is None:
        parser.error("--socket is required, unless the service manager hands over one")
    if chosen.with_parent:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C at the parent's terminal is meant for the parent
    close_to_others()
    os.environ.setdefault("GOMP_SPINCOUNT", "0")  # a thread that waits must not burn the core the others need
    try:
        check_processor()
        weights = find_weights(chosen.model, chosen.cache, chinese=chosen.chinese)
        context_tokens = min(chosen.context_tokens, weights.context_tokens or chosen.context_tokens)
        _tell(f"loading {weights.name} ({weights.size_bytes / 1e6:.0f} MB), {chosen.threads} thread(s)")
        server = load(
            weights, threads=chosen.threads, context_tokens=context_tokens, prompt_cache_mib=chosen.prompt_cache_mib
        )
        ours = [] if sockets else [bind(chosen.socket, chosen.mode)]
    except EdgeError as error:
        _tell(f"{error.message}. {error.hint}".strip())
        return EX_CONFIG
    except OSError as error:
        _tell(f"cannot listen on {chosen.socket}: {error.strerror}")
        return EX_CONFIG
    app = build_app(Llama(server), weights, context_tokens)
    config = uvicorn.Config(
        app, lifespan="off", access_log=False, log_level="warning", timeout_graceful_shutdown=2, backlog=64
    )
    asyncio.run(_serve(_Server(config, weights.name), sockets or ours, with_parent=chosen.with_parent))
    if ours:
        chosen.socket.unlink(missing_ok=True)
    return 0


class _Server(uvicorn.Server):
    """Ends quietly on SIGTERM and Ctrl-C, where uvicorn would raise the signal once more against itself."""

    def __init__(self, config: uvicorn.Config, model: str) -> None:
        super().__init__(config)
        self._model = model
        self._systemd = SystemdNotify()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and say so: whoever started this program waits for that line."""
        await super().startup(sockets)
        _tell(f"serving {self._model}")
        self._systemd.ready(f"serving {self._model}")

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Say that no more is answered, then stop."""
        self._systemd.stopping()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            if signal.getsignal(number) is not signal.SIG_IGN:
                loop.add_signal_handler(number, self.handle_exit, number, None)
        yield


async def _serve(server: uvicorn.Server, sockets: list[socket.socket], *, with_parent: bool) -> None:
    def parent_wrote() -> None:
        if not os.read(STDIN, 4096):
            asyncio.get_running_loop().remove_reader(STDIN)
            server.should_exit = True

    if with_parent:
        asyncio.get_running_loop().add_reader(STDIN, parent_wrote)
    await server.serve(sockets=sockets)


def bind(path: Path, mode: int) -> socket.socket:
    """Return a socket bound at `path` with its mode from birth. Raises OSError when somebody serves there already."""
    with socket.socket(socket.AF_UNIX) as probe:
        if probe.connect_ex(str(path)) == 0:
            raise OSError(errno.EADDRINUSE, "another program serves there")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    mask = os.umask(0o777 & ~mode)
    try:
        listener.bind(str(path))
    finally:
        os.umask(mask)
    return listener


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m claudemem_edge.engine",
        description="A small language model on a Unix socket, spoken to as Ollama is.",
    )
    cache = os.environ.get("CACHE_DIRECTORY") or os.path.expandvars("${XDG_CACHE_HOME}")
    cache_default = Path(cache if cache.startswith("/") else Path.home() / ".cache") / "claudemem-edge"
    add = parser.add_argument
    add("--socket", type=Path, help="where to listen; systemd's socket unit stands in for it")
    add(
        "--mode",
        type=lambda text: int(text, 8),
        default=0o600,
        metavar="OCTAL",
        help="permissions of the socket, octal (600)",
    )
    add("--model", default="", help="a file.gguf, an installed model package or a model's name (the first installed)")
    add("--chinese", action="store_true", help="without --model: rather a model that reads Chinese")
    add("--threads", type=int, default=max(1, (os.cpu_count() or 2) - 1), help="threads to think with (cores - 1)")
    add("--context-tokens", type=int, default=2048, help="tokens of prompt and answer together (2048)")
    add("--prompt-cache-mib", type=int, default=64, help="memory for prompts of other conversations (64)")
    add("--cache", type=Path, default=cache_default, help=f"where a model in parts is put together ({cache_default})")
    add(
        "--with-parent", action="store_true", help="end when standard input ends: when the program that started it does"
    )
    return parser


def _tell(text: str) -> None:
    print(f"engine: {text}", file=sys.stderr, flush=True)  # noqa: T201  its one way to tell the unit's journal


if __name__ == "__main__":
    sys.exit(main())
