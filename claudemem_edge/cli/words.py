"""What the command line says, in the language of the person at the terminal."""

from __future__ import annotations

import os
import tomllib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def chinese_locale(environment: Mapping[str, str]) -> bool:
    """Tell whether messages are wanted in Chinese, by the variables and in the order that POSIX names."""
    named = (environment.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    return next((value for value in named if value), "").lower().startswith("zh")


class Words:
    """The sentences of one language; without a wish, that of the locale."""

    def __init__(self, *, chinese: bool | None = None) -> None:
        self.chinese = chinese_locale(os.environ) if chinese is None else chinese

    def say(self, key: str, **values: object) -> str:
        """Return a sentence with its fields filled in."""
        return str(sentences("words.toml", chinese=self.chinese)[key]).format(**values)


def sentences(file: str, *, chinese: bool) -> dict[str, Any]:
    """Return the sentences that a file beside this one has in a language."""
    tables: dict[str, Any] = _tables(file)["zh" if chinese else "en"]
    return tables


@cache
def _tables(file: str) -> dict[str, Any]:
    return tomllib.loads((resources.files("claudemem_edge.cli") / file).read_text(encoding="utf-8"))
