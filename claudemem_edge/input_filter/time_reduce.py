"""Runs a grammar's rules over pieces, stage after stage: in each, the longest match wins, then the earlier rule."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from claudemem_edge.input_filter.time_duration import measure
from claudemem_edge.input_filter.time_fields import finish, weekdays_of
from claudemem_edge.input_filter.time_grammar import GAP
from claudemem_edge.input_filter.time_pattern import bits
from claudemem_edge.input_filter.time_pieces import Piece

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable

    from claudemem_edge.input_filter.time_grammar import Form, Grammar, Prospects

RANGES = {
    "hour": (0, 24),
    "minute": (0, 59),
    "second": (0, 59),
    "month": (1, 12),
    "day": (1, 31),
    "year": (0, 2999),
    "quarter": (1, 4),
    "half_year": (1, 2),
    "nth": (1, 60),
    "interval": (1, 999),
    "count": (1, 999),
    "end_day": (1, 31),
}
MEASURED = frozenset({"duration"})
KEPT_WHOLE = frozenset({"first", "last", "edge", "edge_said", "base", "wrong", "right", "also", "also_then"})
"""Names of groups whose piece is kept as it is, not poured into the fields."""
LISTED = frozenset({"weekdays"})
PAST = "past_word"
"""Kind of the words that turn dates without a year to the past."""
MOST_PIECES = 400
MOST_VALUE = 1 << 62
SECOND_ORDINAL = 2
"""The unit "second" where a number is wanted is the ordinal."""


def reduce(pieces: list[Piece], grammar: Grammar) -> list[Piece]:
    """Return the pieces with everything joined that the rules can join; none when that makes no time."""
    pieces = pieces[:MOST_PIECES]
    if not _promising(pieces, grammar.prospects):
        return []
    pieces = _without_hopeless(pieces, grammar.prospects)
    codes = grammar.codes
    line = "".join([codes[piece.kind] for piece in pieces])
    have = bits(line)
    for stage in grammar.stages:
        made = _run(pieces, line, stage.possible(have))
        if made:
            pieces = _put(pieces, made)
            line = "".join([codes[piece.kind] for piece in pieces])
            have = bits(line)
    return pieces


def _promising(pieces: Iterable[Piece], prospects: Prospects) -> bool:
    """Tell whether any stretch between gaps can become a time, or is one already; no rule spans a gap."""
    bit_of = prospects.bit_of
    kinds = 0
    for piece in pieces:
        if piece.rule:
            return True
        if piece.kind != GAP:
            kinds |= bit_of[piece.kind]
        elif kinds:
            if prospects.good(kinds):
                return True
            kinds = 0
    return kinds != 0 and prospects.good(kinds)


def _without_hopeless(pieces: Iterable[Piece], prospects: Prospects) -> list[Piece]:
    """Return the pieces with a gap in place of what can become no time; words for the past stay wherever they stand."""
    kept: list[Piece] = []
    for is_gap, stretch in groupby(pieces, _is_gap):
        row = list(stretch)
        if is_gap or _promising(row, prospects):
            kept += row
        else:
            kept.append(Piece(GAP, row[0].start, row[-1].end))
            kept += [piece for piece in row if piece.kind == PAST]
    return kept


def _is_gap(piece: Piece) -> bool:
    return piece.kind == GAP


def _run(pieces: list[Piece], line: str, forms: Iterable[Form]) -> list[tuple[int, int, Piece]]:
    found: list[tuple[int, int, Form, re.Match[str]]] = []
    for form in forms:
        for match in form.pattern.finditer(line):
            start, end = match.span()
            if end > start:
                found.append((start - end, form.order, form, match))
    if not found:
        return []
    found.sort(key=lambda entry: entry[:2])
    made: list[tuple[int, int, Piece]] = []
    for _, _, form, match in found:
        start, end = match.span()
        if all(end <= other_start or start >= other_end for other_start, other_end, _ in made):
            piece = _make(pieces, form, match)
            if piece is not None:
                made.append((start, end, piece))
    return sorted(made, key=lambda entry: entry[0])


def _put(pieces: list[Piece], made: list[tuple[int, int, Piece]]) -> list[Piece]:
    result: list[Piece] = []
    at = 0
    for start, end, piece in made:
        result += pieces[at:start]
        result.append(piece)
        at = end
    return result + pieces[at:]


def _make(pieces: list[Piece], form: Form, match: re.Match[str]) -> Piece | None:
    """Return what the rule makes of its pieces; None when they contradict one another or a value is out of range."""
    start, end = match.span()
    part = pieces[start:end]
    fields: dict[str, Any] = dict(form.constants)
    named: set[int] = set()
    for name in match.re.groupindex:
        first, last = match.span(name)
        if first < 0:
            continue
        named.update(range(first, last))
        if not _fill(name, pieces[first:last], fields):
            return None
        bounded = name in form.least or name in form.most
        if bounded and not form.least.get(name, 0) <= fields[name] <= form.most.get(name, MOST_VALUE):
            return None
    if form.makes in MEASURED:
        duration = measure(part)
        if duration is None:
            return None
        fields["duration"] = duration
    else:
        for at, piece in enumerate(part, start):
            if at not in named and not _pour(piece, fields):
                return None
    if not finish(fields):
        return None
    return Piece(form.makes, part[0].start, part[-1].end, fields.pop("value", None), fields, form.id)


def _fill(name: str, group: list[Piece], fields: dict[str, Any]) -> bool:
    """Put a named group into the fields under its name. False when it cannot be."""
    if name in KEPT_WHOLE:
        fields[name] = group[0]
        return True
    if name in LISTED:
        fields[name] = [day for piece in group for day in weekdays_of(piece)]
        return True
    values = [piece.value for piece in group if piece.value is not None]
    if not values:
        return all(_pour(piece, fields) for piece in group)
    value = sum(values) if len(values) > 1 and all(isinstance(one, int) for one in values) else values[0]
    if name in RANGES:
        value = SECOND_ORDINAL if value == "second" else value
        low, high = RANGES[name]
        if not isinstance(value, int) or not (low <= value <= high or (name == "nth" and value == -1)):
            return False
    return _agree(name, value, fields)


def _pour(piece: Piece, fields: dict[str, Any]) -> bool:
    given = piece.fields or (piece.value if isinstance(piece.value, dict) else {})
    return all(_agree(name, value, fields) for name, value in given.items())


def _agree(name: str, value: object, fields: dict[str, Any]) -> bool:
    return bool(fields.setdefault(name, value) == value)
