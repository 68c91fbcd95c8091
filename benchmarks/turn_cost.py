"""CPU time of observe and of context after 500, 3,000 and 10,000 turns, caps lifted, both languages."""

from __future__ import annotations

from benchmarks._measure import quantiles_ms, timed
from benchmarks._talk import talk
from claudemem_edge import Memory
from claudemem_edge.shapes.options import MemoryOptions

POINTS = (500, 3_000, 10_000)
LAST_TURNS = 400
QUESTIONS = {
    "en": ("Where did my neighbour move?", "What did I buy at the market?", "And what about her?", "What is pending?"),
    "zh": ("我邻居搬到哪里了？", "我在市场买了什么？", "那她呢？", "我还有什么事？"),
}


def run(arguments: list[str]) -> dict[str, object]:
    """Return quantiles in milliseconds. Arguments: the numbers of turns to measure at."""
    points = tuple(int(one) for one in arguments) or POINTS
    return {language: {str(point): _at(language, point) for point in points} for language in ("en", "zh")}


def _at(language: str, turns: int) -> dict[str, object]:
    memory = Memory(options=MemoryOptions(scope_bytes=1 << 40))
    observed: list[float] = []
    asked: list[float] = []
    for number, (speaker, text, at) in enumerate(talk(language, turns)):
        times = observed if number >= turns - LAST_TURNS else []
        timed(times, lambda speaker=speaker, text=text, at=at: memory.observe(speaker, text, at=at))  # type: ignore[misc]
        if number >= turns - LAST_TURNS:
            question = QUESTIONS[language][number % 4]
            timed(asked, lambda question=question, at=at: memory.context(question, now=at))  # type: ignore[misc]
    return {
        "observe_ms": quantiles_ms(observed),
        "context_ms": quantiles_ms(asked),
        "size_bytes": memory.size_bytes(),
    }
