"""How many characters a block may have, and the lines it is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from claudemem_edge.shapes.context import Context, ContextLine

if TYPE_CHECKING:
    from claudemem_edge.shapes.context import Profile


def limit(profile: Profile, limit_chars: int, language: str) -> int:
    """Return the smaller of the character limit and what the profile's tokens come to in this language."""
    costs = profile.tokens_per_char
    cost = costs.get(language) or max(costs.values(), default=1.0)
    return max(0, min(limit_chars, int(profile.limit_tokens / cost)))


@dataclass(slots=True)
class Block:
    """Lines within `room` characters; a line costs its length and the line end before it."""

    room: int
    lines: list[ContextLine] = field(default_factory=list)

    def add(self, line: ContextLine) -> bool:
        """Add a line if it fits."""
        cost = len(line.text) + bool(self.lines)
        if not line.text or cost > self.room:
            return False
        self.room -= cost
        self.lines.append(line)
        return True

    def context(self) -> Context:
        """Return the finished block."""
        return Context("\n".join(line.text for line in self.lines), tuple(self.lines))
