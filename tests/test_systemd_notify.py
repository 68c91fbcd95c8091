"""The line to systemd, heard on a real datagram socket."""

from __future__ import annotations

import os
import secrets
import socket
from typing import TYPE_CHECKING

import pytest

from claudemem_edge.systemd_notify import SystemdNotify

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Manager:
    """A service manager's end of the line."""

    def __init__(self, address: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(address.replace("@", "\0", 1) if address.startswith("@") else address)
        self.socket.settimeout(5)
        self.environ = {"NOTIFY_SOCKET": address}

    def heard(self) -> list[str]:
        return self.socket.recv(4096).decode().split("\n")


@pytest.fixture(params=["path", "abstract"])
def manager(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Manager]:
    address = str(tmp_path / "notify") if request.param == "path" else f"@claudemem-test-{secrets.token_hex(8)}"
    manager = Manager(address)
    yield manager
    manager.socket.close()


def test_says_ready_with_status_in_one_datagram(manager: Manager) -> None:
    assert SystemdNotify(manager.environ).ready("listening")
    assert manager.heard() == ["READY=1", "STATUS=listening"]


def test_says_alive_and_stopping(manager: Manager) -> None:
    line = SystemdNotify(manager.environ)
    assert line.watchdog()
    assert line.stopping()
    assert [manager.heard(), manager.heard()] == [["WATCHDOG=1"], ["STOPPING=1"]]


def test_a_status_of_several_lines_cannot_become_another_order(manager: Manager) -> None:
    assert SystemdNotify(manager.environ).status("model down\nMAINPID=1\n")
    assert manager.heard() == ["STATUS=model down MAINPID=1"]


@pytest.mark.parametrize("environ", [{}, {"NOTIFY_SOCKET": ""}, {"NOTIFY_SOCKET": "vsock:2:1"}])
def test_says_nothing_outside_systemd(environ: dict[str, str]) -> None:
    line = SystemdNotify(environ | {"WATCHDOG_USEC": "3000000"})
    assert not line
    assert not line.ready()
    assert line.watchdog_s == 0.0


def test_a_vanished_manager_is_no_error(tmp_path: Path) -> None:
    line = SystemdNotify({"NOTIFY_SOCKET": str(tmp_path / "gone")})
    assert line
    assert not line.watchdog()


def test_a_manager_that_does_not_read_makes_nobody_wait(manager: Manager) -> None:
    line = SystemdNotify(manager.environ)
    taken = 0
    while line.watchdog():
        taken += 1
        assert taken < 100_000
    assert manager.heard() == ["WATCHDOG=1"]


@pytest.mark.parametrize(
    ("extra", "expected_s"),
    [
        ({"WATCHDOG_USEC": "30000000"}, 30.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": str(os.getpid())}, 30.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"}, 0.0),
        ({"WATCHDOG_USEC": "soon"}, 0.0),
        ({}, 0.0),
    ],
)
def test_knows_how_long_the_watchdog_waits(manager: Manager, extra: dict[str, str], expected_s: float) -> None:
    assert SystemdNotify(manager.environ | extra).watchdog_s == expected_s
