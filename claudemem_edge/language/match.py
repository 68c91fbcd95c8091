"""Patterns of the `regex` package, held to a time limit: for owners' own rules and for rules that need that engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

TIMEOUT_S = 0.05
"""Processor time of the whole process, as `regex` counts it: a backstop, no promise."""
NO_END = 1 << 30


class TimedPattern:
    """As much of `re.Pattern` as readers use. A search that takes too long has found nothing."""

    def __init__(self, source: str) -> None:
        import regex  # noqa: PLC0415 (12 ms and 2 MB that most processes never need)

        self.pattern = source
        self._compiled: Any = regex.compile(source)

    def search(self, text: str, pos: int = 0, endpos: int = NO_END) -> re.Match[str] | None:
        """Return the first match anywhere between `pos` and `endpos`."""
        return self._try(self._compiled.search, text, pos, endpos)

    def match(self, text: str, pos: int = 0, endpos: int = NO_END) -> re.Match[str] | None:
        """Return a match that begins at `pos`."""
        return self._try(self._compiled.match, text, pos, endpos)

    def fullmatch(self, text: str, pos: int = 0, endpos: int = NO_END) -> re.Match[str] | None:
        """Return a match from `pos` to `endpos`."""
        return self._try(self._compiled.fullmatch, text, pos, endpos)

    def finditer(self, text: str, pos: int = 0, endpos: int = NO_END) -> Iterator[re.Match[str]]:
        """Give one match after the other."""
        try:
            yield from self._compiled.finditer(text, pos, min(endpos, len(text)), timeout=TIMEOUT_S)
        except TimeoutError:
            return

    @staticmethod
    def _try(run: Any, text: str, pos: int, endpos: int) -> re.Match[str] | None:
        try:
            found: re.Match[str] | None = run(text, pos, min(endpos, len(text)), timeout=TIMEOUT_S)
        except TimeoutError:
            return None
        return found
