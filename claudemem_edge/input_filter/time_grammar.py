"""The time grammar of one language, made from its `times.toml` on first use.

Rules are patterns over kinds of pieces (`time_pattern`). They run in stages, each over what the stages before it made.
A rule marked `literal` is an ordinary expression, tried wherever a digit stands in the text.
A form is a rule that only has a meaning inside others: what it makes is no time by itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from claudemem_edge.errors import PackError
from claudemem_edge.input_filter.numerals import Numerals
from claudemem_edge.input_filter.time_pattern import bits, code_of, needs, translate
from claudemem_edge.language.pack import Rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from claudemem_edge.language.pack import Language

GAP, NUMBER = "gap", "number"
FIXED_KINDS = (GAP, NUMBER, "digits", "ordinal", "tens_second")
GATE_WORD = re.compile(r"(?<!')\b[a-z]+")
LATIN_WORD = re.compile(r"[a-z]+|[0-9]+")


@dataclass(slots=True)
class Form:
    """A rule ready to run over a string of kinds."""

    id: str
    source: str
    needs: tuple[int, ...]
    """Masks of kinds, of each of which one must be there."""
    makes: str
    constants: Mapping[str, Any]
    least: Mapping[str, int]
    most: Mapping[str, int]
    order: int
    compiled: re.Pattern[str] | None = None

    @property
    def pattern(self) -> re.Pattern[str]:
        """The compiled pattern, made on first use."""
        if self.compiled is None:
            self.compiled = re.compile(self.source)
        return self.compiled


@dataclass(slots=True, frozen=True)
class Stage:
    """The forms of one stage, found by a kind they need."""

    by_code: Mapping[str, tuple[Form, ...]]
    always: tuple[Form, ...]
    """Forms that need no kind in particular."""

    def possible(self, codes: set[str], have: int) -> Iterable[Form]:
        """Return the forms that can match a line of these codes, which `have` holds as bits."""
        found = {form.order: form for form in self.always}
        for code in codes & self.by_code.keys():
            for form in self.by_code[code]:
                if all([mask & have for mask in form.needs]):  # noqa: C419 (a list is twice as fast here)
                    found[form.order] = form
        return found.values()


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
    stages: tuple[Stage, ...]
    gate: re.Pattern[str]
    gate_words: frozenset[str]
    gate_words_by_number: frozenset[str]
    """Words that need a numeral beside them to stand for a time."""
    leftovers: frozenset[str]

    def may_hold_time(self, folded: str) -> bool:
        """Tell quickly whether any time word or digit stands in the text."""
        if self.gate.search(folded) is not None:
            return True
        if self.language.joined:
            return False
        words = GATE_WORD.findall(folded)
        if not self.gate_words.isdisjoint(words):
            return True
        return not (self.gate_words_by_number.isdisjoint(words) or self.numerals.first.isdisjoint(words))


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
    codes = {kind: code_of(at) for at, kind in enumerate(kinds)}
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
        gate_words=_gate_words(words, tables.get("gate_kinds", ())),
        gate_words_by_number=_gate_words(words, tables.get("gate_kinds_by_number", ())),
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
    kind_of: dict[str, str] = {}
    for kind, entries in words.items():
        for term, value in entries.items():
            if kind_of.setdefault(term, kind) != kind:
                raise PackError(f"times.toml: {term} is of two kinds, {kind_of[term]} and {kind}")
            word = LATIN_WORD.match(term)
            first = word.group() if word and not (joined and term[0] > "z") else term[0]
            terms.setdefault(first, []).append((term, kind, value))
    for row in terms.values():
        row.sort(key=lambda entry: -len(entry[0]))
    return terms


def _stages(rules: list[Rule], codes: Mapping[str, str]) -> tuple[Stage, ...]:
    stages: dict[int, list[Form]] = {}
    for order, rule in enumerate(rules):
        if rule.fields.get("literal"):
            continue
        source = translate(rule.name, rule.source, codes)
        form = Form(
            rule.id,
            source,
            needs(source),
            str(rule.fields["makes"]),
            rule.fields.get("set", {}),
            rule.fields.get("least", {}),
            rule.fields.get("most", {}),
            order,
        )
        stages.setdefault(int(rule.fields.get("stage", 1)), []).append(form)
    return tuple(_stage(stages[number], codes) for number in sorted(stages))


def _stage(forms: list[Form], codes: Mapping[str, str]) -> Stage:
    """Index each form under the kinds of one of its needs: the one with the fewest."""
    by_code: dict[str, list[Form]] = {}
    bit_of = {code: bits(code) for code in codes.values()}
    number = bit_of[codes[NUMBER]]
    for form in forms:
        mask = min(form.needs, key=lambda mask: (mask & number != 0, mask.bit_count()), default=0)
        for code in codes.values() if mask else ():
            if mask & bit_of[code]:
                by_code.setdefault(code, []).append(form)
    return Stage({code: tuple(row) for code, row in by_code.items()}, tuple(form for form in forms if not form.needs))


def _gate_words(words: Mapping[str, Mapping[str, Any]], kinds: Iterable[str]) -> frozenset[str]:
    """Return the longest word of each term of the kinds: no term stands in a text without it."""
    return frozenset(
        max(found, key=len) for kind in kinds for term in words.get(kind, {}) if (found := GATE_WORD.findall(term))
    )
