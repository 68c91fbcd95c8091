"""How a family of models wants its block: data in `profiles/*.toml`, each file saying what differs from default."""

from __future__ import annotations

import difflib
import tomllib
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib import resources
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from claudemem_edge.errors import PackError
from claudemem_edge.shapes.context import KEYED, Profile

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.resources.abc import Traversable

CHOICES = {"style": ("sentence", *KEYED), "role": ("user", "system"), "template": ("chat", "plain")}
NUMBERS = frozenset({"limit_chars", "limit_tokens", "history_tokens"})
TRUTHS = frozenset({"asks_only", "trusted"})
TABLES = frozenset({"tokens_per_char", "system", "closing", "options", "request", "labels"})
KEYS = frozenset({*CHOICES, *NUMBERS, *TRUTHS, *TABLES, "families"})
LOAD_TIME = frozenset(
    {"num_ctx", "num_batch", "num_gpu", "main_gpu", "use_mmap", "num_thread", "draft_num_predict", "numa", "low_vram"}
)
"""Options that make Ollama load the model anew when they change: none of them may ever come from us."""


@lru_cache(maxsize=1)
def load_profiles() -> Mapping[str, Profile]:
    """Return every profile by name; `default` is always among them. Raises PackError."""
    folder = resources.files("claudemem_edge") / "model" / "profiles"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name)
    tables = {file.name.removesuffix(".toml"): _read(file) for file in files}
    default = tables["default"]
    return MappingProxyType({name: _profile(name, table, default) for name, table in tables.items()})


def profile_for(name: str, family: str = "") -> Profile:
    """Return the profile of a model: the longest pattern that fits its name, else its family, else default."""
    profiles = load_profiles()
    for known_as in (name.lower().rpartition("/")[2].removesuffix(":latest"), family.lower()):
        fits = [
            (len(pattern), profile)
            for profile in profiles.values()
            for pattern in profile.families
            if fnmatchcase(known_as, pattern)
        ]
        if fits:
            return max(fits, key=lambda fit: fit[0])[1]
    return profiles["default"]


def named_profile(name: str) -> Profile:
    """Return a profile by its own name. Raises PackError with the names there are."""
    profiles = load_profiles()
    if name not in profiles:
        raise PackError(f"no profile {name}; there are {', '.join(profiles)}")
    return profiles[name]


def _read(file: Traversable) -> dict[str, Any]:
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise PackError(f"{file.name}: {error}") from None
    check_profile(table, file.name)
    return table


def check_profile(table: dict[str, Any], where: str) -> None:
    """Raise PackError, naming file and key, unless the table can be a profile."""
    for key, value in table.items():
        if key not in KEYS:
            close = difflib.get_close_matches(key, KEYS, 1)
            raise PackError(f"{where}: {key} is not known" + (f"; did you mean {close[0]}?" if close else ""))
        if key in CHOICES and value not in CHOICES[key]:
            raise PackError(f"{where}: {key} is one of {', '.join(CHOICES[key])}")
        least = 0 if key == "history_tokens" else 1
        if key in NUMBERS and (not isinstance(value, int) or value < least):
            raise PackError(f"{where}: {key} is a whole number, at least {least}")
        if key in TRUTHS and not isinstance(value, bool):
            raise PackError(f"{where}: {key} is true or false")
        if key in TABLES and not isinstance(value, dict):
            raise PackError(f"{where}: {key} is a table")
    if load_time := LOAD_TIME & table.get("options", {}).keys():
        raise PackError(f"{where}: {', '.join(sorted(load_time))} would load the model anew; leave it to the server")
    if table.get("template") == "plain" and not table.get("labels"):
        raise PackError(f"{where}: a plain template needs labels")


def _profile(name: str, table: dict[str, Any], default: dict[str, Any]) -> Profile:
    fields: dict[str, Any] = {**default, **table}
    for key in TABLES & fields.keys():
        fields[key] = MappingProxyType({**default.get(key, {}), **table.get(key, {})})
    if "labels" in fields:
        fields["labels"] = MappingProxyType({code: tuple(pair) for code, pair in fields["labels"].items()})
    fields["families"] = tuple(table.get("families", ()))
    return Profile(name=name, **fields)
