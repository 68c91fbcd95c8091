"""From what was read to instants, against now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from claudemem_edge.input_filter.time_point import point
from claudemem_edge.input_filter.time_range import bound, stretch
from claudemem_edge.input_filter.time_repeat import recur

if TYPE_CHECKING:
    from collections.abc import Mapping

    from claudemem_edge.input_filter.time_point import Answer, Setting


def resolve(fields: Mapping[str, Any], setting: Setting) -> Answer | None:
    """Return the answer for the fields of any piece; None when there is no such time."""
    try:
        if "repeat" in fields:
            return recur(fields, setting)
        if "first" in fields:
            return stretch(fields, setting)
        return bound(fields, setting) if "edge" in fields else point(fields, setting)
    except (ValueError, OverflowError):
        return None
