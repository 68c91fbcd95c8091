"""Who may do what: the daemon's socket, the settings files and what is secret in them."""

from __future__ import annotations

import grp
import os
import pwd
import stat
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from claudemem_edge.doctor.finding import Finding, fine, hint, problem, warning
from claudemem_edge.doctor.ports import listeners

if TYPE_CHECKING:
    from collections.abc import Iterator

    from claudemem_edge.doctor.machine import Installation

WANTED_MODE = 0o660


def settings(it: Installation) -> Iterator[Finding]:
    """Look for mistakes in the settings, and at who may read or change them."""
    for mistake in it.mistakes:
        yield problem("settings_mistake", _place_of(mistake, it), mistake=mistake)
    secret = bool(it.settings.http.tokens)
    for path in it.files:
        with suppress(OSError):
            mode = path.stat().st_mode
            if mode & stat.S_IWOTH:
                yield problem("settings_writable", f"sudo chmod o-w {quote(str(path))}", file=path)
            elif secret and mode & stat.S_IROTH:
                yield warning("settings_readable", f"sudo chmod o-r {quote(str(path))}", file=path)
    if not it.mistakes:
        yield fine("settings", files=", ".join(map(str, it.files)) or "-")
    if it.settings.mqtt.enabled and it.settings.mqtt.password_file:
        yield from _password(Path(it.settings.mqtt.password_file), it)


def _place_of(mistake: str, it: Installation) -> str:
    """Return what to type to get to the place of a mistake."""
    where, _, _ = mistake.partition(":")
    if where in map(str, it.files):
        return f"sudoedit {quote(where)}"
    if where in it.machine.environment:
        return f"unset {where}"
    return f"grep -rn {quote(where.split()[-1])} /etc/claudemem-edge ~/.config/claudemem-edge"


def _password(name: Path, it: Installation) -> Iterator[Finding]:
    folder = it.machine.environment.get("CREDENTIALS_DIRECTORY", "")
    if not name.is_absolute() and not folder:
        yield hint("password_credential", f"systemctl show -p LoadCredential claudemem-edge | grep {quote(str(name))}")
        return
    path = Path(folder, name)
    try:
        mode = path.stat().st_mode
    except OSError:
        yield problem("password_absent", f"sudo install -m 640 /dev/stdin {quote(str(path))}", file=path)
        return
    if mode & stat.S_IROTH:
        yield warning("password_readable", f"sudo chmod o-r {quote(str(path))}", file=path)
    elif not os.access(path, os.R_OK):
        yield hint("password_not_ours", f"ls -l {quote(str(path))}", file=path)


def socket(it: Installation) -> Iterator[Finding]:
    """Look at the daemon's socket: whose it is, and who may connect."""
    path, wanted = it.socket, it.settings.http.socket_group
    try:
        status = path.lstat()
    except PermissionError:
        yield _shut_out(path.parent, wanted)
        return
    except OSError:
        yield hint("socket_absent", "claudemem-edge run", path=path)
        return
    if not stat.S_ISSOCK(status.st_mode):
        yield problem("socket_other", f"ls -l {quote(str(path))}", path=path)
        return
    mode, shown = stat.S_IMODE(status.st_mode), quote(str(path))
    group = _group(status.st_gid)
    who = ", ".join(dict.fromkeys([_user(status.st_uid), *_members(status.st_gid, mode), "root"]))
    if mode & stat.S_IWOTH:
        yield problem("socket_open", f"sudo chmod {WANTED_MODE:o} {shown}", path=path, mode=f"{mode:o}")
    elif not os.access(path, os.W_OK):
        yield _shut_out(path, group)
    else:
        yield fine("socket", path=path, mode=f"{mode:o}", owner=_user(status.st_uid), group=group, who=who)
    if not mode & stat.S_IWOTH and mode & ~WANTED_MODE & 0o777:
        yield warning("socket_mode", f"sudo chmod {WANTED_MODE:o} {shown}", path=path, mode=f"{mode:o}")
    if wanted and wanted != group:
        yield from _other_group(wanted, group)
    port = it.settings.http.tcp_port
    if listeners(it.machine, port) and not it.settings.http.tokens:
        yield hint("socket_tcp", "CLAUDEMEM_HTTP__TCP=false claudemem-edge run", port=port)


def _shut_out(path: Path, group: str) -> Finding:
    user = _user(os.getuid())
    return problem("socket_shut", f"sudo usermod -aG {quote(group)} {quote(user)}", path=path, user=user, group=group)


def _other_group(wanted: str, group: str) -> Iterator[Finding]:
    try:
        grp.getgrnam(wanted)
    except KeyError:
        yield hint("socket_no_group", f"sudo groupadd --system {quote(wanted)}", wanted=wanted, group=group)
    else:
        yield hint("socket_group", "sudo systemctl restart claudemem-edge", wanted=wanted, group=group)


def _members(gid: int, mode: int) -> list[str]:
    """Return who may connect because of the group."""
    if not mode & stat.S_IWGRP:
        return []
    with suppress(KeyError):
        return [f"@{_group(gid)}", *grp.getgrgid(gid).gr_mem]
    return [f"@{gid}"]


def _user(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _group(gid: int) -> str:
    try:
        return grp.getgrgid(gid).gr_name
    except KeyError:
        return str(gid)
