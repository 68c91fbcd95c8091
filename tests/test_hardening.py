"""A real process, before and after it is closed to others. Where root runs the tests, the process is nobody's."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from fakes.child_daemon import Child

if TYPE_CHECKING:
    from collections.abc import Iterator

NOBODY = 65534
BECOME = f"""
import asyncio, ctypes, os, sys
def become_nobody():
    if os.geteuid() == 0:
        os.setgid({NOBODY})
        os.setuid({NOBODY})
        ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # as dumpable as any program that nobody starts
"""
DAEMON = f"""{BECOME}
import resource
from claudemem_edge.daemon import Daemon
from claudemem_edge.settings import read_settings

def daemon():
    path = sys.argv[sys.argv.index("--socket") + 1]
    return Daemon(read_settings(overrides={{"http": {{"socket": path, "tcp": False}}, "model": {{"echo": True}}}}))

set_limit, resource.setrlimit = resource.setrlimit, lambda *_: None
manager = os.environ.pop("NOTIFY_SOCKET")
first = daemon()  # which loads all there is to load: where the tests are installed, nobody may not enter
first._stop.set()
asyncio.run(first.run())
os.environ["NOTIFY_SOCKET"] = manager
second = daemon()
_, most = resource.getrlimit(resource.RLIMIT_CORE)
set_limit(resource.RLIMIT_CORE, (most, most))
if "--keep-limit" not in sys.argv:
    resource.setrlimit = set_limit
become_nobody()
sys.exit(asyncio.run(second.run()))
"""
OPEN = f"""{BECOME}
become_nobody()
print(flush=True)
sys.stdin.read()
"""
LOOK = f"""{BECOME}
become_nobody()
for name in sys.argv[2:]:
    try:
        with open(f"/proc/{{sys.argv[1]}}/{{name}}", "rb"):
            print(name, "open")
    except PermissionError:
        print(name, "shut")
"""
LOCK = """
import os, resource, sys
from pathlib import Path
from claudemem_edge.hardening import lock_memory
if sys.argv[1] == "limited":  # wide enough for all that is there now
    _, most = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    room = 1 << 30 if most == resource.RLIM_INFINITY else most
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (room, room))
    os.geteuid = lambda: 1000
print(lock_memory())
print(next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmLck")))
"""


@contextmanager
def nobodys_daemon(*options: str) -> Iterator[Child]:
    """Run a daemon in a folder where it may leave what it likes, with no limit to its core file but its own."""
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        Path(folder).chmod(0o777)
        patch.chdir(folder)
        child = Child(Path(folder), *options, program=("-c", DAEMON))
        try:
            child.hears("READY=1")
            yield child
        finally:
            child.close()


def look(pid: int, *names: str) -> set[str]:
    """Return what somebody of the same user finds open or shut of a process."""
    seen = subprocess.run([sys.executable, "-B", "-c", LOOK, str(pid), *names], stdout=subprocess.PIPE, check=True)
    return set(seen.stdout.decode().splitlines())


def test_any_other_process_lies_open_to_its_user() -> None:
    with subprocess.Popen([sys.executable, "-c", OPEN], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        assert look(other.pid, "maps", "environ") == {"maps open", "environ open"}


def test_nobody_of_the_same_user_looks_into_the_daemon() -> None:
    with nobodys_daemon() as child:
        assert look(child.process.pid, "maps", "environ", "mem") == {"maps shut", "environ shut", "mem shut"}
        with child.http() as http:
            assert http.get("/health").json()["status"] == "ok"


@pytest.mark.parametrize("options", [(), ("--keep-limit",)], ids=["its limit and itself", "itself alone"])
def test_a_daemon_that_is_aborted_leaves_no_core_file(options: tuple[str, ...]) -> None:
    with nobodys_daemon(*options) as child:
        pid = child.process.pid
        (limit,) = re.findall(r"Max core file size +(\S+ +\S+)", Path(f"/proc/{pid}/limits").read_text())
        assert options or limit.split() == ["0", "0"]
        child.process.send_signal(signal.SIGABRT)
        ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        assert ended is not None
        assert (ended.si_status, ended.si_code) == (signal.SIGABRT, os.CLD_KILLED)
        assert list(child.path.parent.glob("core*")) == []


def test_memory_is_locked_where_all_of_it_may_be() -> None:
    """Locked, or told why not: a container may forbid it even to root."""
    problem, locked = lock("free")
    assert (problem == "") == (locked > 0)
    assert problem == "" or "LimitMEMLOCK=infinity" in problem


def test_memory_is_not_locked_where_later_pages_would_be_refused() -> None:
    problem, locked = lock("limited")
    assert "LimitMEMLOCK=infinity" in problem
    assert locked == 0


def lock(limit: str) -> tuple[str, int]:
    """Return what was told, and how many kilobytes are locked."""
    told = subprocess.run([sys.executable, "-B", "-c", LOCK, limit], stdout=subprocess.PIPE, check=True, text=True)
    problem, status = told.stdout.splitlines()
    return problem, int(status.split()[1])
