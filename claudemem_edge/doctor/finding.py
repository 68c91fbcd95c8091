"""One thing that was looked at: how it is, and what to type where it is not well."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Grade(StrEnum):
    """How bad it is. A problem keeps something from working, or breaks a promise about what people say."""

    OK = "ok"
    HINT = "hint"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(slots=True, frozen=True)
class Finding:
    """`code` names its sentence, `values` fill that in, `commands` are to be typed as they are."""

    code: str
    grade: Grade
    values: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    commands: tuple[str, ...] = ()


def fine(code: str, **values: object) -> Finding:
    """Return a finding that is as it should be."""
    return Finding(code, Grade.OK, values)


def hint(code: str, *commands: str, **values: object) -> Finding:
    """Return a finding worth knowing."""
    return Finding(code, Grade.HINT, values, commands)


def warning(code: str, *commands: str, **values: object) -> Finding:
    """Return a finding that will trouble somebody."""
    return Finding(code, Grade.WARNING, values, commands)


def problem(code: str, *commands: str, **values: object) -> Finding:
    """Return a finding that must be changed."""
    return Finding(code, Grade.PROBLEM, values, commands)
