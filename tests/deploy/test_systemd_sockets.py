"""Sockets that a service manager opens: the real `systemd-socket-activate`, and by hand what it would never do."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import httpx
import pytest
from fakes.child_daemon import WAIT_S, Child

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DAEMON = ("-m", "claudemem_edge", "run", "--no-tcp", "--model", "echo")
HANDED = """
import os, socket, sys
from claudemem_edge.cli import main
{given}
os.environ.update(LISTEN_PID=str(os.getpid() + {aside}), LISTEN_FDS="1")
main()
"""
UNIX = "s = socket.socket(socket.AF_UNIX, socket.{kind}); s.bind({name!r}); assert s.fileno() == 3"
TCP = "s = socket.create_server(({host!r}, 0)); assert s.fileno() == 3"


@contextmanager
def activated(folder: Path, *program: str, listen: tuple[str, ...]) -> Iterator[subprocess.Popen[str]]:
    """Have systemd's own tool listen, and start a program when somebody comes."""
    known = {
        "NOTIFY_SOCKET": str(folder / "notify.sock"),
        "XDG_CONFIG_HOME": str(folder),
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
    }
    settings = [f"--setenv={name}={value}" for name, value in known.items()]
    listens = [f"--listen={address}" for address in listen]
    command = ["systemd-socket-activate", *settings, *listens, sys.executable, "-B", *program]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as child:
        assert child.stderr is not None
        try:
            told = [child.stderr.readline() for _ in listen]
            assert all("Listening on" in line for line in told), told
            yield child
        finally:
            child.kill()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
        return port


def ended(child: subprocess.Popen[str]) -> tuple[int, str]:
    child.send_signal(signal.SIGTERM)
    _, told = child.communicate(timeout=WAIT_S)
    return child.returncode, told


@pytest.fixture
def manager(tmp_path: Path) -> socket.socket:
    """The service manager's end of the line."""
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    listening.bind(str(tmp_path / "notify.sock"))
    listening.settimeout(WAIT_S)
    return listening


def test_the_first_caller_starts_the_daemon_and_is_answered(tmp_path: Path, manager: socket.socket) -> None:
    path, port = tmp_path / "api.sock", free_port()
    with manager, activated(tmp_path, *DAEMON, listen=(str(path), f"127.0.0.1:{port}")) as child:
        over_unix = httpx.HTTPTransport(uds=str(path))
        with httpx.Client(transport=over_unix, base_url="http://x", timeout=WAIT_S) as http:
            assert http.get("/health").json()["status"] == "ok"
        assert httpx.get(f"http://127.0.0.1:{port}/health", timeout=WAIT_S).status_code == 200
        assert manager.recv(4096).startswith(b"READY=1\nSTATUS=0 scope(s)")
        status, told = ended(child)
        assert manager.recv(4096) == b"STOPPING=1"
    assert status == 0, told
    assert f"listening on {path} and http://127.0.0.1:{port}" in told
    assert path.is_socket(), "it is the manager's, for the next daemon"


@pytest.mark.real_model
def test_the_first_caller_starts_the_engine(tmp_path: Path, manager: socket.socket) -> None:
    path = tmp_path / "engine.sock"
    program = ("-m", "claudemem_edge.engine", "--model", "smollm2:135m", "--threads", "1", "--context-tokens", "256")
    with manager, activated(tmp_path, *program, listen=(str(path),)) as child:
        over_unix = httpx.HTTPTransport(uds=str(path))
        with httpx.Client(transport=over_unix, base_url="http://x", timeout=WAIT_S) as http:
            assert [model["name"] for model in http.get("/api/tags").json()["models"]] == ["smollm2:135m"]
        assert manager.recv(4096) == b"READY=1\nSTATUS=serving smollm2:135m"
        status, told = ended(child)
        assert manager.recv(4096) == b"STOPPING=1"
    assert status == 0, told
    assert path.is_socket()


def test_the_engine_needs_a_socket_from_somewhere() -> None:
    refused = subprocess.run(
        [sys.executable, "-B", "-m", "claudemem_edge.engine"], capture_output=True, text=True, check=False
    )
    assert refused.returncode == 2
    assert "--socket is required" in refused.stderr


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (UNIX.format(kind="SOCK_DGRAM", name="there.sock"), "hands over no listening socket"),
        (UNIX.format(kind="SOCK_STREAM", name="there.sock"), "hands over no listening socket"),
        (UNIX.format(kind="SOCK_SEQPACKET", name="there.sock") + "; s.listen()", "hands over no listening socket"),
        (UNIX.format(kind="SOCK_STREAM", name="\0claudemem-edge-test") + "; s.listen()", "open to everybody"),
        (TCP.format(host="0.0.0.0"), "can be reached from elsewhere"),
        (
            UNIX.format(kind="SOCK_STREAM", name="there.sock") + "; s.listen(); os.chmod('there.sock', 0o666)",
            "SocketMode=0660",
        ),
    ],
    ids=["datagrams", "nobody waits", "packets", "abstract", "the whole net", "everybody's file"],
)
def test_a_socket_that_would_not_do_is_refused_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str, sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    child = Child(tmp_path, "--no-tcp", "--model", "echo", program=("-c", HANDED.format(given=given, aside=0)))
    try:
        status, told = child.ends()
    finally:
        child.close()
    assert (status, sentence in told) == (78, True), told
    assert not child.path.exists()


@pytest.mark.parametrize(
    ("given", "aside"),
    [("s = open(os.devnull); assert s.fileno() == 3", 0), (TCP.format(host="0.0.0.0"), 1)],
    ids=["no socket", "meant for somebody else"],
)
def test_what_is_no_socket_for_us_is_left_alone(tmp_path: Path, given: str, aside: int) -> None:
    child = Child(tmp_path, "--no-tcp", "--model", "echo", program=("-c", HANDED.format(given=given, aside=aside)))
    try:
        child.hears("READY=1")
        with child.http() as http:
            assert http.get("/health").status_code == 200
        child.process.terminate()
        status, told = child.ends()
    finally:
        child.close()
    assert status == 0
    assert f"listening on {child.path}\n" in told
