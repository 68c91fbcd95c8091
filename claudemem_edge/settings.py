"""Reads the settings, tells all mistakes at once, and hands each part its own options."""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic_core import SchemaValidator, ValidationError
from pydantic_core import core_schema as core

from claudemem_edge.errors import SettingsError, did_you_mean
from claudemem_edge.shapes.options import (
    AlarmOptions,
    HttpOptions,
    MemoryOptions,
    ModelOptions,
    MqttOptions,
    SessionOptions,
    TurnOptions,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import tzinfo

    from pydantic_core import CoreSchema

EX_CONFIG = 78
"""Exit status for wrong settings (sysexits.h): systemd does not restart on it."""
PREFIX = "CLAUDEMEM_"
_HOURS = re.compile(r"(?:[01]\d|2[0-3]):[0-5]\d-(?:[01]\d|2[0-3]):[0-5]\d")
_LENGTH = re.compile(r"-?\d+(?:\.\d+)?(?:ms|s|m|h)")
SPELLINGS = {
    ("model", "keep_alive"): (_LENGTH, '"30m", or "-1s" for ever'),
    ("alarm", "quiet"): (_HOURS, '"22:00-07:00"'),
}
OWN_VARIABLES = frozenset({"CLAUDEMEM_SOCKET"})
_TOKEN = re.compile(r"[^\s\x00-\x1f\x7f]+")
_SCOPES = re.compile(r"[a-z0-9_*-]{1,64}")
TOKEN_LEAST_CHARS = 16
"""Whoever can be reached from elsewhere can be tried from elsewhere."""
TOKENS_WISH = 'write it like { "a-long-secret" = ["grandma", "visit-*"] }'


@dataclass(slots=True, frozen=True)
class LanguageOptions:
    """What to read with, and in which zone."""

    languages: tuple[str, ...] = ("zh", "en")
    packs: tuple[str, ...] = ("core",)
    folders: tuple[str, ...] = ()
    zone: str = ""


@dataclass(slots=True, frozen=True)
class LogOptions:
    """How much is logged. `access`: a line for each request; `log_text`: what people say as well, at level debug."""

    level: str = "info"
    access: bool = False
    log_text: bool = False


@dataclass(slots=True, frozen=True)
class ClockOptions:
    """Whether the machine's clock can be relied on: "auto", "yes" or "no"."""

    trusted: str = "auto"


@dataclass(slots=True, frozen=True)
class ProcessOptions:
    """What is asked of the system for the process."""

    lock_memory: bool = False


@dataclass(slots=True, frozen=True)
class Settings:
    """All of it, one member a section of `defaults.toml`."""

    language: LanguageOptions = field(default_factory=LanguageOptions)
    memory: MemoryOptions = field(default_factory=MemoryOptions)
    sessions: SessionOptions = field(default_factory=SessionOptions)
    turn: TurnOptions = field(default_factory=TurnOptions)
    model: ModelOptions = field(default_factory=ModelOptions)
    http: HttpOptions = field(default_factory=HttpOptions)
    mqtt: MqttOptions = field(default_factory=MqttOptions)
    alarm: AlarmOptions = field(default_factory=AlarmOptions)
    clock: ClockOptions = field(default_factory=ClockOptions)
    log: LogOptions = field(default_factory=LogOptions)
    process: ProcessOptions = field(default_factory=ProcessOptions)

    def zone(self) -> tzinfo:
        """Return the zone of the settings, else the machine's. The settings were checked: no error."""
        if self.language.zone:
            return ZoneInfo(self.language.zone)
        from tzlocal import get_localzone  # noqa: PLC0415 (only the daemon asks, once)

        return get_localzone()


DEFAULTS = Path(__file__).with_name("defaults.toml")
SECTIONS: Mapping[str, Any] = get_type_hints(Settings)
NAMES = core.tuple_variable_schema(core.str_schema())
LIST, TABLE = tuple[str, ...], tuple[tuple[str, tuple[str, ...]], ...]
KINDS: Mapping[Any, CoreSchema] = {
    str: core.str_schema(),
    bool: core.bool_schema(),
    int: core.int_schema(),
    float: core.float_schema(allow_inf_nan=False),
    LIST: NAMES,
    TABLE: core.tuple_variable_schema(core.tuple_schema([core.str_schema(), NAMES])),
}
"""How a value of each type is checked. A variable's text is taken for the number or truth value it spells."""
CHOICES = {
    ("turn", "history"): ("none", "grow", "slide"),
    ("clock", "trusted"): ("auto", "yes", "no"),
    ("log", "level"): ("debug", "info", "warning", "error"),
}


def read_settings(environment: Mapping[str, str] | None = None, overrides: Mapping[str, Any] | None = None) -> Settings:
    """Return the settings from defaults, files, environment and `overrides` ({"section": {"key": value}}).

    Raises SettingsError, which names every mistake with its place and the nearest right name.
    """
    environment = os.environ if environment is None else environment
    problems: list[str] = []
    values: dict[str, dict[str, Any]] = {section: {} for section in SECTIONS}
    defaults = tomllib.loads(DEFAULTS.read_text(encoding="utf-8"))
    sources = [("defaults.toml", defaults), *_files(environment, problems), *_variables(environment, problems)]
    for where, tables in [*sources, ("the command line", overrides or {})]:
        _merge(values, where, tables, problems)
    sections = {name: _section(name, values[name], problems) for name in SECTIONS}
    if not problems:
        problems.extend(_checks(Settings(**sections)))
    if problems:
        raise SettingsError(tuple(problems))
    return Settings(**sections)


def settings_files(environment: Mapping[str, str]) -> Iterator[Path]:
    """Give the settings files there are, in the order in which they are read."""
    home = environment.get("XDG_CONFIG_HOME") or str(Path(environment.get("HOME", "/")) / ".config")
    for folder in (Path("/etc/claudemem-edge"), Path(home) / "claudemem-edge"):
        yield from sorted(folder.glob("*.toml")) if folder.is_dir() else ()


def _files(environment: Mapping[str, str], problems: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path in settings_files(environment):
        try:
            yield str(path), tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            problems.append(f"{path}: {error}")


def _variables(environment: Mapping[str, str], problems: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name in sorted(environment):
        if not name.startswith(PREFIX) or name in OWN_VARIABLES:
            continue
        section, separator, key = name.removeprefix(PREFIX).lower().partition("__")
        if not separator:
            problems.append(f"{name}: write {PREFIX}SECTION__KEY, as in CLAUDEMEM_MODEL__NAME")
            continue
        kind = get_type_hints(SECTIONS[section]).get(key) if section in SECTIONS else None
        try:
            yield name, {section: {key: _spelled(environment[name], kind)}}
        except tomllib.TOMLDecodeError:  # whose text may show a token
            problems.append(f"{name}: this is no TOML; {TOKENS_WISH}")


def _spelled(text: str, kind: Any) -> Any:
    """Return what a variable spells: a table in TOML's own way, a list with commas. Raises TOMLDecodeError."""
    if kind == TABLE:
        return tomllib.loads(f"it = {text or '{}'}")["it"]
    return [one.strip() for one in text.split(",") if one.strip()] if kind == LIST else text


def _merge(values: dict[str, dict[str, Any]], where: str, tables: Mapping[str, Any], problems: list[str]) -> None:
    for section, table in tables.items():
        if section not in SECTIONS:
            problems.append(f"{where}: no section [{section}]{_meant(section, SECTIONS)}")
            continue
        if not hasattr(table, "items"):
            problems.append(f"{where}: [{section}] is a section of its own, not a value")
            continue
        keys = get_type_hints(SECTIONS[section])
        for key, value in table.items():
            if key in keys:
                values[section][key] = value
            else:
                problems.append(f"{where}: no setting {key} in [{section}]{_meant(key, keys)}")


def _meant(name: str, known: Mapping[str, Any]) -> str:
    return did_you_mean(name, known) or f"; there are {', '.join(known)}"


def _section(name: str, values: dict[str, Any], problems: list[str]) -> Any:
    if name == "http" and "tokens" in values:
        values = {**values, "tokens": _tokens(values["tokens"], problems)}
    fields = {key: core.typed_dict_field(KINDS[kind]) for key, kind in get_type_hints(SECTIONS[name]).items()}
    try:
        validator = SchemaValidator(core.typed_dict_schema(fields, total=False), {"hide_input_in_errors": True})
        return SECTIONS[name](**validator.validate_python(values))
    except ValidationError as error:
        for one in error.errors(include_input=False, include_url=False, include_context=False):
            problems.append(f"[{name}] {'.'.join(str(part) for part in one['loc'])}: {one['msg']}")  # noqa: PERF401 (clearer so)
        return SECTIONS[name]()


def _tokens(table: Any, problems: list[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return a table of tokens; what is wrong with it is told without any of them."""
    if not isinstance(table, dict) or not all(isinstance(scopes, list) for scopes in table.values()):
        problems.append(f"[http] tokens: a table of tokens, each with its list of scopes; {TOKENS_WISH}")
        return ()
    found = []
    for number, (token, scopes) in enumerate(table.items(), 1):
        if not _TOKEN.fullmatch(token):
            problems.append(f"[http] tokens: token {number} is empty or holds a space; no client can send that")
        elif not scopes or not all(isinstance(one, str) and _SCOPES.fullmatch(one) for one in scopes):
            problems.append(f"[http] tokens: token {number} needs names of scopes, or *; {TOKENS_WISH}")
        else:
            found.append((token, tuple(scopes)))
    return tuple(found)


def _words(settings: Settings) -> Iterator[str]:
    for (section, key), choices in CHOICES.items():
        if getattr(getattr(settings, section), key) not in choices:
            yield f"[{section}] {key}: one of {', '.join(choices)}"
    for (section, key), (spelling, wish) in SPELLINGS.items():
        value = getattr(getattr(settings, section), key)
        if value and not spelling.fullmatch(value):
            yield f"[{section}] {key}: write it like {wish}"


def _checks(settings: Settings) -> Iterator[str]:
    yield from _words(settings)
    for section in SECTIONS:
        part = getattr(settings, section)
        for key, kind in get_type_hints(SECTIONS[section]).items():
            if kind in {int, float} and getattr(part, key) < 0:
                yield f"[{section}] {key}: not below zero"
    if settings.language.zone:
        try:
            ZoneInfo(settings.language.zone)
        except (ZoneInfoNotFoundError, ValueError):
            yield '[language] zone: no such time zone; write it like "Europe/London"'
    http = settings.http
    if http.tcp and http.tcp_host not in {"127.0.0.1", "::1", "localhost"}:
        if not (http.tokens and http.require_scope):
            yield "[http] tcp_host: beyond loopback only with tokens and require_scope = true"
        if any(len(token) < TOKEN_LEAST_CHARS for token, _ in http.tokens):
            yield f"[http] tokens: {TOKEN_LEAST_CHARS} characters at least beyond loopback, as of openssl rand -hex 16"
