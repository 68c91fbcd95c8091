"""The block put before a question, with the reason for each line."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(slots=True, frozen=True)
class ContextLine:
    """One line of a block. `kind`: date, notice, claim, item, statement, name, topic."""

    kind: str
    text: str
    turns: tuple[int, ...] = ()
    score: float = 0.0


@dataclass(slots=True, frozen=True)
class Context:
    """`str(context)` is the block; empty when nothing is relevant."""

    text: str = ""
    lines: tuple[ContextLine, ...] = ()

    def __str__(self) -> str:
        return self.text


KEYED = {"tags": "【{key}】{value}", "key_value": "{key}: {value}"}
"""Style of a profile → a fact as it stands in the block, where it is no sentence."""


@dataclass(slots=True, frozen=True)
class Profile:
    """How a family of models wants its block. Data: `model/profiles/*.toml`.

    `style`: sentence, tags or key_value. `role`: user or system. `template`: "chat" sends messages, "plain" sends
    one question-and-answer prompt for base models. `closing`: language → instruction after the question.
    `tokens_per_char`: language → tokens a character costs, for the token limit. `labels`: language → what stands
    before a question and before its answer in a plain prompt. `options` go along with questions of our own doors,
    `request` beside them ("think"). `asks_only`: a block stands before questions alone, for models so small that
    facts beside a plain remark confuse them. `trusted`: what the model answers is worth remembering.
    """

    name: str = "default"
    families: tuple[str, ...] = ()
    style: str = "sentence"
    role: str = "user"
    template: str = "chat"
    limit_chars: int = 220
    limit_tokens: int = 400
    history_tokens: int = 600
    asks_only: bool = False
    trusted: bool = True
    tokens_per_char: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({"zh": 1.0, "en": 0.3}))
    system: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    closing: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    options: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    request: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    labels: Mapping[str, tuple[str, str]] = field(default_factory=lambda: MappingProxyType({}))
