"""What a pack may say: the fields of each file's rules, and what a pattern must not do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from claudemem_edge.errors import PackError, did_you_mean
from claudemem_edge.shapes.reading import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

COMMON = frozenset({"name", "needs", "pattern", "engine", "note"})
EFFECTS = frozenset({"question", "hypothetical", "wish", "joke", "story", "quote", "assistant", "unsure", "reported"})
FIELDS: Mapping[str, Mapping[str, type | frozenset[str]] | None] = {
    "commands": {"command": COMMANDS | {"polite"}, "argument": str, "alone": bool, "times": bool},
    "reminders": {"text": str, "unclear": bool, "counts_down": bool, "wakes": bool},
    "questions": {
        "effect": EFFECTS,
        "reach": frozenset({"clause", "sentence", "utterance"}),
        "at": frozenset({"start", "whole"}),
    },
    "times": None,
    "mentions": None,
    "references": None,
    "claims": None,
    "corrections": None,
}
"""File stem → what its rules may have besides the common fields, each with its type or its values.

None: the reader of that file checks them.
"""
REQUIRED: Mapping[str, tuple[str, ...]] = {"commands": ("command",), "questions": ("effect",)}
ABOUT = {"language": str, "title": str, "script": str, "joined": bool, "owner": str, "licence": str}
SCRIPTS = frozenset({"han", "latin"})
RULE_NAME = re.compile(r"[a-z][a-z0-9_]*\Z")
ESCAPE_OR_CLASS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
OPEN_REPEAT = re.compile(r"(?<!\()[*+]|\{\d+,\}")


def check_about(about: Mapping[str, Any], path: Path) -> None:
    """Check `pack.toml`. Raises PackError."""
    for key, kind in ABOUT.items():
        if not isinstance(about.get(key), kind):
            raise PackError(f"{path}: {key} is missing or not of the right kind" + did_you_mean(key, about))
    if about["script"] not in SCRIPTS:
        raise PackError(f"{path}: script is one of {', '.join(sorted(SCRIPTS))}")


def check_fields(stem: str, table: Mapping[str, Any], where: str) -> None:
    """Check the fields of one rule of the file `stem`. Raises PackError."""
    if stem not in FIELDS:
        raise PackError(f"{where}: no reader takes rules from {stem}.toml" + did_you_mean(stem, FIELDS))
    for key in ("name", "pattern"):
        if not isinstance(table.get(key), str):
            raise PackError(f"{where}: {key} is missing" + did_you_mean(key, table))
    if not RULE_NAME.match(table["name"]):
        raise PackError(f"{where}: a name is made of a-z, 0-9 and _")
    needs = table.get("needs", [])
    if not isinstance(needs, list) or not all(isinstance(need, str) and need for need in needs):
        raise PackError(f"{where}: needs is a list of terms of which one must stand in the text")
    if table.get("engine", "re") not in {"re", "regex"}:
        raise PackError(f"{where}: engine is re or regex")
    own = FIELDS[stem]
    if own is not None:
        _check_own_fields(stem, own, table, where)


def _check_own_fields(
    stem: str, own: Mapping[str, type | frozenset[str]], table: Mapping[str, Any], where: str
) -> None:
    for key in REQUIRED.get(stem, ()):
        if key not in table:
            raise PackError(f"{where}: {key} is missing" + did_you_mean(key, table))
    for key in table.keys() - COMMON:
        allowed = own.get(key)
        if allowed is None:
            raise PackError(f"{where}: a rule of {stem}.toml has no {key}" + did_you_mean(key, [*own, *COMMON]))
        if isinstance(allowed, type) and not isinstance(table[key], allowed):
            raise PackError(f"{where}: {key} is of the wrong kind")
        if isinstance(allowed, frozenset) and table[key] not in allowed:
            raise PackError(f"{where}: {key} is no {table[key]}" + did_you_mean(str(table[key]), allowed))


def unbounded(source: str) -> str:
    """Return the first repeat of a pattern without an upper bound, "" when every one has one.

    Without bounds a search over hostile text takes quadratic time, or worse.
    """
    found = OPEN_REPEAT.search(ESCAPE_OR_CLASS.sub("x", source))
    return found.group() if found else ""
