"""The two clocks of the machine, read together."""

from __future__ import annotations

import time
from datetime import datetime
from typing import TYPE_CHECKING

from claudemem_edge.shapes.times import Moment

if TYPE_CHECKING:
    from datetime import tzinfo


def read_clock(zone: tzinfo) -> Moment:
    """Return now on both clocks."""
    return Moment(datetime.now(zone), time.clock_gettime(time.CLOCK_BOOTTIME))
