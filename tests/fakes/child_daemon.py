"""The daemon as its own process, with what it tells the service manager and what it logs."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import httpx

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

WAIT_S = 30
PROGRAM = ("-m", "claudemem_edge")


class Child:
    """A daemon whose socket lies in `folder`. `program` is what Python runs before the arguments of `run`."""

    def __init__(
        self,
        folder: Path,
        *options: str,
        program: Sequence[str] = PROGRAM,
        **environment: str,
    ) -> None:
        self.path = folder / "api.sock"
        self._notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._notify.bind(str(folder / "notify.sock"))
        (folder / "notify.sock").chmod(0o666)  # a program may become another user
        self._notify.settimeout(WAIT_S)
        known = {"NOTIFY_SOCKET": str(folder / "notify.sock"), "XDG_CONFIG_HOME": str(folder), **environment}
        self.process = subprocess.Popen(
            [sys.executable, "-B", *program, "run", "--socket", str(self.path), *options],
            env={**os.environ, **known},
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._logged: list[str] = []
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        self._logged.extend(self.process.stderr)

    def hears(self, word: str) -> str:
        """Return the first datagram from here on that holds a word."""
        while word not in (told := self._notify.recv(4096).decode()):
            pass
        return told

    def heard(self) -> list[str]:
        """Return the datagrams that have come by now."""
        told: list[str] = []
        self._notify.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                told.append(self._notify.recv(4096).decode())
        self._notify.settimeout(WAIT_S)
        return told

    def logs(self, words: str, times: int = 1) -> None:
        """Wait until a line with these words was logged so many times."""
        deadline_s = time.monotonic() + WAIT_S
        while sum(words in line for line in self._logged) < times:
            assert time.monotonic() < deadline_s, self._logged
            time.sleep(0.02)

    def http(self) -> httpx.Client:
        return httpx.Client(transport=httpx.HTTPTransport(uds=str(self.path)), base_url="http://x", timeout=WAIT_S)

    def ends(self) -> tuple[int, str]:
        """Wait for the end; return the exit status and what was logged."""
        status = self.process.wait(WAIT_S)
        self._reading.join(WAIT_S)
        return status, "".join(self._logged)

    def close(self) -> None:
        self._notify.close()
        self.process.kill()
        self.process.wait()
        self._reading.join(WAIT_S)
        for stream in (self.process.stdin, self.process.stderr):
            assert stream is not None
            stream.close()
