"""The time grammar of one language, made from its `times.toml` on first use.

Rules are patterns over kinds of pieces (`time_pattern`). They run in stages, each over what the stages before it made.
A rule marked `literal` is an ordinary expression, tried wherever a digit stands in the text.
A form is a rule that only has a meaning inside others: what it makes is no time by itself.
No rule spans a gap; it may look whether one is beside it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from claudemem_edge.errors import PackError
from claudemem_edge.input_filter.numerals import Numerals
from claudemem_edge.input_filter.time_pattern import bits, code_of, needs, translate
from claudemem_edge.language.pack import Rule
from claudemem_edge.language.terms import alternation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from claudemem_edge.language.pack import Language

GAP, NUMBER = "gap", "number"
FIXED_KINDS = (GAP, NUMBER, "digits", "ordinal", "tens_second")
GATE_WORD = re.compile(r"(?<!')\b[a-z]+")
LATIN_WORD = re.compile(r"[a-z]+")
MOST_KNOWN = 4096
DIGIT, TERM, NUMERAL, UNKNOWN = "digit", "term", "numeral", "unknown"
"""Groups of the pattern that finds where a piece may begin."""
WHOLE = r"(?:(?<![a-z])|(?![^\W\d\u2e80-\U0010ffff]))"
"""No Latin letter or underscore follows one."""


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

    by_bit: Mapping[int, tuple[Form, ...]]
    always: tuple[Form, ...]
    """Forms that need no kind in particular."""
    needed: int
    """All kinds forms are found by, as a mask."""

    def possible(self, have: int) -> Iterable[Form]:
        """Return the forms that can match a line of these kinds."""
        found = {form.order: form for form in self.always}
        left = have & self.needed
        while left:
            bit = left & -left
            left ^= bit
            for form in self.by_bit[bit]:
                for mask in form.needs:
                    if not mask & have:
                        break
                else:
                    found[form.order] = form
        return found.values()


@dataclass(slots=True)
class Prospects:
    """Tells which kinds of pieces can become a time together."""

    stages: tuple[Stage, ...]
    bit_of: Mapping[str, int]
    """Kind → its bit in a mask of kinds."""
    results: frozenset[str]
    unclear: frozenset[str]
    known: dict[int, bool] = field(default_factory=dict)
    """Mask of kinds → the answer; what was said cannot be told from it."""

    def good(self, kinds: int) -> bool:
        """Tell whether the rules can make anything of a stretch with these kinds and gaps around it."""
        answer = self.known.get(kinds)
        if answer is None:
            if len(self.known) >= MOST_KNOWN:
                self.known.clear()
            answer = self.known[kinds] = self._good(kinds | self.bit_of[GAP])
        return answer

    def _good(self, have: int) -> bool:
        if any(have & self.bit_of[kind] for kind in self.unclear if kind in self.bit_of):
            return True
        for stage in self.stages:
            for form in stage.possible(have):
                if form.makes in self.unclear or (form.id and form.makes in self.results):
                    return True
                have |= self.bit_of[form.makes]
        return False


@dataclass(slots=True)
class Grammar:
    """Everything the time reader knows about a language."""

    language: Language
    tables: Mapping[str, Any]
    numerals: Numerals
    codes: Mapping[str, str]
    """Kind → the one character that stands for it."""
    starts: re.Pattern[str]
    """Finds the next place where a digit, a term or a numeral stands, or an unknown word to pass over."""
    terms: Mapping[str, tuple[str, Any]]
    """Term → kind, value."""
    terms_of_numerals: frozenset[str]
    """Terms that begin with the word of a numeral, which may be longer."""
    literals: tuple[tuple[Rule, str], ...]
    literal_marks: frozenset[str]
    """What can follow digits that are more than a number."""
    stages: tuple[Stage, ...]
    prospects: Prospects
    gate: re.Pattern[str]
    gate_words: frozenset[str]
    gate_words_by_number: frozenset[str]
    """Words that need a numeral beside them to stand for a time."""
    leftovers: frozenset[str]

    def may_hold_time(self, folded: str, words: Iterable[str]) -> bool:
        """Tell quickly whether any time word or digit stands in the text; `words` are its words, and more."""
        if self.gate.search(folded) is not None:
            return True
        if self.language.joined:
            return False
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
    stages = _stages(rules, codes)
    terms, numerals = _terms(words), Numerals.of(tables.get("numerals", {}), joined=language.joined)
    return Grammar(
        language=language,
        tables=tables,
        numerals=numerals,
        codes=codes,
        starts=_starts(terms, numerals),
        terms=terms,
        terms_of_numerals=frozenset(term for term in terms if _first_word(term) in numerals.first),
        literals=_literals(rules),
        literal_marks=frozenset(tables.get("literal_marks", "")),
        stages=stages,
        prospects=Prospects(
            stages,
            {kind: bits(code) for kind, code in codes.items()},
            frozenset(tables.get("results", ())),
            frozenset(tables.get("unclear", ())),
        ),
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


def _terms(words: Mapping[str, Mapping[str, Any]]) -> dict[str, tuple[str, Any]]:
    terms: dict[str, tuple[str, Any]] = {}
    for kind, entries in words.items():
        for term, value in entries.items():
            known, _ = terms.setdefault(term, (kind, value))
            if known != kind:
                raise PackError(f"times.toml: {term} is of two kinds, {known} and {kind}")
    return terms


def _first_word(term: str) -> str:
    word = LATIN_WORD.match(term)
    return word.group() if word else term[0]


def _starts(terms: Iterable[str], numerals: Numerals) -> re.Pattern[str]:
    """Return a pattern for what a text is cut at, the longest term first. An identifier (b12, at_noon) is one word."""
    word = r"[a-z][a-z0-9_]*" if numerals.joined else r"[a-z][a-z0-9_]*|[^\W\d_a-z]+[a-z0-9_]*"
    end = "" if numerals.joined else r"(?![a-z_])"
    return re.compile(
        f"(?P<{DIGIT}>[0-9])|(?P<{TERM}>{alternation(terms)}{WHOLE})"
        f"|(?P<{NUMERAL}>{alternation(numerals.first)}{end})|(?P<{UNKNOWN}>{word})"
    )


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
    """Index each form under the kinds of one of its needs: the one with the fewest, without what stands everywhere."""
    by_bit: dict[int, list[Form]] = {}
    everywhere = bits(codes[NUMBER] + codes[GAP])
    every_bit = [bits(code) for code in codes.values()]
    for form in forms:
        mask = min(form.needs, key=lambda mask: (mask & everywhere != 0, mask.bit_count()), default=0)
        for bit in every_bit:
            if mask & bit:
                by_bit.setdefault(bit, []).append(form)
    return Stage(
        {bit: tuple(row) for bit, row in by_bit.items()}, tuple(form for form in forms if not form.needs), sum(by_bit)
    )


def _gate_words(words: Mapping[str, Mapping[str, Any]], kinds: Iterable[str]) -> frozenset[str]:
    """Return the longest word of each term of the kinds: no term stands in a text without it."""
    return frozenset(
        max(found, key=len) for kind in kinds for term in words.get(kind, {}) if (found := GATE_WORD.findall(term))
    )
