"""What a reader makes of a language's tables, made once for each language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from claudemem_edge.language.pack import Language

Made = TypeVar("Made")


class PerLanguage(Generic[Made]):
    """Calls `make` the first time a language asks and hands out the same result from then on.

    Lexicons are few and live as long as the process, so nothing is ever dropped.
    """

    def __init__(self, make: Callable[[Language | None], Made]) -> None:
        self._make = make
        self._made: dict[int, tuple[Language | None, Made]] = {}

    def __call__(self, language: Language | None) -> Made:
        """Return what was made for this language; None stands for a language without a pack."""
        entry = self._made.get(id(language))
        if entry is None or entry[0] is not language:
            entry = self._made[id(language)] = (language, self._make(language))
        return entry[1]
