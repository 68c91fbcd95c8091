"""Real sockets and files with odd modes, and a real daemon, as the doctor sees them."""

from __future__ import annotations

import json
import os
import socket
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from fakes.child_daemon import Child

from claudemem_edge import __version__
from claudemem_edge.doctor import access
from claudemem_edge.doctor.examine import installation
from claudemem_edge.doctor.machine import Installation, Machine
from claudemem_edge.doctor.running import daemon
from claudemem_edge.settings import read_settings
from claudemem_edge.transport.listeners import listen_unix

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from claudemem_edge.doctor.finding import Finding

MY_GROUP = os.getgid()
NOBODY = 65534


def place(path: Path, **http: Any) -> Installation:
    return Installation(Machine(path.parent, {}), read_settings({"HOME": "/nonexistent"}, {"http": http}), path)


def codes(findings: list[Finding]) -> dict[str, str]:
    return {finding.code: str(finding.grade) for finding in findings}


def named_group() -> str:
    return access._group(MY_GROUP)


@pytest.mark.parametrize(
    ("mode", "wanted"),
    [
        (0o660, {"socket": "ok"}),
        (0o600, {"socket": "ok"}),
        (0o666, {"socket_open": "problem"}),
        (0o662, {"socket_open": "problem"}),
        (0o664, {"socket": "ok", "socket_mode": "warning"}),
        (0o760, {"socket": "ok", "socket_mode": "warning"}),
    ],
)
def test_a_socket_with_a_mode(mode: int, wanted: dict[str, str], tmp_path: Path) -> None:
    with closing(listen_unix(tmp_path / "api.sock")) as listening:
        listening.path.chmod(mode)
        found = list(access.socket(place(listening.path, socket_group=named_group())))
    assert codes(found) == wanted
    assert all(f"chmod 660 {listening.path}" in command for one in found for command in one.commands)


def test_who_may_connect_is_told(tmp_path: Path) -> None:
    with closing(listen_unix(tmp_path / "api.sock")) as listening:
        (found,) = access.socket(place(listening.path, socket_group=named_group()))
    who = str(found.values["who"]).split(", ")
    assert who[0] == access._user(os.getuid())
    assert {f"@{named_group()}", "root"} <= set(who)


def test_a_group_that_is_not_there_is_told_with_what_to_type(tmp_path: Path) -> None:
    with closing(listen_unix(tmp_path / "api.sock")) as listening:
        found = list(access.socket(place(listening.path, socket_group="no-such-group")))
    assert codes(found) == {"socket": "ok", "socket_no_group": "hint"}
    assert found[1].commands == ("sudo groupadd --system no-such-group",)


@pytest.mark.parametrize(("tokens", "told"), [({}, True), ({"t": ["anna"]}, False)])
def test_a_port_for_everybody_is_told(tokens: dict[str, list[str]], told: bool, tmp_path: Path) -> None:  # noqa: FBT001
    (tmp_path / "proc" / "net").mkdir(parents=True)
    (tmp_path / "proc" / "net" / "tcp").write_text("   0: 0100007F:2D0F 00000000:0000 0A 0\n")
    with closing(listen_unix(tmp_path / "api.sock")) as listening:
        found = codes(list(access.socket(place(listening.path, socket_group=named_group(), tokens=tokens))))
    assert ("socket_tcp" in found) is told


def test_a_file_in_the_socket_s_place_and_nothing_at_all(tmp_path: Path) -> None:
    path = tmp_path / "api.sock"
    assert codes(list(access.socket(place(path)))) == {"socket_absent": "hint"}
    path.write_text("")
    assert codes(list(access.socket(place(path)))) == {"socket_other": "problem"}


@contextmanager
def somebody_else() -> Iterator[None]:
    """Be nobody for a while, where we are root: root may do everything."""
    if os.getuid() != 0:
        yield
        return
    os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


@pytest.mark.parametrize(("folder_mode", "mode"), [(0o000, 0o660), (0o755, 0o000)])
def test_who_may_not_connect_is_told_how_to(folder_mode: int, mode: int) -> None:
    with TemporaryDirectory() as folder, closing(listen_unix(Path(folder) / "api.sock")) as listening:
        listening.path.chmod(mode)
        Path(folder).chmod(folder_mode)
        it = place(listening.path, socket_group=named_group())  # nobody may not even read where we are installed
        with somebody_else():
            found = list(access.socket(it))
        Path(folder).chmod(0o700)
    assert codes(found) == {"socket_shut": "problem"}
    assert found[0].commands[0].startswith(f"sudo usermod -aG {named_group()} ")


def test_settings_files_with_odd_modes(tmp_path: Path) -> None:
    folder = tmp_path / "claudemem-edge"
    folder.mkdir()
    file = folder / "a.toml"
    file.write_text('[http.tokens]\ns3cret-token = ["anna"]\n[mqtt]\nenabled = true\npassword_file = "/no/such/file"\n')
    machine = Machine(environment={"XDG_CONFIG_HOME": str(tmp_path), "HOME": "/nonexistent"})
    for mode, wanted in ((0o600, "ok"), (0o644, "warning"), (0o646, "problem")):
        file.chmod(mode)
        found = list(access.settings(installation(machine)))
        assert max(finding.grade for finding in found if finding.code.startswith("settings")) == max("ok", wanted)
        assert codes(found)["password_absent"] == "problem"
        assert "s3cret" not in repr(found)


def test_a_password_file_for_everybody(tmp_path: Path) -> None:
    secret = tmp_path / "password"
    secret.write_text("s3cret")
    secret.chmod(0o644)
    machine = Machine(environment={"HOME": "/nonexistent"})
    found = list(
        access.settings(installation(machine, overrides={"mqtt": {"enabled": True, "password_file": str(secret)}}))
    )
    assert codes(found) == {"settings": "ok", "password_readable": "warning"}
    assert "s3cret" not in repr(found)


@pytest.mark.parametrize(
    ("text", "variable", "typed"),
    [
        ("[model]\nnam = 'x'\n", {}, "sudoedit"),
        ("not toml", {}, "sudoedit"),
        ("", {"CLAUDEMEM_MODLE__NAME": "x"}, "unset CLAUDEMEM_MODLE__NAME"),
        ("[turn]\nhistory = 'no'\n", {}, "grep -rn history"),
    ],
)
def test_every_mistake_is_told_with_its_place(text: str, variable: dict[str, str], typed: str, tmp_path: Path) -> None:
    folder = tmp_path / "claudemem-edge"
    folder.mkdir()
    (folder / "a.toml").write_text(text)
    machine = Machine(environment={"XDG_CONFIG_HOME": str(tmp_path), "HOME": "/nonexistent", **variable})
    (found,) = access.settings(installation(machine))
    assert (found.code, found.grade) == ("settings_mistake", "problem")
    assert found.commands[0].startswith(typed)


async def told(path: Path) -> dict[str, str]:
    findings: AsyncIterator[Finding] = daemon(place(path))
    return codes([finding async for finding in findings])


async def test_a_running_daemon_and_none(tmp_path: Path) -> None:
    assert await told(tmp_path / "api.sock") == {"daemon_absent": "hint"}
    child = Child(tmp_path, "--no-tcp", "--model", "echo")
    try:
        child.hears("READY=1")
        assert await told(child.path) == {"daemon": "ok"}
    finally:
        child.close()


async def test_a_socket_that_nobody_serves(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(tmp_path / "api.sock"))
        assert await told(tmp_path / "api.sock") == {"daemon_silent": "problem"}


def test_what_a_daemon_says_of_itself_is_read() -> None:
    from claudemem_edge.doctor.running import _read

    health = json.loads('{"version": "0.0.1", "model": {"last_error": "timeout"}, "mqtt": {"connected": false}}')
    ill = {"daemon": "ok", "daemon_version": "warning", "daemon_model": "warning", "daemon_mqtt": "problem"}
    assert codes(list(_read(health))) == ill
    assert codes(list(_read({"version": __version__, "model": {"name": "m"}}))) == {"daemon": "ok"}
