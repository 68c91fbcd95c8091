"""A real daemon as a child, with a socket that tells when it is ready, a broker and a stand-in for Ollama."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks._measure import installed

if TYPE_CHECKING:
    from collections.abc import Iterator

ANSWER = (
    b'{"model":"m","created_at":"2026-03-11T00:00:00Z","message":{"role":"assistant","content":"Yes."},"done":false}\n'
    b'{"model":"m","created_at":"2026-03-11T00:00:00Z","message":{"role":"assistant","content":""},"done":true}\n'
)
LISTING = b'{"models":[{"name":"m","model":"m","digest":"0","size":1,"details":{"family":"llama"}}]}'


class Daemon(NamedTuple):
    """A running daemon: its process, its socket, and how long it took to be ready."""

    process: subprocess.Popen[bytes]
    path: Path
    ready_s: float


@contextlib.contextmanager
def daemon(*options: str, mqtt_port: int = 0) -> Iterator[Daemon]:
    """Start a daemon and wait for its READY."""
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
        notify.bind(f"{folder}/notify.sock")
        notify.settimeout(30)
        path = Path(folder) / "api.sock"
        environment = {
            **os.environ,
            "NOTIFY_SOCKET": f"{folder}/notify.sock",
            "CLAUDEMEM_LOG__LEVEL": "error",
        }
        command = [sys.executable, "-m", "claudemem_edge", "run", "--socket", str(path), "--no-tcp", *options]
        if mqtt_port:
            command += ["--mqtt", f"127.0.0.1:{mqtt_port}"]
        home = installed()
        begun = time.monotonic()
        process = subprocess.Popen(command, env=environment, cwd=home)
        try:
            while b"READY=1" not in notify.recv(4096):
                pass
            yield Daemon(process, path, time.monotonic() - begun)
        finally:
            process.terminate()
            process.wait()


@contextlib.contextmanager
def broker() -> Iterator[int]:
    """Start a mosquitto without Nagle's delay and yield its port."""
    with socket.socket() as probe, tempfile.TemporaryDirectory() as folder:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        config = Path(folder) / "mosquitto.conf"
        config.write_text(
            f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\nset_tcp_nodelay true\nuser root\n"
        )
        environment = {**os.environ, "PATH": f"{os.environ['PATH']}:/usr/sbin"}
        process = subprocess.Popen(["mosquitto", "-c", str(config)], env=environment, stderr=subprocess.DEVNULL)
        try:
            for _ in range(200):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                time.sleep(0.05)
            yield port
        finally:
            process.terminate()
            process.wait()


@contextlib.contextmanager
def model() -> Iterator[str]:
    """Serve a model that always says yes; yield its URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._reply(LISTING if "tags" in self.path or "ps" in self.path else b'{"version":"0.0.0"}')

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            self._reply(ANSWER)

        def _reply(self, body: bytes) -> None:
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
