"""What the system is asked to keep away from our memory: core files, others' eyes, the swap."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource

PR_SET_DUMPABLE = 4
MCL_CURRENT, MCL_FUTURE, MCL_ONFAULT = 1, 2, 4
"""All pages, those of now and those to come, each from its first use: thread stacks stay as small as they are used."""

REMEDY = "set LimitMEMLOCK=infinity in the unit, or ulimit -l unlimited"


def close_to_others() -> None:
    """Leave no core file, and let nobody but root look into this process, not even the same user.

    The limit alone would not do: a core handler behind a pipe ignores it, and it keeps no debugger out.
    """
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _call("prctl", PR_SET_DUMPABLE, 0, 0, 0, 0)


def lock_memory() -> str:
    """Keep every page of this process out of the swap. Return what is in the way, with what to do; else nothing.

    A limit that the pages of today fit in is in the way as well: those of tomorrow would be refused.
    """
    limit_bytes, _ = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    if limit_bytes != resource.RLIM_INFINITY and os.geteuid() != 0:
        return f"only {limit_bytes} bytes may be locked; {REMEDY}"
    try:
        _call("mlockall", MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT)
    except OSError as error:
        return f"{error.strerror}; {REMEDY}"
    return ""


def _call(name: str, *numbers: int) -> None:
    """Call a function of the C library that Python does not offer. Raises OSError."""
    library = ctypes.CDLL(None, use_errno=True)
    if getattr(library, name)(*numbers) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
