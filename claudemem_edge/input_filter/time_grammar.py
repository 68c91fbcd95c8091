"""The time grammar of one language, made from its `times.toml` on first use.

A rule's pattern is a regular expression over kinds of pieces instead of characters: `hour:number clock_mark half?`
stands for a number, whose value is the hour, a clock mark and perhaps a half. Rules run in stages, each over what the
stages before it made. A rule marked `literal` is an ordinary expression, tried wherever a digit stands in the text.
A form is a rule that only has a meaning inside others: what it makes is no time by itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from claudemem_edge.errors import PackError
from claudemem_edge.input_filter.numerals import Numerals
from claudemem_edge.language.pack import Rule

if TYPE_CHECKING:
    from collections.abc import Mapping

    from claudemem_edge.language.pack import Language

KIND = re.compile(r"(?P<group>[a-z_]+):(?:\((?:\?:)?|(?P<named>[a-z_]+))|(?P<kind>[a-z_]+)|\s+")
FIRST_CODE = 0xE000
GAP, NUMBER = "gap", "number"
FIXED_KINDS = (GAP, NUMBER, "digits", "ordinal", "tens_second")
LATIN_WORD = re.compile(r"[a-z]+|[0-9]+")


@dataclass(slots=True, frozen=True)
class Form:
    """A rule ready to run over a string of kinds."""

    id: str
    pattern: re.Pattern[str]
    makes: str
    constants: Mapping[str, Any]
    least: Mapping[str, int]
    most: Mapping[str, int]
    order: int


@dataclass(slots=True)
class Grammar:
    """Everything the time reader knows about a language."""

    language: Language
    tables: Mapping[str, Any]
    numerals: Numerals
    codes: Mapping[str, str]
    """Kind → the one character that stands for it."""
    terms: Mapping[str, list[tuple[str, str, Any]]]
    """First character or word → (term, kind, value), longest first."""
    literals: tuple[tuple[Rule, str], ...]
    literal_marks: frozenset[str]
    """What can follow digits that are more than a number."""
    stages: tuple[tuple[Form, ...], ...]
    gate: re.Pattern[str]
    gate_words: frozenset[str]
    leftovers: frozenset[str]

    def may_hold_time(self, folded: str) -> bool:
        """Tell quickly whether any time word or digit stands in the text."""
        if self.language.joined:
            return self.gate.search(folded) is not None
        return not self.gate_words.isdisjoint(LATIN_WORD.findall(folded)) or self.gate.search(folded) is not None


def grammar_of(language: Language) -> Grammar | None:
    """Make the grammar of a language; None when its packs have no `times.toml`."""
    tables = language.tables.get("times")
    if tables is None:
        return None
    rules = [*language.rules.get("times", {}).values(), *_forms(tables)]
    words: dict[str, dict[str, Any]] = {
        **{kind: dict.fromkeys(terms) for kind, terms in tables.get("words", {}).items()},
        **tables.get("values", {}),
    }
    kinds = sorted({*FIXED_KINDS, *words, *(str(rule.fields.get("makes", "")) for rule in rules)} - {""})
    codes = {kind: chr(FIRST_CODE + at) for at, kind in enumerate(kinds)}
    return Grammar(
        language=language,
        tables=tables,
        numerals=Numerals.of(tables.get("numerals", {}), joined=language.joined),
        codes=codes,
        terms=_terms(words, joined=language.joined),
        literals=_literals(rules),
        literal_marks=frozenset(tables.get("literal_marks", "")),
        stages=_stages(rules, codes),
        gate=re.compile(tables.get("gate", "(?!)")),
        gate_words=_gate_words(words, tables),
        leftovers=frozenset(codes[kind] for kind in tables.get("leftovers", ()) if kind in codes),
    )


def _forms(tables: Mapping[str, Any]) -> list[Rule]:
    """Return the `[[form]]` tables as rules without an id."""
    return [
        Rule("", table["name"], (), table["pattern"], {key: value for key, value in table.items() if key != "pattern"})
        for table in tables.get("form", ())
    ]


def _literals(rules: list[Rule]) -> tuple[tuple[Rule, str], ...]:
    """Return the rules over characters with what they make, those marked `ahead` first."""
    literals = [rule for rule in rules if rule.fields.get("literal")]
    literals.sort(key=lambda rule: not rule.fields.get("ahead"))
    return tuple((rule, str(rule.fields["makes"])) for rule in literals)


def _terms(words: Mapping[str, Mapping[str, Any]], *, joined: bool) -> dict[str, list[tuple[str, str, Any]]]:
    terms: dict[str, list[tuple[str, str, Any]]] = {}
    for kind, entries in words.items():
        for term, value in entries.items():
            word = LATIN_WORD.match(term)
            first = word.group() if word and not (joined and term[0] > "z") else term[0]
            terms.setdefault(first, []).append((term, kind, value))
    for row in terms.values():
        row.sort(key=lambda entry: -len(entry[0]))
    return terms


def _stages(rules: list[Rule], codes: Mapping[str, str]) -> tuple[tuple[Form, ...], ...]:
    stages: dict[int, list[Form]] = {}
    for order, rule in enumerate(rules):
        if rule.fields.get("literal"):
            continue
        form = Form(
            rule.id,
            _compile(rule, codes),
            str(rule.fields["makes"]),
            rule.fields.get("set", {}),
            rule.fields.get("least", {}),
            rule.fields.get("most", {}),
            order,
        )
        stages.setdefault(int(rule.fields.get("stage", 1)), []).append(form)
    return tuple(tuple(stages[number]) for number in sorted(stages))


def _compile(rule: Rule, codes: Mapping[str, str]) -> re.Pattern[str]:
    def fill(found: re.Match[str]) -> str:
        group, named, kind = found.group("group"), found.group("named"), found.group("kind")
        for name in (named, kind):
            if name and name not in codes:
                raise PackError(f"rule {rule.name}: there is no kind {name}")
        if group:
            return f"(?P<{group}>{codes[named]})" if named else f"(?P<{group}>"
        return codes[kind] if kind else ""

    try:
        return re.compile(KIND.sub(fill, rule.source))
    except re.error as error:
        raise PackError(f"rule {rule.name}: {error}") from None


def _gate_words(words: Mapping[str, Mapping[str, Any]], tables: Mapping[str, Any]) -> frozenset[str]:
    """Return the first words of all terms of the kinds that can stand for a time by themselves."""
    return frozenset(
        found.group()
        for kind in tables.get("gate_kinds", ())
        for term in words.get(kind, {})
        if (found := LATIN_WORD.match(term)) is not None
    )
