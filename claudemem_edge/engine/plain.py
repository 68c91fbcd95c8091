"""A chat as one plain prompt, for models that know no chat template."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(slots=True, frozen=True)
class PlainPrompt:
    """What stands before a question and its answer, where an answer ends, and which letters ask for this prompt."""

    letters: re.Pattern[str]
    question: str
    answer: str
    stop: tuple[str, ...]


@lru_cache(maxsize=1)
def _prompts() -> tuple[PlainPrompt, ...]:
    text = (resources.files("claudemem_edge") / "engine" / "plain.toml").read_text(encoding="utf-8")
    return tuple(
        PlainPrompt(re.compile(row["letters"]), row["question"], row["answer"], tuple(row["stop"]))
        for row in tomllib.loads(text)["prompt"]
    )


def plain_prompt(messages: Sequence[dict[str, Any]]) -> tuple[str, list[str]]:
    """Return the prompt, which ends where the answer begins, and what stops the answer."""
    last = str(messages[-1].get("content") or "")
    style = next(prompt for prompt in _prompts() if prompt.letters.search(last))
    lines: list[str] = []
    for message in messages:
        words = str(message.get("content") or "")
        before = {"user": style.question, "assistant": style.answer}.get(str(message.get("role")), "")
        lines.append(before + words)
    return "\n".join([*lines, style.answer.rstrip()]), list(style.stop)
