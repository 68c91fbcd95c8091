"""The configuration of a mosquitto on this machine, as far as it says where words go."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from claudemem_edge.doctor.machine import Machine

USUAL = "/etc/mosquitto/mosquitto.conf"
USUAL_FOLDER = "/etc/mosquitto/conf.d"
USUAL_PORT = "1883"
MAX_FILES = 64


@dataclass(slots=True)
class Configuration:
    """The last value of each option and the file that says it; every port that is listened on."""

    file: str
    values: dict[str, tuple[str, str]] = field(default_factory=dict)
    ports: set[str] = field(default_factory=set)
    unread: list[str] = field(default_factory=list)

    def get(self, option: str, default: str = "") -> str:
        """Return the last value of an option."""
        return self.values.get(option, (default, ""))[0]

    @property
    def keeps(self) -> str:
        """The file that has messages kept on disk; "" when none does."""
        value, file = self.values.get("persistence", ("false", ""))
        if value == "true":
            return file
        plugin, file = self.values.get("plugin", self.values.get("global_plugin", ("", "")))
        return file if "persist" in plugin else ""

    @property
    def database(self) -> str:
        """Where messages are kept on disk, if they are."""
        folder = self.get("persistence_location", "/var/lib/mosquitto/")
        return f"{folder.rstrip('/')}/{self.get('persistence_file', 'mosquitto.db')}"


def configuration(machine: Machine, port: int) -> Configuration | None:
    """Return the configuration of the mosquitto on a port; None where it cannot be known."""
    files = [_option(arguments, "-c", "--config-file") for _, arguments in machine.processes("mosquitto")]
    known = [_read(machine, file) for file in dict.fromkeys(filter(None, files)) if file.startswith("/")]
    if not files and machine.read(USUAL):
        known = [_read(machine, USUAL)]
    fitting = [one for one in known if str(port) in (one.ports or {USUAL_PORT})]
    found = next(iter(fitting or (known if len(known) == 1 else [])), None)
    return None if found is None or found.unread else found


def _option(arguments: list[str], *names: str) -> str:
    return next((value for name, value in pairwise(arguments) if name in names), "")


def _read(machine: Machine, file: str) -> Configuration:
    found = Configuration(file)
    waiting, seen = [file], set[str]()
    while waiting and len(seen) < MAX_FILES:
        name = waiting.pop(0)
        if name in seen:
            continue
        seen.add(name)
        text = machine.read(name)
        if not text:
            found.unread.append(name)
        for line in text.splitlines():
            option, _, value = line.strip().partition(" ")
            if not option or option.startswith("#"):
                continue
            _take(found, option, value.strip(), name)
            if option == "include_dir":
                waiting.extend(machine.found(f"{value.strip().rstrip('/')}/*.conf"))
    return found


def _take(found: Configuration, option: str, value: str, file: str) -> None:
    if option in {"listener", "port"}:
        found.ports.add(value.split(maxsplit=1)[0] if value else "")
    if option in {"plugin", "global_plugin"} and "persist" in found.get(option):
        return
    found.values[option] = (value, file)


def silenced(file: str, database: str) -> tuple[str, ...]:
    """Return what to type so that mosquitto keeps nothing on disk, and what it kept is gone."""
    return (
        f"sudo sed -i.bak -E 's/^persistence +true/persistence false/' {file}",
        "sudo systemctl restart mosquitto",
        f"sudo rm -f {database}",
    )


def database_exists(machine: Machine, path: str) -> bool:
    """Tell whether there is a file of kept messages; False where that may not be looked at."""
    try:
        return machine.path(path).is_file()
    except OSError:
        return False


def restarted_with(known: Configuration | None, name: str, *lines: str) -> tuple[str, ...]:
    """Return what to type to add lines to mosquitto's configuration: to a file of its own where there is a folder."""
    folder = known.get("include_dir").rstrip("/") if known else USUAL_FOLDER
    target = f"sudo tee {folder}/{name}.conf" if folder or known is None else f"sudo tee -a {known.file}"
    text = "".join(rf"{line}\n" for line in lines)
    return (f"printf '{text}' | {target}", "sudo systemctl restart mosquitto")
