from __future__ import annotations

import asyncio
import errno
import fcntl
import grp
import os
import socket
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from fakes.http_house import House, open_house

from claudemem_edge.errors import SettingsError
from claudemem_edge.transport import address
from claudemem_edge.transport.listeners import listen_tcp, listen_unix
from claudemem_edge.transport.server import QuietServer

if TYPE_CHECKING:
    from fakes.fake_ollama import FakeOllama


def _files(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_owner_and_group_alone_may_connect_whatever_the_umask(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        listener = listen_unix(tmp_path / "api.sock")
        assert os.umask(mask) == mask, "the process keeps its own"
    finally:
        os.umask(before)
    assert _mode(listener.path) == 0o660
    listener.close()
    assert _files(tmp_path) == []


def test_nobody_can_connect_before_the_mode_is_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    chmod = Path.chmod

    def watched(self: Path, mode: int) -> None:
        seen.append(_mode(self))
        chmod(self, mode)

    monkeypatch.setattr(Path, "chmod", watched)
    before = os.umask(0)
    try:
        listen_unix(tmp_path / "api.sock").close()
    finally:
        os.umask(before)
    assert seen == [0]


def test_the_group_is_set_where_there_is_one(tmp_path: Path) -> None:
    ours = next((group for group in grp.getgrall() if group.gr_gid in {*os.getgroups(), os.getegid()}), None)
    assert ours is not None
    listener = listen_unix(tmp_path / "api.sock", ours.gr_name)
    assert listener.path.stat().st_gid == ours.gr_gid
    listener.close()
    listen_unix(tmp_path / "api.sock", "no-such-group-here").close()


def test_a_file_nobody_answers_on_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "api.sock"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    listener = listen_unix(path)
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))
    listener.close()


def test_a_live_daemon_keeps_its_socket(tmp_path: Path) -> None:
    first = listen_unix(tmp_path / "api.sock")
    with pytest.raises(SettingsError, match="another daemon"):
        listen_unix(tmp_path / "api.sock")
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(first.path))
    first.close()


@pytest.mark.parametrize("kind", ["file", "folder", "link"])
def test_what_is_no_socket_is_left_alone(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "api.sock"
    if kind == "file":
        path.write_text("somebody's")
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SettingsError, match="left alone"):
        listen_unix(path)
    assert path.is_symlink() or path.exists()


def test_closing_leaves_the_socket_of_a_later_daemon(tmp_path: Path) -> None:
    path = tmp_path / "api.sock"
    first = listen_unix(path)
    path.unlink()
    second = listen_unix(path)
    first.close()
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))
    second.close()
    assert not path.exists()


def test_a_folder_that_is_somebody_elses_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = os.getuid()
    (tmp_path / "claudemem-edge-7").mkdir()
    monkeypatch.setattr(os, "getuid", lambda: ours + 1)
    with pytest.raises(SettingsError, match="belongs to somebody else"):
        listen_unix(tmp_path / "claudemem-edge-7" / "api.sock")


def test_a_daemon_that_is_just_starting_is_not_disturbed(tmp_path: Path) -> None:
    folder = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    try:
        with pytest.raises(SettingsError, match="another daemon is just starting"):
            listen_unix(tmp_path / "api.sock")
    finally:
        os.close(folder)
    assert _files(tmp_path) == []


def test_a_name_that_is_no_address_is_told() -> None:
    with pytest.raises(SettingsError, match="no address of this machine"):
        listen_tcp("no such name", 0, guarded=False)


def test_a_socket_that_cannot_be_finished_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(self: Path, mode: int) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(Path, "chmod", refused)
    with pytest.raises(SettingsError, match="Operation not permitted"):
        listen_unix(tmp_path / "api.sock")
    assert _files(tmp_path) == []


async def test_a_server_that_cannot_start_says_so(
    tmp_path: Path, fake: FakeOllama, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object, **__: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(QuietServer, "startup", broken)
    with pytest.raises(OSError, match="Too many open files"):
        async with open_house(tmp_path, fake):
            pass
    assert _files(tmp_path) == []


def test_missing_folders_are_made(tmp_path: Path) -> None:
    listener = listen_unix(tmp_path / "a" / "b" / "api.sock")
    assert listener.path.is_socket()
    listener.close()


@pytest.mark.parametrize("path", ["/proc/no/api.sock", "/dev/null/api.sock", "/tmp/" + "x" * 120])
def test_a_path_that_cannot_be_is_told(path: str) -> None:
    with pytest.raises(SettingsError, match=r"http\.socket"):
        listen_unix(Path(path))


def test_tcp_beyond_loopback_needs_tokens() -> None:
    with pytest.raises(SettingsError, match=r"http\.tokens"):
        listen_tcp("0.0.0.0", 0, guarded=False)
    listen_tcp("0.0.0.0", 0, guarded=True).close()
    listen_tcp("localhost", 0, guarded=False).close()


def test_a_taken_port_is_told() -> None:
    first = listen_tcp("127.0.0.1", 0, guarded=False)
    with pytest.raises(SettingsError, match="another program"):
        listen_tcp("127.0.0.1", first.getsockname()[1], guarded=False)
    first.close()


async def test_a_door_that_cannot_open_both_leaves_nothing_behind(tmp_path: Path, fake: FakeOllama) -> None:
    taken = listen_tcp("127.0.0.1", 0, guarded=False)
    with pytest.raises(SettingsError):
        async with open_house(tmp_path, fake, tcp_port=taken.getsockname()[1]):
            pass
    taken.close()
    assert _files(tmp_path) == []


async def test_a_door_that_closes_lets_listeners_go_and_leaves_no_file(tmp_path: Path, fake: FakeOllama) -> None:
    async with open_house(tmp_path, fake) as house, house.client() as client:
        reply = await client.send(client.build_request("GET", "/memory/kim/events"), stream=True)
        rows = reply.aiter_lines()
        await anext(rows)
        house.notices.close()
        assert [row async for row in rows] == []
        await reply.aclose()
    assert _files(tmp_path) == []


async def test_a_door_without_tcp_listens_on_its_file_alone(tmp_path: Path, fake: FakeOllama) -> None:
    async with open_house(tmp_path, fake, tcp=False) as house, house.client() as client:
        assert house.door.tcp_port == 0
        assert (await client.get("/health")).status_code == 200


async def test_curl_talks_over_the_socket(house: House) -> None:
    command = [
        "curl",
        "-sS",
        "--unix-socket",
        house.socket,
        "-d",
        '{"text": "Hello there."}',
        "http://x/memory/kim/say",
    ]
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    output, _ = await process.communicate()
    assert process.returncode == 0
    assert b'"event":"final"' in output.splitlines()[-1]


ENVIRONMENTS = [
    ({"CLAUDEMEM_SOCKET": "/a/b.sock", "RUNTIME_DIRECTORY": "/run/x"}, "/a/b.sock"),
    ({"RUNTIME_DIRECTORY": "/run/x:/run/y", "XDG_RUNTIME_DIR": "/run/user/7"}, "/run/x/api.sock"),
    ({"XDG_RUNTIME_DIR": "/run/user/7"}, "/run/user/7/claudemem-edge/api.sock"),
]


@pytest.mark.parametrize(("environment", "path"), ENVIRONMENTS)
def test_the_socket_is_where_the_rule_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, environment: dict[str, str], path: str
) -> None:
    for name in ("CLAUDEMEM_SOCKET", "RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(address, "SYSTEM", tmp_path)
    assert address.socket_path() == Path(path)
    assert address.socket_path("/named.sock") == Path("/named.sock")


def test_the_systems_own_socket_comes_before_the_sessions(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("CLAUDEMEM_SOCKET", "RUNTIME_DIRECTORY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/7")
    monkeypatch.setattr(address, "SYSTEM", tmp_path)
    listener = listen_unix(tmp_path / "api.sock")
    assert address.socket_path() == tmp_path / "api.sock"
    listener.close()
    assert address.socket_path() == Path("/run/user/7/claudemem-edge/api.sock")


@pytest.mark.parametrize(("user", "path"), [(0, "run/api.sock"), (7, "tmp/claudemem-edge-7/api.sock")])
def test_without_a_folder_of_the_session_root_takes_the_systems_and_others_one_of_their_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, user: int, path: str
) -> None:
    for name in ("CLAUDEMEM_SOCKET", "RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(address, "SYSTEM", tmp_path / "run")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    monkeypatch.setattr(os, "getuid", lambda: user)
    assert address.socket_path() == tmp_path / path


def test_tcp_connections_notice_that_the_other_end_has_vanished() -> None:
    with listen_tcp("127.0.0.1", 0, guarded=False) as listening:
        listening.settimeout(20)
        with socket.create_connection(listening.getsockname()), listening.accept()[0] as accepted:
            assert accepted.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 60
