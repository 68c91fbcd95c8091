"""The units as systemd's own tools judge them, installed into an image by the script that people run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from claudemem_edge.settings import read_settings

ROOT = Path(__file__).parent.parent.parent
SYSTEMD = ROOT / "systemd"
DROP_INS = sorted(path.relative_to(SYSTEMD / "drop-ins") for path in SYSTEMD.glob("drop-ins/*/*.conf"))
ALONE, WITH_ENGINE, KIOSK = (), ("--model", "smollm2"), ("--kiosk", "smollm2")
DAEMON, ENGINE = "claudemem-edge.service", "claudemem-engine.service"


def install(image: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "DESTDIR": str(image), "PREFIX": sys.prefix, **environment}
    return subprocess.run(
        [SYSTEMD / "install", *arguments], env=environment, capture_output=True, text=True, check=False
    )


def installed(image: Path, *arguments: str) -> Path:
    """Install into an image; give the folder of its units."""
    done = install(image, *arguments)
    assert done.returncode == 0, done.stderr
    return image / "etc" / "systemd" / "system"


def files(image: Path) -> set[str]:
    return {str(path.relative_to(image)) for path in image.rglob("*") if "claudemem" in path.name}


def verified(*command: str | Path, **environment: str) -> str:
    """Return what `systemd-analyze verify` has to say."""
    done = subprocess.run(
        ["systemd-analyze", "verify", *command],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return f"{done.stdout}{done.stderr}" or ("" if done.returncode == 0 else f"status {done.returncode}")


def exposure(unit: Path) -> float:
    """Return the exposure that systemd finds in a unit and its drop-ins: 0 is none, 10 all."""
    found = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--no-pager", unit],
        capture_output=True,
        text=True,
        check=True,
    )
    level = re.search(r"Overall exposure level for \S+: ([\d.]+)", found.stdout)
    assert level is not None, found.stdout
    return float(level[1])


@pytest.mark.parametrize("arguments", [ALONE, WITH_ENGINE, KIOSK], ids=" ".join)
def test_systemd_finds_nothing_to_say_about_a_unit(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    units = installed(tmp_path, *arguments)
    for unit in (*units.glob("*.service"), *units.glob("*.socket")):
        assert verified(unit) == ""


@pytest.mark.parametrize("drop_in", DROP_INS, ids=str)
def test_systemd_finds_nothing_to_say_about_a_drop_in(tmp_path: Path, drop_in: Path) -> None:
    units = installed(tmp_path, *WITH_ENGINE)
    (units / drop_in).parent.mkdir(exist_ok=True)
    shutil.copy(SYSTEMD / "drop-ins" / drop_in, units / drop_in)
    for unit in (units / DAEMON, units / "claudemem-edge.socket"):
        assert verified(unit) == ""


def test_systemd_finds_nothing_to_say_about_a_users_units(tmp_path: Path) -> None:
    (tmp_path / ".local").mkdir()
    (tmp_path / ".local" / "bin").symlink_to(Path(sys.executable).parent)
    for unit in (SYSTEMD / "user").iterdir():
        assert verified("--user", unit, HOME=str(tmp_path), XDG_RUNTIME_DIR=str(tmp_path)) == ""


def test_systemd_would_say_what_is_wrong(tmp_path: Path) -> None:
    unit = installed(tmp_path) / DAEMON
    unit.write_text(unit.read_text().replace("WatchdogSec=30", "WatchdogSec=soon"))
    assert "soon" in verified(unit)


@pytest.mark.parametrize(
    ("arguments", "unit", "most_tenths"),
    [(ALONE, DAEMON, 11), (WITH_ENGINE, DAEMON, 11), (WITH_ENGINE, ENGINE, 5), (KIOSK, DAEMON, 3)],
    ids=["daemon", "daemon with engine", "engine", "kiosk"],
)
def test_a_unit_is_no_more_exposed_than_promised(
    tmp_path: Path, arguments: tuple[str, ...], unit: str, most_tenths: int
) -> None:
    path = installed(tmp_path, *arguments) / unit
    judged = ["systemd-analyze", "security", "--offline=true", "--no-pager"]
    for tenths, status in ((most_tenths, 0), (0, 1)):  # the option counts tenths of what is printed
        done = subprocess.run([*judged, f"--threshold={tenths}", path], capture_output=True, text=True, check=False)
        assert done.returncode == status, done.stdout
    assert exposure(path) <= most_tenths / 10


@pytest.mark.parametrize("name", ["broker-elsewhere.conf", "model-elsewhere.conf", "broker.conf"])
def test_what_reaches_further_is_hardly_more_exposed(tmp_path: Path, name: str) -> None:
    units = installed(tmp_path)
    folder = units / f"{DAEMON}.d"
    folder.mkdir()
    shutil.copy(SYSTEMD / "drop-ins" / f"{DAEMON}.d" / name, folder)
    assert exposure(units / DAEMON) <= 1.2


@pytest.mark.parametrize(
    "path", [*SYSTEMD.rglob("*.service"), *SYSTEMD.glob("drop-ins/*/*.conf")], ids=lambda path: path.name
)
def test_what_a_unit_sets_is_a_setting(path: Path) -> None:
    words = " ".join(re.findall(r"^Environment=(.*)", path.read_text(), re.MULTILINE)).split()
    read_settings(dict(word.split("=", 1) for word in words))


def test_addresses_in_a_drop_in_agree() -> None:
    for path in SYSTEMD.glob("drop-ins/*/*-elsewhere.conf"):
        lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
        addresses = re.findall(r"192\.0\.2\.\d+", "\n".join(lines))
        assert len(addresses) == 2, path
        assert len(set(addresses)) == 1, path


def test_the_units_name_the_environment_that_is_there(tmp_path: Path) -> None:
    for unit in installed(tmp_path, *WITH_ENGINE).glob("*.service"):
        assert f"ExecStart={sys.prefix}/bin/" in unit.read_text()
    assert install(tmp_path, PREFIX="").returncode == 0
    assert "ExecStart=/opt/claudemem-edge/bin/" in (tmp_path / "etc" / "systemd" / "system" / DAEMON).read_text()
    command = tmp_path / "usr" / "local" / "bin" / "claudemem-edge"
    assert command.readlink() == Path("/opt/claudemem-edge/bin/claudemem-edge")
    assert install(tmp_path, "--remove", PREFIX="").returncode == 0
    assert not command.is_symlink()


def test_what_is_removed_is_gone_but_for_what_people_added(tmp_path: Path) -> None:
    units = installed(tmp_path, *KIOSK)
    own = units / f"{DAEMON}.d" / "own.conf"
    own.write_text("[Service]\nNice=1\n")
    assert install(tmp_path, "--remove").returncode == 0
    assert [path for path in units.rglob("*") if not path.is_dir()] == [own]
    assert files(tmp_path) == {f"etc/systemd/system/{DAEMON}.d"}


def test_installing_again_takes_back_what_is_no_longer_wanted(tmp_path: Path) -> None:
    kiosk = installed(tmp_path, *KIOSK) / f"{DAEMON}.d" / "kiosk.conf"
    assert kiosk.exists()
    assert not (installed(tmp_path) / f"{DAEMON}.d" / "kiosk.conf").exists()


@pytest.mark.parametrize("arguments", [("--model",), ("--model", "none"), ("--kiosk", "../x"), ("--help",), ("x",)])
def test_what_cannot_be_meant_changes_nothing(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = install(tmp_path, *arguments)
    assert done.returncode == 2
    assert "deploy/" in done.stderr
    assert files(tmp_path) == set()
