"""Sockets that the service manager opened: taken where we would have opened them ourselves, and refused elsewhere."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from claudemem_edge.errors import SettingsError
from claudemem_edge.shapes.options import HttpOptions
from claudemem_edge.transport import listeners
from claudemem_edge.transport.listeners import open_listeners

if TYPE_CHECKING:
    from collections.abc import Iterator

TOKENS = (("a-token", ("kim",)),)


@pytest.fixture
def handed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[socket.socket]]:
    """Give the list of what the service manager has opened."""
    found: list[socket.socket] = []
    monkeypatch.setattr(listeners, "take_sockets", lambda: list(found))
    yield found
    for one in found:
        one.close()


def unix(path: Path | str, kind: int = socket.SOCK_STREAM, *, mode: int = 0o660, listen: bool = True) -> socket.socket:
    found = socket.socket(socket.AF_UNIX, kind)
    found.bind(str(path))
    if not str(path).startswith("\0"):
        Path(path).chmod(mode)
    if listen:
        found.listen()
    return found


def test_both_kinds_stand_in_for_the_settings(tmp_path: Path, handed: list[socket.socket]) -> None:
    handed += [unix(tmp_path / "handed.sock"), socket.create_server(("127.0.0.1", 0))]
    opened, tcp = open_listeners(HttpOptions(socket=str(tmp_path / "own.sock")))
    assert [one.path for one in opened] == [tmp_path / "handed.sock"]
    assert tcp == [handed[1]]
    assert tcp[0].getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
    opened[0].close()
    assert (tmp_path / "handed.sock").exists(), "the file is the service manager's"


def test_one_kind_leaves_the_other_to_the_settings(tmp_path: Path, handed: list[socket.socket]) -> None:
    handed.append(socket.create_server(("127.0.0.1", 0)))
    opened, tcp = open_listeners(HttpOptions(socket=str(tmp_path / "own.sock")))
    assert ([one.path for one in opened], tcp) == ([tmp_path / "own.sock"], handed)
    opened[0].close()
    assert not (tmp_path / "own.sock").exists()


def test_a_tcp_socket_beyond_loopback_needs_tokens_and_named_scopes(
    tmp_path: Path, handed: list[socket.socket]
) -> None:
    handed.append(socket.create_server(("0.0.0.0", 0)))
    options = HttpOptions(socket=str(tmp_path / "own.sock"), tokens=TOKENS, require_scope=True)
    opened, tcp = open_listeners(options)
    assert tcp == handed
    opened[0].close()


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ("no listener", "needs ListenStream= and Accept=no"),
        ("datagrams", "needs ListenStream= and Accept=no"),
        ("open to all", "SocketMode=0660"),
        ("abstract", "give ListenStream= a path"),
        ("reachable", "http.tokens and http.require_scope"),
    ],
)
def test_what_would_not_do_is_refused_and_nothing_stays_open(
    tmp_path: Path, handed: list[socket.socket], kind: str, wanted: str
) -> None:
    path = tmp_path / "handed.sock"
    handed.append(unix(tmp_path / "good.sock"))
    match kind:
        case "no listener":
            handed.append(unix(path, listen=False))
        case "datagrams":
            handed.append(unix(path, socket.SOCK_DGRAM, listen=False))
        case "open to all":
            handed.append(unix(path, mode=0o666))
        case "abstract":
            handed.append(unix(f"\0claudemem-edge-test-{tmp_path.name}"))
        case "reachable":
            handed.append(socket.create_server(("0.0.0.0", 0)))
    with pytest.raises(SettingsError, match=wanted.replace(".", r"\.")):
        open_listeners(HttpOptions(socket=str(tmp_path / "own.sock")))
    assert [one.fileno() for one in handed] == [-1, -1]


def test_a_socket_whose_file_is_gone_is_taken_all_the_same(tmp_path: Path, handed: list[socket.socket]) -> None:
    handed.append(unix(tmp_path / "handed.sock"))
    (tmp_path / "handed.sock").unlink()
    opened, _ = open_listeners(HttpOptions(tcp=False))
    assert [one.socket for one in opened] == handed
