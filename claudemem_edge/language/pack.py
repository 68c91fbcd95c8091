"""The frozen shape of loaded packs: rules, word lists, phrases and tables of one language.

A pack is a folder `packs/<language>/<pack>/`:

  pack.toml        language, title, script ("han" or "latin"), joined (no spaces between words), owner, licence
  <file>.toml      [[rule]] tables and [pieces]; other tables are kept as they stand, under the file's name
                   a rule's needs are terms, or "{list}" for all terms of a word list or of a piece of plain words
  pieces.toml      parts of patterns for all files of the language: {name} in a pattern stands for them
  phrases.toml     key = "sentence with {fields}"
  words/<list>.txt one term a line, or term<TAB>value; # begins a comment
  words/traditional.txt  for Han script: a traditional character, a tab, the simplified one

A rule is found by its id `<pack>.<file>.<name>`; a later pack, or the owner's folder, replaces a rule by the same id.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from claudemem_edge.language.match import TimedPattern
from claudemem_edge.language.simplified import Simplified
from claudemem_edge.shapes.terms import TermIndex, words_apart

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from claudemem_edge.language.pieces import Pieces

LATIN_LETTER = re.compile(r"[a-z]")
LATIN_WORD = re.compile(r"[a-z]+")
FEWEST_LATIN_WORDS = 3
HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
KANA_OR_HANGUL = re.compile("[\u3040-\u30fa\u30fc-\u30ff\uac00-\ud7af]")


@dataclass(slots=True)
class Rule:
    """One rule. `needs` are literal terms of which one must stand in the folded text before the pattern is tried."""

    id: str
    name: str
    needs: tuple[str, ...]
    written: str
    """Regular expression as the file has it, with {pieces}; every repeat has an upper bound."""
    fields: Mapping[str, Any]
    """What the rule's file gives besides: command, predicate, kind, …"""
    engine: str = "re"
    order: int = 0
    """Place in its file."""
    pieces: Pieces | None = None
    """What fills the {pieces}; filled patterns are long, and only those that are used are kept."""
    owners: bool = False
    """From an owner's folder, not from the package."""
    compiled: re.Pattern[str] | TimedPattern | None = None

    @property
    def source(self) -> str:
        """The regular expression with its pieces filled in."""
        return self.pieces.fill(self.written, self.name) if self.pieces is not None else self.written

    @property
    def pattern(self) -> re.Pattern[str]:
        """The compiled pattern, made on first use. One of the engine `regex` gives up when it takes too long."""
        if self.compiled is None:
            self.compiled = re.compile(self.source) if self.engine == "re" else TimedPattern(self.source)
        return cast("re.Pattern[str]", self.compiled)


@dataclass(slots=True)
class Scan:
    """Everything the word lists of a language found in one text, in one pass."""

    rules: Mapping[str, Mapping[str, Rule]]
    """File stem → rule id → the rules with one of their `needs` in the text."""
    lists: Mapping[str, list[tuple[int, int, str]]]
    """List name → (start, end, value) from left to right."""
    pieces: Sequence[str] = ()
    """The text, by turns what stands around words and a word: see TermIndex.places."""

    def spans(self, name: str) -> list[tuple[int, int, str]]:
        """Return the hits of one list, possibly none."""
        return self.lists.get(name, [])


@dataclass(slots=True)
class Language:
    """All packs of one language, merged."""

    code: str
    title: str
    script: str
    joined: bool
    rules: dict[str, dict[str, Rule]] = field(default_factory=dict)
    """File stem → rule id → rule, in the order of the file."""
    words: dict[str, dict[str, str]] = field(default_factory=dict)
    """List name → term → value."""
    pieces: dict[str, str] = field(default_factory=dict)
    phrases: dict[str, str] = field(default_factory=dict)
    tables: dict[str, dict[str, Any]] = field(default_factory=dict)
    """File stem → its tables other than rules and pieces."""
    simplified: Simplified = field(default_factory=Simplified)
    """Traditional → simplified character: folding keeps the length."""
    scanner: TermIndex = field(default_factory=TermIndex)
    listed: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Term in the scanner → the lists it is in."""
    needed: dict[str, tuple[tuple[str, Rule], ...]] = field(default_factory=dict)
    """Term in the scanner → the rules that need it, each with its file stem."""
    always: dict[str, list[Rule]] = field(default_factory=dict)
    """File stem → the rules without needs: they are tried on every text."""

    def fill_scanner(self) -> None:
        """Make the scanner from the word lists and the rules' needs, once all packs are merged."""
        shared: dict[tuple[str, ...], tuple[str, ...]] = {}
        for name, terms in self.words.items():
            for term in terms:
                names = (*self.listed.get(term, ()), name)
                self.listed[term] = shared.setdefault(names, names)
        for stem, rules in self.rules.items():
            self.always[stem] = [rule for rule in rules.values() if not rule.needs]
            for rule in rules.values():
                use = (stem, rule)
                for need in rule.needs:
                    self.needed[need] = (*self.needed.get(need, ()), use)
        for term in dict.fromkeys((*self.listed, *self.needed)):
            self.scanner.add(term, term)

    def scan(self, folded: str) -> Scan:
        """Find every listed term and every rule's needs in a folded text."""
        rules: dict[str, dict[str, Rule]] = {}
        lists: dict[str, list[tuple[int, int, str]]] = {}
        listed, needed, words = self.listed, self.needed, self.words
        pieces = words_apart(folded)
        for start, end, term in self.scanner.places(folded, pieces):
            for stem, rule in needed.get(term, ()):
                of_file = rules.get(stem)
                if of_file is None:
                    of_file = rules[stem] = {}
                of_file[rule.id] = rule
            for name in listed.get(term, ()):
                value = words[name][term]
                row = lists.get(name)
                if row is None:
                    lists[name] = [(start, end, value)]
                elif row[-1][1] <= start:  # the longest term of a list wins its place
                    row.append((start, end, value))
        return Scan(rules, lists, pieces)

    def candidates(self, stem: str, scan: Scan) -> list[Rule]:
        """Return the rules of one file whose needs are met, in the order of the file."""
        met = scan.rules.get(stem)
        always = self.always.get(stem, [])
        if not met:
            return always
        found = [*always, *met.values()]
        if len(found) > 1:
            found.sort(key=_order)
        return found

    def say(self, key: str, **values: object) -> str:
        """Fill in a phrase. Values are put in as they are; a brace in them means nothing."""
        return self.phrases[key].format(**values)


def _order(rule: Rule) -> int:
    return rule.order


def _mostly_kana_or_hangul(folded: str) -> bool:
    """Tell Japanese and Korean from Chinese talk that names something in them."""
    return 3 * len(KANA_OR_HANGUL.findall(folded)) > len(HAN.findall(folded))


def _names_in_latin(folded: str) -> bool:
    """Tell whether a text with Han characters begins like a Latin sentence and has more Latin words than these."""
    if not LATIN_LETTER.match(folded):
        return False
    words = len(LATIN_WORD.findall(folded))
    return words >= FEWEST_LATIN_WORDS and words >= len(HAN.findall(folded))


@dataclass(slots=True)
class Lexicon:
    """The languages a memory knows, and which of them a text is in."""

    languages: dict[str, Language]

    def of(self, folded: str, hint: str = "") -> Language | None:
        """Return the language of a folded text: by its script, then by `hint`; None when no pack fits.

        Han with at most a word of kana or hangul is Chinese, but for a Han name in a sentence of Latin words; Latin
        letters are the first Latin pack.
        """
        script = "latin" if LATIN_LETTER.search(folded) else ""
        if not folded.isascii():
            if KANA_OR_HANGUL.search(folded) and _mostly_kana_or_hangul(folded):
                return None
            if HAN.search(folded) and not _names_in_latin(folded):
                script = "han"
        hinted = self.languages.get(hint.lower().replace("_", "-").split("-", 1)[0])
        if hinted is not None and script in {"", hinted.script}:
            return hinted
        return next((one for one in self.languages.values() if one.script == script), None)

    def get(self, code: str) -> Language | None:
        """Return a language by its code, or the first one for an empty code."""
        if not code:
            return next(iter(self.languages.values()), None)
        return self.languages.get(code)
