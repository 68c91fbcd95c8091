"""A real mosquitto, well and ill, as the doctor finds it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from fakes.real_mosquitto import Broker, Gate, eventually, free_port

from claudemem_edge.doctor.broker import _no_way_in, broker
from claudemem_edge.doctor.examine import Check, examine, installation
from claudemem_edge.doctor.machine import Machine
from claudemem_edge.doctor.mosquitto import Configuration, configuration, restarted_with
from claudemem_edge.doctor.ports import open_to_others

if TYPE_CHECKING:
    from pathlib import Path

    from claudemem_edge.doctor.finding import Finding

pytestmark = pytest.mark.broker


async def found(port: int, root: str = "/", **mqtt: Any) -> dict[str, Finding]:
    from pathlib import Path

    machine = Machine(Path(root), environment={"HOME": "/nonexistent"})
    it = installation(machine, overrides={"mqtt": {"enabled": True, "port": port, **mqtt}})
    ((_, findings),) = await examine(it, (Check("broker", 60, remote=broker),))
    return {finding.code: finding for finding in findings}


def grades(findings: dict[str, Finding]) -> dict[str, str]:
    return {code: str(finding.grade) for code, finding in findings.items() if finding.grade != "ok"}


@pytest.fixture
def running(tmp_path: Path, request: pytest.FixtureRequest) -> Any:
    one = Broker(tmp_path, **getattr(request, "param", {}))
    one.start()
    yield one
    one.kill()


async def test_a_broker_that_is_well(running: Broker) -> None:
    findings = await found(running.port)
    assert grades(findings) == {}
    assert list(findings) == ["broker", "broker_echo", "broker_open_here", "broker_forgets"]
    assert findings["broker"].values["protocol"] == "5"
    assert str(findings["broker"].values["version"]).startswith("mosquitto version")
    assert findings["broker_forgets"].values["file"] == str(running.folder / "mosquitto.conf")


@pytest.mark.parametrize("running", [{"extra": ("set_tcp_nodelay false",)}], indirect=True)
async def test_tcp_nodelay_unset_is_measured(running: Broker) -> None:
    findings = await found(running.port)
    assert grades(findings) == {"broker_slow": "warning"}
    add, _ = findings["broker_slow"].commands
    assert add == rf"printf 'set_tcp_nodelay true\n' | sudo tee -a {running.folder / 'mosquitto.conf'}"


@pytest.mark.parametrize("running", [{"users": {"edge": "right"}}], indirect=True)
async def test_a_password_right_wrong_and_missing(running: Broker, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("right\n")
    right = await found(running.port, username="edge", password_file=str(secret))
    assert grades(right) == {}
    assert "broker_guarded" in right
    secret.write_text("wrong-s3cret\n")
    wrong = await found(running.port, username="edge", password_file=str(secret))
    assert grades(wrong) == {"broker_refuses": "problem"}
    assert "s3cret" not in repr(wrong)
    assert grades(await found(running.port)) == {"broker_refuses": "problem"}
    absent = await found(running.port, username="edge", password_file="/no/such")
    assert grades(absent) == {"broker_password_unread": "problem"}


async def test_a_password_that_only_the_service_can_read(running: Broker) -> None:
    findings = await found(running.port, username="edge", password_file="mqtt-password")
    assert grades(findings) == {"broker_password_elsewhere": "hint"}
    it = installation(overrides={"mqtt": {"enabled": True, "password_file": "/etc/secret"}})
    assert _no_way_in(PermissionError(13, "", "/etc/secret"), it, "here").grade == "hint"
    assert _no_way_in(FileNotFoundError(2, "", "/etc/secret"), it, "here").grade == "problem"


async def test_a_password_that_protects_nothing(running: Broker, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("any\n")
    assert grades(await found(running.port, username="edge", password_file=str(secret))) == {
        "broker_password_idle": "hint"
    }


async def test_persistence_by_configuration_and_by_effect(tmp_path: Path) -> None:
    database = tmp_path / "kept" / "mosquitto.db"
    database.parent.mkdir(mode=0o777)
    lines = ("persistence true", f"persistence_location {database.parent}/", "autosave_interval 1")
    one = Broker(tmp_path, extra=lines)
    one.start()
    try:
        one.publish("kept", "nothing in particular", "-r")
        assert set(grades(await found(one.port))) <= {"broker_keeps", "broker_keeps_written"}
        await eventually(database.is_file)
        findings = await found(one.port)
        assert grades(findings) == {"broker_keeps_written": "problem"}
        silence, _, remove = findings["broker_keeps_written"].commands
        assert silence.endswith(str(one.folder / "mosquitto.conf"))
        assert remove == f"sudo rm -f {database}"
    finally:
        one.kill()


async def test_a_broker_whose_rules_keep_our_echo_back(tmp_path: Path) -> None:
    (tmp_path / "rules").write_text("topic read nothing\n")
    (tmp_path / "rules").chmod(0o700)
    one = Broker(tmp_path, extra=(f"acl_file {tmp_path / 'rules'}",))
    one.start()
    try:
        assert grades(await found(one.port)) == {"broker_no_echo": "warning"}
    finally:
        one.kill()


async def test_a_broker_elsewhere(running: Broker) -> None:
    spelled_like_a_name = "127.1"
    findings = await found(running.port, host=spelled_like_a_name)
    assert grades(findings) == {
        "broker_elsewhere": "hint",
        "broker_open": "warning",
        "broker_storage_elsewhere": "hint",
    }


async def test_what_was_kept_once_and_a_bridge(running: Broker, tmp_path: Path) -> None:
    (tmp_path / "proc" / "7").mkdir(parents=True)
    (tmp_path / "proc" / "7" / "cmdline").write_text("/usr/sbin/mosquitto\0-c\0/m.conf\0")
    (tmp_path / "m.conf").write_text(f"listener {running.port}\nconnection cloud\naddress mqtt.example\n")
    kept = tmp_path / "var" / "lib" / "mosquitto"
    kept.mkdir(parents=True)
    (kept / "mosquitto.db").write_text("")
    wanted = {"broker_kept_once": "warning", "broker_bridge": "warning"}
    assert grades(await found(running.port, str(tmp_path))) == wanted
    (tmp_path / "proc" / "7" / "cmdline").write_text("/usr/sbin/mosquitto\0-c\0/no-such.conf\0")
    assert grades(await found(running.port, str(tmp_path))) == {"broker_storage_unknown": "hint"}


async def test_nobody_there_and_somebody_silent(running: Broker) -> None:
    assert grades(await found(free_port()))["broker_away"] == "problem"
    async with Gate(running) as gate:
        gate.swallow(everything=True)
        assert grades(await found(gate.port))["broker_silent"] == "problem"


async def test_the_unix_listener(tmp_path: Path) -> None:
    one = Broker(tmp_path)
    one.start()
    try:
        findings = await found(one.port, socket=one.socket)
    finally:
        one.kill()
    assert grades(findings) == {}
    assert findings["broker"].values["where"] == one.socket


async def test_none_wanted() -> None:
    assert list(await found(1, enabled=False)) == ["broker_off"]


CONFIGURATIONS: list[tuple[dict[str, str], str, str]] = [
    ({}, "", ""),
    ({"mosquitto.conf": "persistence true\n"}, "/etc/mosquitto/mosquitto.conf", "/var/lib/mosquitto/mosquitto.db"),
    ({"mosquitto.conf": "# persistence true\npersistence false\n"}, "", "/var/lib/mosquitto/mosquitto.db"),
    (
        {
            "mosquitto.conf": "persistence false\ninclude_dir /etc/mosquitto/conf.d\n",
            "conf.d/a.conf": "persistence true\n",
        },
        "/etc/mosquitto/conf.d/a.conf",
        "/var/lib/mosquitto/mosquitto.db",
    ),
    (
        {"mosquitto.conf": "plugin /usr/lib/mosquitto_persist_sqlite.so\n"},
        "/etc/mosquitto/mosquitto.conf",
        "/var/lib/mosquitto/mosquitto.db",
    ),
    (
        {"mosquitto.conf": "persistence true\npersistence_location /tmp/x\npersistence_file y.db\n"},
        "/etc/mosquitto/mosquitto.conf",
        "/tmp/x/y.db",
    ),
]


@pytest.mark.parametrize(("files", "keeps", "database"), CONFIGURATIONS)
def test_configurations_are_read(files: dict[str, str], keeps: str, database: str, tmp_path: Path) -> None:
    for name, text in files.items():
        path = tmp_path / "etc" / "mosquitto" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    known = configuration(Machine(tmp_path, {}), 1883)
    assert (known.keeps if known else "", known.database if known else "") == (keeps, database)


def test_the_configuration_of_the_one_on_our_port_is_taken(tmp_path: Path) -> None:
    for pid, port, value in ((5, 1883, "true"), (6, 1884, "false")):
        folder = tmp_path / "proc" / str(pid)
        folder.mkdir(parents=True)
        (folder / "cmdline").write_text(f"/usr/sbin/mosquitto\0-c\0/{pid}.conf\0")
        (tmp_path / f"{pid}.conf").write_text(f"listener {port} 127.0.0.1\npersistence {value}\n")
    machine = Machine(tmp_path, {})
    first, second = configuration(machine, 1883), configuration(machine, 1884)
    assert first is not None
    assert second is not None
    assert (first.keeps, second.keeps) == ("/5.conf", "")
    assert configuration(machine, 9999) is None


def test_a_line_goes_where_the_broker_reads_it() -> None:
    known = Configuration("/etc/mosquitto/mosquitto.conf", {"include_dir": ("/etc/mosquitto/conf.d/", "")})
    for one in (known, None):
        assert (
            restarted_with(one, "x", "a b", "c d")[0] == r"printf 'a b\nc d\n' | sudo tee /etc/mosquitto/conf.d/x.conf"
        )
    assert restarted_with(Configuration("/m.conf"), "x", "a b")[0] == r"printf 'a b\n' | sudo tee -a /m.conf"


@pytest.mark.parametrize(
    ("address", "is_open"),
    [
        ("00000000000000000000000000000000:075B", True),
        ("00000000000000000000000001000000:075B", False),
        ("0000000000000000FFFF00000100007F:075B", False),
        ("00000000:075B", True),
        ("0100007F:075B", False),
        ("0100007F:075C", False),
        ("0B01A8C0:075B", True),
    ],
)
def test_who_can_reach_the_port(address: str, is_open: bool, tmp_path: Path) -> None:  # noqa: FBT001
    (tmp_path / "proc" / "net").mkdir(parents=True)
    (tmp_path / "proc" / "net" / "tcp").write_text(f"  sl  local_address\n   0: {address} 00000000:0000 0A 0\n")
    assert open_to_others(Machine(tmp_path, {}), 1883) is is_open
