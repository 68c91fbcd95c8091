"""The sockets of the HTTP door, bound by ourselves: who may connect is settled before anybody can."""

from __future__ import annotations

import errno
import fcntl
import grp
import ipaddress
import os
import socket
import stat
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from claudemem_edge.errors import SettingsError
from claudemem_edge.systemd_notify import take_sockets
from claudemem_edge.transport.address import socket_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from claudemem_edge.shapes.options import HttpOptions

SOCKET_MODE = 0o660
FOLDER_MODE = 0o755
OWN_FOLDER_MODE = 0o700
PATH_MOST_BYTES = 107
"""The system's own limit."""
BACKLOG = 128
TCP_OPTIONS = (
    (socket.SOL_SOCKET, socket.SO_REUSEADDR, 1),
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 60),
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 15),
    (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 4),
)
"""Connections inherit them: who listens for events and vanishes without a word is let go after two minutes."""


class UnixListener:
    """A listening Unix socket and its file. `close` removes the file only if it is `ours`, and still this socket's."""

    def __init__(self, path: Path, listening: socket.socket, *, ours: bool = True) -> None:
        self.path = path
        self.socket = listening
        self._file = _identity(path) if ours else None

    def close(self) -> None:
        """Stop listening and remove the file, unless it is the service manager's or another daemon's by now."""
        self.socket.close()
        with suppress(FileNotFoundError):
            if self._file and _identity(self.path) == self._file:
                self.path.unlink()


def open_listeners(options: HttpOptions) -> tuple[list[UnixListener], list[socket.socket]]:
    """Open what the settings name: Unix sockets and TCP sockets. Raises SettingsError.

    What the service manager has opened already stands in for what the settings say of its kind.
    """
    handed = take_sockets()
    guarded = bool(options.tokens) and options.require_scope
    unix: list[UnixListener] = []
    tcp: list[socket.socket] = []
    try:
        for one in handed:
            _check_kind(one)
        unix += [take_unix(one) for one in handed if one.family == socket.AF_UNIX]
        tcp += [take_tcp(one, guarded=guarded) for one in handed if one.family != socket.AF_UNIX]
        if not unix:
            unix.append(listen_unix(socket_path(options.socket), options.socket_group))
        if options.tcp and not tcp:
            tcp.append(listen_tcp(options.tcp_host, options.tcp_port, guarded=guarded))
    except BaseException:
        for listener in unix:
            listener.close()
        for one in (*tcp, *handed):
            one.close()
        raise
    return unix, tcp


def listen_unix(path: Path, group: str = "") -> UnixListener:
    """Listen on a Unix socket of mode 0660, of `group` if there is one and we may hand it over.

    A file nobody answers on is replaced; a live socket, or a file of another kind, is left alone. Raises
    SettingsError.
    """
    if len(os.fsencode(path)) > PATH_MOST_BYTES:
        raise SettingsError((f"http.socket: the path is longer than {PATH_MOST_BYTES} bytes",))
    try:
        _make_folder(path.parent)
        with _alone_in(path.parent):
            _check_free(path)
            return _bind(path, group)
    except OSError as error:
        raise SettingsError((f"http.socket: cannot listen on {path}: {error.strerror}",)) from None


def listen_tcp(host: str, port: int, *, guarded: bool) -> socket.socket:
    """Listen on TCP: on loopback, or anywhere once the door is `guarded` by tokens. Raises SettingsError."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError:
        raise SettingsError((f"http.tcp_host: {host} is no address of this machine",)) from None
    _check_reach(str(address[0]), guarded=guarded)
    listening = socket.socket(family, kind, protocol)
    try:
        _set_tcp_options(listening)
        listening.bind(address)
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        taken = "another program listens there" if error.errno == errno.EADDRINUSE else str(error.strerror)
        raise SettingsError((f"http.tcp_port: cannot listen on {host}:{port}: {taken}",)) from None
    listening.setblocking(False)
    return listening


def take_unix(listening: socket.socket) -> UnixListener:
    """Listen on a Unix socket that the service manager opened, unless everybody may use it. Raises SettingsError."""
    name = os.fsdecode(listening.getsockname())
    if name[:1] in {"", "\0"}:
        raise SettingsError(("an abstract socket is open to everybody; give ListenStream= a path in the .socket unit",))
    path = Path(name)
    with suppress(OSError):
        if path.stat().st_mode & stat.S_IWOTH:
            raise SettingsError((f"everybody may use {path}; set SocketMode=0660 in the .socket unit",))
    return UnixListener(path, listening, ours=False)


def take_tcp(listening: socket.socket, *, guarded: bool) -> socket.socket:
    """Listen on a TCP socket that the service manager opened, where we would too. Raises SettingsError."""
    _check_reach(str(listening.getsockname()[0]), guarded=guarded)
    _set_tcp_options(listening)
    return listening


def _check_kind(listening: socket.socket) -> None:
    """Raise SettingsError, unless this is a socket that takes connections."""
    known = listening.family in {socket.AF_UNIX, socket.AF_INET, socket.AF_INET6}
    waits = listening.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    if not known or not waits or listening.type != socket.SOCK_STREAM:
        raise SettingsError(("the .socket unit hands over no listening socket; it needs ListenStream= and Accept=no",))


def _check_reach(address: str, *, guarded: bool) -> None:
    if not guarded and not ipaddress.ip_address(address).is_loopback:
        raise SettingsError(
            (f"http.tcp_host: {address} can be reached from elsewhere; set http.tokens and http.require_scope",)
        )


def _set_tcp_options(listening: socket.socket) -> None:
    for level, option, value in TCP_OPTIONS:
        listening.setsockopt(level, option, value)


def _identity(path: Path) -> tuple[int, int]:
    status = path.lstat()
    return status.st_dev, status.st_ino


def _make_folder(folder: Path) -> None:
    own = folder.name.startswith("claudemem-edge-")
    folder.mkdir(mode=OWN_FOLDER_MODE if own else FOLDER_MODE, parents=True, exist_ok=True)
    if own and folder.lstat().st_uid != os.getuid():
        raise SettingsError((f"http.socket: {folder} belongs to somebody else; give a path of your own with --socket",))


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Keep other daemons from looking and binding at the same time: the folder itself is the lock."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SettingsError((f"http.socket: another daemon is just starting in {folder}; try again",)) from None
        yield
    finally:
        os.close(handle)


def _check_free(path: Path) -> None:
    try:
        kind = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(kind):
        raise SettingsError((f"http.socket: {path} is there already and is no socket; it is left alone",))
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)
        if probe.connect_ex(os.fspath(path)) not in {errno.ECONNREFUSED, errno.ENOENT}:
            raise SettingsError(
                (f"http.socket: another daemon answers on {path}; stop it, or give another path with --socket",)
            )


def _bind(path: Path, group: str) -> UnixListener:
    """Bind with no rights at all, give the file its group and mode, then listen: until then nobody gets in."""
    path.unlink(missing_ok=True)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        mask = os.umask(0o777)
        try:
            listening.bind(os.fspath(path))
        finally:
            os.umask(mask)
        with suppress(KeyError, PermissionError):
            os.chown(path, -1, grp.getgrnam(group).gr_gid)
        path.chmod(SOCKET_MODE)
        listening.listen(BACKLOG)
    except BaseException:
        listening.close()
        path.unlink(missing_ok=True)
        raise
    listening.setblocking(False)
    return UnixListener(path, listening)
