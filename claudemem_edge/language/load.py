"""Reads pack folders into a Lexicon, checks them, and says plainly what is wrong with which rule."""

from __future__ import annotations

import difflib
import re
import tomllib
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from claudemem_edge.errors import PackError
from claudemem_edge.language.pack import Language, Lexicon, Rule
from claudemem_edge.language.schema import check_about, check_fields, unbounded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

OWN_ROOT = Path(str(resources.files("claudemem_edge"))) / "packs"
PIECE = re.compile(r"\{([a-z][a-z_]*)\}")
TRADITIONAL = "traditional"
MAX_PIECE_WORDS = 400
MAX_RULES = 2000
MAX_DEPTH = 6


@lru_cache(maxsize=16)
def load(languages: tuple[str, ...], packs: tuple[str, ...] = ("core",), folders: tuple[str, ...] = ()) -> Lexicon:
    """Return the lexicon for these languages and packs, in this order.

    `folders` are owners' pack roots, laid out like the package's own; they add rules or replace them by id.
    A language may lack a pack other than core. Raises PackError.
    """
    roots = _roots(folders)
    found: dict[str, Language] = {}
    for code in languages:
        language: Language | None = None
        for pack in packs:
            for root in roots:
                if (root / code / pack / "pack.toml").is_file():
                    language = _merge(language, root / code / pack)
        if language is not None:
            language.fill_scanner()
            found[code] = language
    if languages and not found:
        known = sorted(path.parent.parent.name for path in roots[0].glob("*/core/pack.toml"))
        raise PackError(f"no pack for {', '.join(languages)}; there are packs for {', '.join(known)}")
    return Lexicon(found)


def known_packs(folders: Sequence[str] = ()) -> list[tuple[str, str, str]]:
    """Return (language, pack, title) of every pack found, for the command line."""
    return [
        (path.parent.parent.name, path.parent.name, str(_toml(path).get("title", "")))
        for root in _roots(folders)
        for path in sorted(root.glob("*/*/pack.toml"))
    ]


def _roots(folders: Iterable[str]) -> tuple[Path, ...]:
    return (OWN_ROOT, *(Path(folder) for folder in folders))


def _merge(language: Language | None, folder: Path) -> Language:
    about = _toml(folder / "pack.toml")
    check_about(about, folder / "pack.toml")
    if language is None:
        language = Language(about["language"], about["title"], about["script"], about["joined"])
    elif language.code != about["language"]:
        raise PackError(f"{folder / 'pack.toml'}: language is {language.code} here")
    _merge_words(language, folder / "words")
    if (folder / "pieces.toml").is_file():
        language.pieces.update(_toml(folder / "pieces.toml"))
    for path in sorted(folder.glob("*.toml")):
        if path.stem in {"pack", "pieces"}:
            continue
        tables = _toml(path)
        if path.stem == "phrases":
            language.phrases.update(tables)
            continue
        _merge_rules(language, path, tables.pop("rule", []), tables.pop("pieces", {}))
        language.tables.setdefault(path.stem, {}).update(tables)
    return language


def _merge_words(language: Language, folder: Path) -> None:
    if not folder.is_dir():
        return
    paths = {path.stem: path for path in sorted(folder.glob("*.txt"))}
    table = paths.pop(TRADITIONAL, None)
    if table is not None:
        for traditional, simplified in _words(table):
            if len(traditional) != 1 or len(simplified) != 1:
                raise PackError(f"{table}: one character, a tab, one character; not {traditional} {simplified}")
            language.simplified[ord(traditional)] = ord(simplified)
    for name, path in paths.items():
        known = language.words.setdefault(name, {})
        for term, value in _words(path):
            known[term.translate(language.simplified)] = value


def _merge_rules(language: Language, path: Path, tables: object, pieces: object) -> None:
    if not isinstance(tables, list) or not isinstance(pieces, dict):
        raise PackError(f"{path}: rules are [[rule]] tables, pieces are one [pieces] table")
    rules = language.rules.setdefault(path.stem, {})
    for table in tables:
        rule = _rule(table, path, _Pieces(language.words, language.pieces | pieces), len(rules))
        known = rules.get(rule.id)
        if known is not None:
            rule.order = known.order
        rules[rule.id] = rule
    if len(rules) > MAX_RULES:
        raise PackError(f"{path}: more than {MAX_RULES} rules")


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise PackError(f"{path}: {error}") from None


def _words(path: Path) -> Iterator[tuple[str, str]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise PackError(f"{path}: {error}") from None
    for line in lines:
        entry = line.partition("#")[0].strip()
        if entry:
            term, _, value = entry.partition("\t")
            yield term.strip().lower(), value.strip() or term.strip()


def _rule(table: dict[str, Any], path: Path, pieces: _Pieces, order: int) -> Rule:
    where = f"{path}: rule {table.get('name', '?')}"
    check_fields(path.stem, table, where)
    source = _fill(table["pattern"], pieces, where)
    mark = unbounded(source)
    if mark:
        raise PackError(f"{where}: {mark} has no upper bound; write it as in .{{0,20}}?")
    engine = table.get("engine", "re") if path.is_relative_to(OWN_ROOT) else "regex"
    fields = {key: value for key, value in table.items() if key not in {"name", "needs", "pattern", "engine", "note"}}
    needs = tuple(need.lower() for need in table.get("needs", []))
    id_ = f"{path.parent.name}.{path.stem}.{table['name']}"
    rule = Rule(id_, table["name"], needs, source, fields, engine, order)
    if not path.is_relative_to(OWN_ROOT):
        _compile(rule, where)
    return rule


def _compile(rule: Rule, where: str) -> None:
    """Compile an owner's pattern at once, so that a mistake is told at the start and not in the middle of a talk."""
    try:
        rule.pattern  # noqa: B018 (compiles on first use)
    except Exception as error:  # noqa: BLE001 (regex has an error class of its own, which we do not import for this)
        raise PackError(f"{where}: {error}") from None


class _Pieces:
    """The pieces of a file and its language; behind them the short word lists as alternations, longest first."""

    def __init__(self, words: Mapping[str, Mapping[str, str]], own: Mapping[str, Any]) -> None:
        self._words = words
        self._own = own

    def find(self, name: str, where: str) -> str:
        """Return the source of a piece. Raises PackError when there is none."""
        if isinstance(self._own.get(name), str):
            return str(self._own[name])
        terms = self._words.get(name, {})
        if 0 < len(terms) <= MAX_PIECE_WORDS:
            return "|".join(re.escape(term) for term in sorted(terms, key=lambda term: -len(term)))
        close = difflib.get_close_matches(name, [*self._own, *self._words], 1)
        raise PackError(f"{where}: no piece {name}" + (f"; did you mean {close[0]}?" if close else ""))


def _fill(pattern: str, pieces: _Pieces, where: str) -> str:
    pattern = _one_line(pattern)
    for _ in range(MAX_DEPTH):
        filled = PIECE.sub(lambda match: f"(?:{_one_line(pieces.find(match.group(1), where))})", pattern)
        if filled == pattern:
            return filled
        pattern = filled
    raise PackError(f"{where}: pieces nest deeper than {MAX_DEPTH}")


def _one_line(pattern: str) -> str:
    """Join the lines of a pattern; blanks at their ends only serve the reader, and none begins a pattern."""
    return "".join(map(str.strip, pattern.splitlines())) if "\n" in pattern else pattern.lstrip(" ")
