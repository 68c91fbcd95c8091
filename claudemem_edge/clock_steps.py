"""Tells when the wall clock jumps: set by hand, by the network, or after the machine slept. No timer of a loop does."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ABSOLUTE_AND_CANCELLED_BY_STEPS = 1 | 2
"""TFD_TIMER_ABSTIME and TFD_TIMER_CANCEL_ON_SET of timerfd_create(2), which also counts waking up as setting."""
NEVER_S = 7258118400
"""The year 2200: the timer is there to be cancelled, not to go off."""


@contextlib.contextmanager
def watching(on_step: Callable[[], None], at_latest_s: float = NEVER_S) -> Iterator[None]:
    """Call `on_step` in the running loop whenever the wall clock was set, and at an instant in seconds since 1970.

    Where the kernel has no such timer, nothing is called.
    """
    kernel = ctypes.CDLL(None, use_errno=True)
    timer = kernel.timerfd_create(time.CLOCK_REALTIME, os.O_NONBLOCK | os.O_CLOEXEC)
    if timer < 0:
        yield
        return
    loop = asyncio.get_running_loop()
    whole_s, rest_s = divmod(at_latest_s, 1)
    until = (ctypes.c_long * 4)(0, 0, int(whole_s), int(rest_s * 1e9))

    def arm() -> None:
        kernel.timerfd_settime(timer, ABSOLUTE_AND_CANCELLED_BY_STEPS, until, None)

    def look() -> None:
        with contextlib.suppress(OSError):  # ECANCELED is how a step is told
            os.read(timer, 8)
            until[2] = NEVER_S
        arm()
        on_step()

    arm()
    loop.add_reader(timer, look)
    try:
        yield
    finally:
        loop.remove_reader(timer)
        os.close(timer)
