"""What our own doors send along of earlier turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from claudemem_edge.model.prompt import Message

MODES = ("none", "grow", "slide")
WIDE_FROM = "\u2e80"
"""From here on a character is a word or a syllable of its own (Chinese, Japanese, Korean)."""


def count_tokens(text: str, tokens_per_char: Mapping[str, float]) -> float:
    """Return about how many tokens a text costs."""
    wide = sum(character >= WIDE_FROM for character in text)
    return wide * tokens_per_char.get("zh", 1.0) + (len(text) - wide) * tokens_per_char.get("en", 0.3)


class History:
    """Pairs of user and assistant words within a budget of tokens.

    `grow` appends until the budget is full and then cuts in one step to the last pair: what was sent stays a prefix
    of what is sent next, which a model's server need not read again. `slide` drops the oldest pair each time;
    `none` keeps nothing. The words given are sent again as they are, so give them as the model saw them.
    """

    def __init__(self, limit_tokens: int, mode: str, tokens_per_char: Mapping[str, float]) -> None:
        if mode not in MODES:
            raise ValueError(f"history is one of {', '.join(MODES)}")
        self._limit_tokens = limit_tokens
        self._mode = mode
        self._tokens_per_char = tokens_per_char
        self._pairs: list[tuple[str, str, float]] = []
        self.clearings = 0
        """How often it was cleared: a turn under way meanwhile is not added any more."""

    def append(self, user: str, assistant: str, limit_tokens: int | None = None) -> None:
        """Add a finished turn, within the budget of the model that answered if one is given.

        A pair too long for the whole budget leaves the history empty.
        """
        if limit_tokens is not None:
            self._limit_tokens = limit_tokens
        if self._mode == "none":
            return
        cost = count_tokens(user, self._tokens_per_char) + count_tokens(assistant, self._tokens_per_char)
        self._pairs.append((user, assistant, cost))
        if self.tokens() > self._limit_tokens and self._mode == "grow":
            del self._pairs[:-1]
        while self._pairs and self.tokens() > self._limit_tokens:
            del self._pairs[0]

    def messages(self) -> list[Message]:
        """Return the turns kept, oldest first, as messages."""
        return [
            {"role": role, "content": words}
            for user, assistant, _ in self._pairs
            for role, words in (("user", user), ("assistant", assistant))
        ]

    def tokens(self) -> float:
        """Return about how many tokens the history costs."""
        return sum(cost for *_, cost in self._pairs)

    def clear(self) -> None:
        """Forget every turn: something was forgotten or corrected."""
        self.clearings += 1
        self._pairs.clear()
