"""Block, question and history as a model of this profile wants them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from claudemem_edge.shapes.context import Profile

Message = dict[str, str]


def messages_for(
    profile: Profile, language: str, block: str, question: str, history: Sequence[Message] = (), *, asks: bool = True
) -> list[Message]:
    """Return what to send: the system prompt, the history, and one last user message with block and question.

    `asks` is False for a plain remark: then no closing instruction tells the model to answer from facts.

    Nothing before the last message depends on block or question, so the server's prefix cache holds; only a chat
    profile of role "system" asks for the block in front. A plain template gives one message that is the whole prompt.
    """
    if profile.template == "plain":
        return [{"role": "user", "content": _plain(profile, language, block, question, history)}]
    system = _of(profile.system, language)
    if profile.role == "system":
        system = _lines(system, block)
        last = question
    else:
        last = user_text(profile, language, block, question, asks=asks)
    opening: list[Message] = [{"role": "system", "content": system}] if system else []
    return [*opening, *history, {"role": "user", "content": last}]


def user_text(profile: Profile, language: str, block: str, question: str, *, asks: bool = True) -> str:
    """Return the words of the last user message: block, question, and what to do with the block if it is asked."""
    return _lines(block, question, _of(profile.closing, language) if asks else "") if block else question


def _plain(profile: Profile, language: str, block: str, question: str, history: Sequence[Message]) -> str:
    before_question, before_answer = profile.labels.get(language) or next(iter(profile.labels.values()))
    asked = [
        before_question + message["content"] if message["role"] == "user" else before_answer + message["content"]
        for message in history
    ]
    return _lines(_of(profile.system, language), *asked, block, before_question + question, before_answer.rstrip())


def _of(texts: Mapping[str, str], language: str) -> str:
    return texts.get(language, texts.get("en", ""))


def _lines(*parts: str) -> str:
    return "\n".join(part for part in parts if part)
