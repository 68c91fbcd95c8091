"""Where the daemon's Unix socket is: one rule for the daemon and for everybody who calls it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

SYSTEM = Path("/run/claudemem-edge")
NAME = "api.sock"


def socket_path(option: str = "") -> Path:
    """Return the path of the socket: the option, $CLAUDEMEM_SOCKET, then the usual folders in turn.

    The folders: $RUNTIME_DIRECTORY (systemd's), /run/claudemem-edge if a socket is there, $XDG_RUNTIME_DIR, and
    where there is none of these /run/claudemem-edge for root and a folder of one's own for others.
    """
    named = option or os.environ.get("CLAUDEMEM_SOCKET", "")
    if named:
        return Path(named).expanduser()
    runtime = os.environ.get("RUNTIME_DIRECTORY", "").partition(":")[0]
    if runtime:
        return Path(runtime) / NAME
    if (SYSTEM / NAME).is_socket():
        return SYSTEM / NAME
    session = os.environ.get("XDG_RUNTIME_DIR", "")
    if session:
        return Path(session) / "claudemem-edge" / NAME
    if os.getuid() == 0:
        return SYSTEM / NAME
    return Path(tempfile.gettempdir()) / f"claudemem-edge-{os.getuid()}" / NAME
