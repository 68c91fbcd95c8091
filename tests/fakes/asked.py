"""A memory that was talked to, with the clock moving a minute a turn."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Protocol

from claudemem_edge import Memory

if TYPE_CHECKING:
    from collections.abc import Iterable

    from claudemem_edge.shapes.context import Context

START = datetime.fromisoformat("2026-03-11T09:40:00+08:00")


class Talked:
    """A memory with its clock."""

    def __init__(self) -> None:
        self.memory = Memory()
        self.now = START

    def say(self, *turns: str | tuple[str, str], minutes: float = 1) -> Talked:
        """Let people speak: a text of the user, or (speaker, text)."""
        for turn in turns:
            speaker, text = ("user", turn) if isinstance(turn, str) else turn
            self.now += timedelta(minutes=minutes)
            self.memory.observe(speaker, text, at=self.now)
        return self

    def ask(self, question: str, limit_chars: int = 220, shown: Iterable[str] = ()) -> Context:
        """Return the block for a question that was just said."""
        self.say(question)
        return self.memory.context(question, limit_chars=limit_chars, now=self.now, shown=shown)


class MakeTalk(Protocol):
    """Makes a memory from turns."""

    def __call__(self, *turns: str | tuple[str, str]) -> Talked: ...


CHATTER: dict[str, tuple[str, ...]] = {
    "en": (
        "The lighthouse film last night was slow.",
        "A bakery opened beside the tram stop.",
        "My knitting basket is overflowing again.",
        "The neighbour's parrot whistles opera tunes.",
        "Rain is drumming on the greenhouse roof.",
        "The choir rehearses in the old chapel.",
        "I painted the garden bench green.",
        "The postman wears a yellow scarf.",
    ),
    "zh": (
        "昨晚的灯塔纪录片节奏很慢。",
        "电车站旁边新开了一家面包房。",
        "毛线筐又装满了。",
        "隔壁的鹦鹉会吹口哨。",
        "雨点打在温室的屋顶上。",
        "合唱团在老礼堂排练。",
        "我把花园的长椅漆成了绿色。",
        "邮递员围着一条黄围巾。",
    ),
}
"""Talk about nothing that any question here asks."""
