"""The frozen shape of loaded packs: rules, word lists, phrases and tables of one language.

A pack is a folder `packs/<language>/<pack>/`:

  pack.toml        language, title, script ("han" or "latin"), joined (no spaces between words), owner, licence
  <file>.toml      [[rule]] tables and [pieces]; other tables are kept as they stand, under the file's name
  phrases.toml     key = "sentence with {fields}"
  words/<list>.txt one term a line, or term<TAB>value; # begins a comment

A rule is found by its id `<pack>.<file>.<name>`; a later pack, or the owner's folder, replaces a rule by the same id.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from claudemem_edge.shapes.terms import TermIndex

if TYPE_CHECKING:
    from collections.abc import Mapping

LATIN_LETTER = re.compile(r"[a-z]")
HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
KANA_OR_HANGUL = re.compile("[\u3040-\u30ff\uac00-\ud7af]")


@dataclass(slots=True)
class Rule:
    """One rule. `needs` are literal terms of which one must stand in the folded text before the pattern is tried."""

    id: str
    name: str
    needs: tuple[str, ...]
    source: str
    """Regular expression with its pieces filled in; bounded, never `.*`."""
    fields: Mapping[str, Any]
    """What the rule's file gives besides: command, predicate, kind, …"""
    engine: str = "re"
    compiled: re.Pattern[str] | None = None

    @property
    def pattern(self) -> re.Pattern[str]:
        """The compiled pattern, made on first use."""
        if self.compiled is None:
            if self.engine == "regex":
                import regex  # noqa: PLC0415 (12 ms and 2 MB that most processes never need)

                self.compiled = regex.compile(self.source)
            else:
                self.compiled = re.compile(self.source)
        assert self.compiled is not None  # noqa: S101 (for the type checker: regex is untyped here)
        return self.compiled


@dataclass(slots=True)
class Scan:
    """Everything the word lists of a language found in one text, in one pass."""

    rules: frozenset[str]
    """Ids of the rules with one of their `needs` in the text."""
    lists: Mapping[str, list[tuple[int, int, str]]]
    """List name → (start, end, value) from left to right."""

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
    phrases: dict[str, str] = field(default_factory=dict)
    tables: dict[str, dict[str, Any]] = field(default_factory=dict)
    """File stem → its tables other than rules and pieces."""
    scanner: TermIndex = field(default_factory=TermIndex)

    def scan(self, folded: str) -> Scan:
        """Find every listed term and every rule's needs in a folded text."""
        rules: set[str] = set()
        lists: dict[str, list[tuple[int, int, str]]] = {}
        for start, end, value in self.scanner.hits(folded):
            kind, _, rest = value.partition("\0")
            if kind == "rule":
                rules.add(rest)
                continue
            row = lists.setdefault(kind, [])
            if not row or row[-1][1] <= start:  # the longest term of a list wins its place
                row.append((start, end, rest))
        return Scan(frozenset(rules), lists)

    def candidates(self, stem: str, scan: Scan) -> list[Rule]:
        """Return the rules of one file whose needs are met, in the order of the file."""
        return [rule for id_, rule in self.rules.get(stem, {}).items() if id_ in scan.rules or not rule.needs]

    def say(self, key: str, **values: object) -> str:
        """Fill in a phrase. Values are put in as they are; a brace in them means nothing."""
        return self.phrases[key].format(**values)


@dataclass(slots=True)
class Lexicon:
    """The languages a memory knows, and which of them a text is in."""

    languages: dict[str, Language]

    def of(self, folded: str, hint: str = "") -> Language | None:
        """Return the language of a folded text: by its script, then by `hint`; None when no pack fits.

        Han without kana or hangul is Chinese; Latin letters are the first Latin pack.
        """
        if KANA_OR_HANGUL.search(folded):
            return None
        script = "han" if HAN.search(folded) else "latin" if LATIN_LETTER.search(folded) else ""
        hinted = self.languages.get(hint.lower().replace("_", "-").split("-", 1)[0])
        if hinted is not None and script in {"", hinted.script}:
            return hinted
        return next((one for one in self.languages.values() if one.script == script), None)

    def get(self, code: str) -> Language | None:
        """Return a language by its code, or the first one for an empty code."""
        if not code:
            return next(iter(self.languages.values()), None)
        return self.languages.get(code)
