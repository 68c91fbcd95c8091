"""What fields mean together: quarters become minutes, a span of weekdays a list, a correction what was meant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from claudemem_edge.input_filter.time_calendar import CALENDAR_FIELDS
from claudemem_edge.input_filter.time_clock import CLOCK_FIELDS
from claudemem_edge.input_filter.time_duration import one_of

if TYPE_CHECKING:
    from claudemem_edge.input_filter.time_pieces import Piece

CLOCK_UNITS = frozenset({"hour", "minute", "second"})


def finish(fields: dict[str, Any]) -> bool:
    """Work out the fields that stand for others, in place. False when they make no sense."""
    if "wrong" in fields:
        _correct(fields)
    if "edge_said" in fields:
        fields["edge"] = fields.pop("edge_said")
    if "rest" in fields:
        fields["value"] = fields.pop("century") * 100 + fields.pop("rest")
    if "tenths" in fields:
        fields["value"] = float(f"{fields.pop('whole')}.{fields.pop('tenths')}")
    if "span" in fields:
        fields["duration"] = one_of(fields.pop("span"))
    if "to_weekday" in fields:
        _weekday_span(fields)
    if "gap_count" in fields:
        count = fields.pop("gap_count")
        fields["interval"] = count if fields.get("repeat") in CLOCK_UNITS else count + 1
    return _finish_clock(fields)


def _finish_clock(fields: dict[str, Any]) -> bool:
    if "quarters" in fields:
        quarters = fields.pop("quarters")
        if quarters not in {1, 2, 3}:
            return False
        fields["minute"] = 15 * quarters
    if "hour_said" in fields:
        fields["hour"] = fields.pop("hour_said")
    if "quarters_less" in fields:
        fields["less"] = 15 * fields.pop("quarters_less")
    if "hundreds" in fields:
        fields["hour"], fields["minute"] = divmod(fields.pop("hundreds"), 100)
    return bool(max(fields.get("less", 0), fields.get("minute", 0)) < 60)


def weekdays_of(piece: Piece) -> list[int]:
    """Return the weekdays a piece names: itself, a set of them, or digits that count from Monday as one."""
    if isinstance(piece.value, list):
        return piece.value
    if not isinstance(piece.value, int):
        return []
    if piece.kind in {"number", "digits"}:
        return [int(digit) - 1 for digit in str(piece.value) if 1 <= int(digit) <= 7]
    return [piece.value]


def _weekday_span(fields: dict[str, Any]) -> None:
    first, last = fields.pop("from_weekday"), fields.pop("to_weekday")
    count = (last - first) % 7 + 1
    fields["weekdays"] = [(first + step) % 7 for step in range(count)]


def _correct(fields: dict[str, Any]) -> None:
    """Let the last word win; what it leaves open is as it was said before."""
    wrong, right = fields.pop("wrong").fields, fields.pop("right").fields
    kept = dict(wrong)
    for family in (CLOCK_FIELDS, CALENDAR_FIELDS):
        said = family & right.keys()
        if said:
            keep_part = family is CLOCK_FIELDS and "meridiem" not in right
            kept = {name: value for name, value in kept.items() if name not in family or (name == "part" and keep_part)}
    fields |= kept | right
