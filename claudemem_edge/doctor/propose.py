"""Finds by asking how a language model wants its block, one part of a profile after the other."""

from __future__ import annotations

import json
import statistics
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from claudemem_edge.doctor.trial import Interview, Question, Questions, load_questions
from claudemem_edge.model.client import ModelClient
from claudemem_edge.model.profiles import TABLES, load_profiles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from claudemem_edge.shapes.context import Profile
    from claudemem_edge.shapes.options import ModelOptions

    Change = Callable[[Profile], Profile]

BASE = "gemma3-base"
"""The profile whose plain prompt is tried: for models that were never taught to chat."""
STEADY = {"num_predict": 48, "temperature": 0}
LEAST_GAIN = 2
"""So many more right answers make it worth to depart from the default."""
MOST_LOSS = 3
SHORT_BLOCK_TOKENS = 60
TRUSTED_SHARE = 0.8
LIKELY_TOKENS = (0.1, 4.0)
FIELDS = (
    "style", "role", "template", "limit_tokens", "history_tokens", "asks_only", "trusted",
    "tokens_per_char", "system", "closing", "labels", "options", "request",
)  # fmt: skip


@dataclass(slots=True, frozen=True)
class Row:
    """One way that was tried, and the right answers in each language."""

    tried: str
    right: Mapping[str, int]

    @property
    def total(self) -> int:
        """All right answers."""
        return sum(self.right.values())


@dataclass(slots=True)
class Proposal:
    """What was tried, the profile that came of it, and what to paste."""

    model: str
    present: str
    asked: Mapping[str, int]
    rows: list[Row] = field(default_factory=list)
    best: int = 0
    toml: str = ""

    @property
    def present_right(self) -> int:
        """Right answers with the profile that the model has today: the first row."""
        return self.rows[0].total


async def propose(options: ModelOptions, languages: Iterable[str], tried: Callable[[Row], None]) -> Proposal:
    """Ask the model of these options and return a profile for it; `tried` is told of each row. Raises EdgeError."""
    questions = load_questions(languages)
    client = ModelClient(options)
    try:
        chosen = await client.chosen()
        asked = {code: sum(one.language == code for one in questions.questions) for code in questions.beside}
        proposal = Proposal(chosen.name, chosen.profile.name, asked)
        search = _Search(Interview(client, chosen, []), questions, proposal, tried)
        await search.run()
        return proposal
    finally:
        await client.aclose()


class _Search:
    def __init__(
        self, interview: Interview, questions: Questions, proposal: Proposal, tried: Callable[[Row], None]
    ) -> None:
        self._interview = interview
        self._questions = questions
        self._proposal = proposal
        self._tried = tried

    async def run(self) -> None:
        present = self._interview.chosen.profile
        await self._try(f"profile = {present.name}", replace(present, options=_steady(present)))
        default = load_profiles()["default"]
        profile = replace(default, options=_steady(default), request=present.request)
        best = await self._try("profile = default", profile)
        for label, change in _changes():
            candidate = change(profile)
            if candidate == profile:
                continue
            right = await self._try(label, candidate)
            if len(right) >= len(best) + LEAST_GAIN:
                profile, best = candidate, right
        self._proposal.best = len(best)
        self._proposal.toml = as_toml(self._proposal.model, await self._settle(profile, best))

    async def _settle(self, profile: Profile, best: list[Question]) -> Profile:
        """Decide what depends on more than one question: length, history, remarks, trust."""
        crowded = await self._try("block = crowded", profile, crowded=True)
        if len(crowded) < len(best) - MOST_LOSS:
            profile = replace(profile, limit_tokens=SHORT_BLOCK_TOKENS)
        later = await self._try("history = one turn", profile, history=True)
        if len(later) < len(best) - 1:
            profile = replace(profile, history_tokens=0)
        spilled = await self._interview.spills(self._questions, profile)
        missing = sum(question.kind == "missing" for question in self._questions.questions)
        honest = sum(question.kind == "missing" for question in best) == missing
        profiles = load_profiles()
        usual = profiles[BASE if profile.template == "plain" else "default"]
        return replace(
            profile,
            options=MappingProxyType({**profile.options, "num_predict": usual.options["num_predict"]}),
            asks_only=spilled * 2 >= max(1, len(self._questions.remarks)),
            trusted=honest and len(best) >= TRUSTED_SHARE * len(self._questions.questions),
            tokens_per_char=MappingProxyType({**profile.tokens_per_char, **_tokens_per_char(self._interview.sizes)}),
        )

    async def _try(self, label: str, profile: Profile, **how: bool) -> list[Question]:
        right = await self._interview.right(self._questions, profile, **how)
        languages = self._proposal.asked
        row = Row(label, {code: sum(question.language == code for question in right) for code in languages})
        self._proposal.rows.append(row)
        self._tried(row)
        return right


def _changes() -> Iterator[tuple[str, Change]]:
    """Give what is tried after the default, each upon what has won until then."""
    yield "template = plain", _plain
    yield "style = tags", lambda profile: replace(profile, style="tags")
    yield "style = key_value", lambda profile: replace(profile, style="key_value")
    yield "role = system", lambda profile: profile if profile.template == "plain" else replace(profile, role="system")
    yield "closing = none", _without_closing


def _plain(profile: Profile) -> Profile:
    base = load_profiles()[BASE]
    options = MappingProxyType({**profile.options, "stop": base.options["stop"]})
    return replace(
        profile, template="plain", system=base.system, closing=base.closing, labels=base.labels, options=options
    )


def _without_closing(profile: Profile) -> Profile:
    if profile.role == "system":
        return profile  # whose question stands alone already
    return replace(profile, closing=MappingProxyType(dict.fromkeys(profile.closing, "")))


def _steady(profile: Profile) -> MappingProxyType[str, object]:
    """Return options that give the same answers twice, and short ones."""
    return MappingProxyType({**profile.options, **STEADY})


def _tokens_per_char(sizes: list[tuple[str, int, int]]) -> dict[str, float]:
    """Return what a character costs in each language: the slope of tokens over characters."""
    costs = {}
    for language in {code for code, _, _ in sizes}:
        rows = [(chars, tokens) for code, chars, tokens in sizes if code == language and tokens]
        if len({chars for chars, _ in rows}) > 1:
            slope = statistics.linear_regression(*zip(*rows, strict=True)).slope
            if LIKELY_TOKENS[0] <= slope <= LIKELY_TOKENS[1]:
                costs[language] = round(slope, 2)
    return costs


def as_toml(model: str, profile: Profile) -> str:
    """Return what a profile says otherwise than the default, as TOML."""
    default = load_profiles()["default"]
    name = model.lower().rpartition("/")[2].removesuffix(":latest")
    values = {key: getattr(profile, key) for key in FIELDS if getattr(profile, key) != getattr(default, key)}
    plain = [f"{key} = {_value(value)}" for key, value in values.items() if key not in TABLES]
    lines = [f"families = [{_value(f'{name}*')}]", *plain]
    for key, table in values.items():
        if key in TABLES:
            known = getattr(default, key)
            lines += [
                "",
                f"[{key}]",
                *(f"{one} = {_value(table[one])}" for one in table if table[one] != known.get(one)),
            ]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    """Return a value as TOML writes it: texts, numbers, truth values and lists look as in JSON."""
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
