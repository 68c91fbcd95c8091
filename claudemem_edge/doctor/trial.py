"""Questions whose answers are known, put to a language model with the block that each profile makes of the facts."""

from __future__ import annotations

import asyncio
import contextlib
import tomllib
from dataclasses import dataclass, replace
from importlib import resources
from typing import TYPE_CHECKING, Any

from claudemem_edge.errors import TimedOut
from claudemem_edge.model.prompt import messages_for
from claudemem_edge.shapes.context import KEYED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from claudemem_edge.model.choice import ChosenModel
    from claudemem_edge.model.client import ModelClient
    from claudemem_edge.model.prompt import Message
    from claudemem_edge.shapes.context import Profile

ANSWER_S = 60.0
Fact = tuple[str, str, str]
"""A sentence, and the same as a key and its value."""


@dataclass(slots=True, frozen=True)
class Question:
    """One question. An answer is right that holds one of `right` and none of `wrong`; `reply` is a good one."""

    language: str
    kind: str
    facts: tuple[Fact, ...]
    ask: str
    right: tuple[str, ...]
    wrong: tuple[str, ...] = ()
    reply: str = ""
    before: tuple[str, ...] = ()

    def answered_by(self, answer: str) -> bool:
        """Tell whether an answer is right."""
        told = answer.casefold()
        return any(one.casefold() in told for one in self.right) and not any(
            one.casefold() in told for one in self.wrong
        )


@dataclass(slots=True, frozen=True)
class Remark:
    """Something said that asks nothing. An answer that holds one of `spilled` talks of the block all the same."""

    language: str
    facts: tuple[Fact, ...]
    say: str
    spilled: tuple[str, ...]


@dataclass(slots=True, frozen=True)
class Questions:
    """All there is to ask, and facts that may stand beside the one that is needed."""

    questions: tuple[Question, ...]
    remarks: tuple[Remark, ...]
    beside: Mapping[str, tuple[Fact, ...]]


def load_questions(languages: Iterable[str]) -> Questions:
    """Return the questions of these languages, as far as their packs have some."""
    questions: list[Question] = []
    remarks: list[Remark] = []
    beside: dict[str, tuple[Fact, ...]] = {}
    for language in languages:
        file = resources.files("claudemem_edge") / "packs" / language / "core" / "trial" / "questions.toml"
        if not file.is_file():
            continue
        tables = tomllib.loads(file.read_text(encoding="utf-8"))
        questions.extend(Question(language, **_frozen(row)) for row in tables["question"])
        remarks.extend(Remark(language, **_frozen(row)) for row in tables["remark"])
        beside[language] = tuple((sentence, key, value) for sentence, key, value in tables["beside"])
    return Questions(tuple(questions), tuple(remarks), beside)


def _frozen(row: dict[str, Any]) -> dict[str, Any]:
    return {
        key: tuple(tuple(one) if isinstance(one, list) else one for one in value) if isinstance(value, list) else value
        for key, value in row.items()
    }


def block_of(facts: Sequence[Fact], profile: Profile) -> str:
    """Return facts as a block in the style of a profile."""
    shape = KEYED.get(profile.style)
    return "\n".join(shape.format(key=key, value=value) if shape else sentence for sentence, key, value in facts)


@dataclass(slots=True)
class Interview:
    """Puts questions to one model. `sizes` gathers what prompts cost: (language, characters, tokens)."""

    client: ModelClient
    chosen: ChosenModel
    sizes: list[tuple[str, int, int]]

    async def right(
        self, questions: Questions, profile: Profile, *, history: bool = False, crowded: bool = False
    ) -> list[Question]:
        """Return the questions that were answered rightly.

        `history`: with what was said before in front; `crowded`: with other facts in the block.
        """
        answered, last = [], dict[str, tuple[str, str]]()
        for question in questions.questions:
            pair = question.before or last.get(question.language, ())
            earlier: list[Message] = [
                {"role": role, "content": words} for role, words in zip(("user", "assistant"), pair, strict=False)
            ]
            last[question.language] = (question.ask, question.reply)
            beside = questions.beside[question.language] if crowded else ()
            block = block_of((*beside[:3], *question.facts, *beside[3:]), profile)
            messages = messages_for(profile, question.language, block, question.ask, earlier if history else ())
            if question.answered_by(await self._answer(messages, profile, question.language)):
                answered.append(question)
        return answered

    async def spills(self, questions: Questions, profile: Profile) -> int:
        """Return how many remarks the model answers with facts that nobody asked for."""
        spilled = 0
        for remark in questions.remarks:
            block = block_of(remark.facts, profile)
            messages = messages_for(profile, remark.language, block, remark.say, asks=False)
            answer = await self._answer(messages, profile, remark.language)
            spilled += any(word in answer for word in remark.spilled)
        return spilled

    async def _answer(self, messages: list[Message], profile: Profile, language: str) -> str:
        """Return an answer; "" when it does not come in time. Raises EdgeError."""
        chosen = replace(self.chosen, profile=profile)
        deadline_s = asyncio.get_running_loop().time() + ANSWER_S
        pieces: list[str] = []
        try:
            async with contextlib.aclosing(self.client.stream(messages, chosen, deadline_s)) as stream:
                async for piece in stream:
                    pieces.append(piece)  # noqa: PERF401 (what came before a time-out does not count)
        except TimedOut:
            return ""
        tokens = self.client.status()["last_answer"].get("prompt_tokens", 0)
        self.sizes.append((language, sum(len(message["content"]) for message in messages), tokens))
        return "".join(pieces)
