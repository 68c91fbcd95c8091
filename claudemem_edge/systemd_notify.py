"""What passes between the service manager and us: how we are, and the sockets it hands over. Silent outside systemd."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, MutableMapping

_STATUS_CHARS = 200
_FIRST_FD = 3


def _address(environ: Mapping[str, str]) -> str:
    """Return the address of the service manager's datagram socket, or "" when there is none we can use."""
    named = environ.get("NOTIFY_SOCKET", "")
    if named.startswith("@"):
        return "\0" + named[1:]
    return named if named.startswith("/") else ""


def _watchdog_s(environ: Mapping[str, str], pid: int) -> float:
    """Return the seconds after which the manager gives us up, or 0.0 when it does not watch this process."""
    meant_for = environ.get("WATCHDOG_PID", "")
    if meant_for and meant_for != str(pid):
        return 0.0
    spoken = environ.get("WATCHDOG_USEC", "")
    return int(spoken) / 1e6 if spoken.isascii() and spoken.isdigit() else 0.0


class SystemdNotify:
    """The line to the service manager. Each call sends one datagram, never waits, and says whether it was taken."""

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        environ = os.environ if environ is None else environ
        self._address = _address(environ)
        self.watchdog_s = _watchdog_s(environ, os.getpid()) if self._address else 0.0
        """Seconds within which `watchdog` must be called again; 0.0 when nobody watches."""

    def __bool__(self) -> bool:
        return bool(self._address)

    def ready(self, status: str = "") -> bool:
        """Say that requests are answered from now on."""
        return self._send("READY=1", *_status_line(status))

    def watchdog(self, status: str = "") -> bool:
        """Say that we are well. To be called only after a self-test that would have failed otherwise."""
        return self._send("WATCHDOG=1", *_status_line(status))

    def status(self, text: str) -> bool:
        """Say in one line how things are; `systemctl status` shows it. No words of a user belong here."""
        return self._send(*_status_line(text))

    def stopping(self, status: str = "") -> bool:
        """Say that we are on the way out, so that nobody restarts us meanwhile."""
        return self._send("STOPPING=1", *_status_line(status))

    def _send(self, *lines: str) -> bool:
        if not self._address or not lines:
            return False
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK) as line:
                line.sendto("\n".join(lines).encode(), self._address)
        except OSError:
            return False
        return True


def _status_line(text: str) -> tuple[str, ...]:
    """Return the STATUS line of a text: one line, whatever the text holds."""
    one_line = " ".join(text.split())[:_STATUS_CHARS]
    return (f"STATUS={one_line}",) if one_line else ()


def take_sockets(environ: MutableMapping[str, str] | None = None) -> list[socket.socket]:
    """Return the sockets that the service manager opened for this process; a second call finds none.

    What is no socket is left alone. Their names are not looked at: what a socket is can be asked of the socket.
    """
    environ = os.environ if environ is None else environ
    meant_for, count = environ.pop("LISTEN_PID", ""), environ.pop("LISTEN_FDS", "")
    environ.pop("LISTEN_FDNAMES", None)
    if meant_for != str(os.getpid()) or not (count.isascii() and count.isdigit()):
        return []
    found = (_socket(number) for number in range(_FIRST_FD, _FIRST_FD + int(count)))
    return [one for one in found if one is not None]


def _socket(number: int) -> socket.socket | None:
    try:
        found = socket.socket(fileno=number)
    except OSError:
        return None
    found.set_inheritable(False)
    found.setblocking(False)
    return found
