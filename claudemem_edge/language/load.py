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

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

RULE_KEYS = frozenset({"name", "needs", "pattern", "engine", "note"})
PIECE = re.compile(r"\{([a-z][a-z_]*)\}")
UNBOUNDED = re.compile(r"(?<!\\)(?:\.|\\[SDW]|\[\^[^\]]*\])[*+]|\(\?:?[^)]*[*+]\)[*+]")
"""An open-ended wildcard, or a repeat of a repeat: either can take quadratic time."""
MAX_PIECE_WORDS = 400
MAX_RULES = 2000


@lru_cache(maxsize=16)
def load(languages: tuple[str, ...], packs: tuple[str, ...] = ("core",), folders: tuple[str, ...] = ()) -> Lexicon:
    """Return the lexicon for these languages and packs, in this order.

    `folders` are owners' pack roots, laid out like the package's own; they add rules or replace them by id.
    A language may lack a pack other than core. Raises PackError.
    """
    roots = (Path(str(resources.files("claudemem_edge"))) / "packs", *(Path(folder) for folder in folders))
    found: dict[str, Language] = {}
    for code in languages:
        language: Language | None = None
        for pack in packs:
            for root in roots:
                if (root / code / pack / "pack.toml").is_file():
                    language = _merge(language, root / code / pack)
        if language is not None:
            _fill_scanner(language)
            found[code] = language
    if languages and not found:
        known = sorted(path.parent.parent.name for path in roots[0].glob("*/core/pack.toml"))
        raise PackError(f"no pack for {', '.join(languages)}; there are packs for {', '.join(known)}")
    return Lexicon(found)


def _merge(language: Language | None, folder: Path) -> Language:
    about = _toml(folder / "pack.toml")
    if language is None:
        try:
            language = Language(about["language"], about["title"], about["script"], about["joined"])
        except KeyError as missing:
            raise PackError(f"{folder / 'pack.toml'}: {missing} is missing") from None
    words_folder = folder / "words"
    for path in sorted(words_folder.glob("*.txt")) if words_folder.is_dir() else ():
        language.words.setdefault(path.stem, {}).update(_words(path))
    for path in sorted(folder.glob("*.toml")):
        if path.stem == "pack":
            continue
        tables = _toml(path)
        if path.stem == "phrases":
            language.phrases.update(tables)
            continue
        pieces = {**_word_pieces(language), **tables.pop("pieces", {})}
        rules = language.rules.setdefault(path.stem, {})
        for table in tables.pop("rule", []):
            rule = _rule(table, f"{folder.name}.{path.stem}", path, pieces)
            rules[rule.id] = rule
        if len(rules) > MAX_RULES:
            raise PackError(f"{path}: more than {MAX_RULES} rules")
        language.tables.setdefault(path.stem, {}).update(tables)
    return language


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise PackError(f"{path}: {error}") from None


def _words(path: Path) -> Iterator[tuple[str, str]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        entry = line.partition("#")[0].strip()
        if entry:
            term, _, value = entry.partition("\t")
            yield term.strip().lower(), value.strip() or term.strip()


def _word_pieces(language: Language) -> dict[str, str]:
    """Return the short word lists as alternations, longest term first, for patterns that name one."""
    return {
        name: "|".join(re.escape(term) for term in sorted(terms, key=lambda term: -len(term)))
        for name, terms in language.words.items()
        if len(terms) <= MAX_PIECE_WORDS
    }


def _rule(table: dict[str, Any], prefix: str, path: Path, pieces: dict[str, str]) -> Rule:
    where = f"{path}: rule {table.get('name', '?')}"
    for key in ("name", "pattern"):
        if not isinstance(table.get(key), str):
            close = difflib.get_close_matches(key, table, 1)
            raise PackError(f"{where}: {key} is missing" + (f"; did you mean {close[0]}?" if close else ""))
    needs = table.get("needs", [])
    if not isinstance(needs, list) or not all(isinstance(need, str) and need for need in needs):
        raise PackError(f"{where}: needs is a list of terms of which one must stand in the text")
    source = _fill(table["pattern"], pieces, where)
    if UNBOUNDED.search(source):
        raise PackError(f"{where}: bound every wildcard, as in .{{0,20}}?")
    engine = table.get("engine", "re")
    if engine not in {"re", "regex"}:
        raise PackError(f"{where}: engine is re or regex")
    fields = {key: value for key, value in table.items() if key not in RULE_KEYS}
    return Rule(
        f"{prefix}.{table['name']}", table["name"], tuple(need.lower() for need in needs), source, fields, engine
    )


def _fill(pattern: str, pieces: dict[str, str], where: str, depth: int = 4) -> str:
    def piece(match: re.Match[str]) -> str:
        name = match.group(1)
        if name not in pieces:
            close = difflib.get_close_matches(name, pieces, 1)
            raise PackError(f"{where}: no piece {name}" + (f"; did you mean {close[0]}?" if close else ""))
        return f"(?:{pieces[name]})"

    for _ in range(depth):
        filled = PIECE.sub(piece, pattern)
        if filled == pattern:
            return filled
        pattern = filled
    raise PackError(f"{where}: pieces nest deeper than {depth}")


def _fill_scanner(language: Language) -> None:
    for name, terms in language.words.items():
        for term, value in terms.items():
            language.scanner.add(term, f"{name}\0{value}")
    for rules in language.rules.values():
        for rule in rules.values():
            for need in rule.needs:
                language.scanner.add(need, f"rule\0{rule.id}")


def known_packs(folders: Sequence[str] = ()) -> list[tuple[str, str, str]]:
    """Return (language, pack, title) of every pack found, for the command line."""
    roots = (Path(str(resources.files("claudemem_edge"))) / "packs", *(Path(folder) for folder in folders))
    return [
        (path.parent.parent.name, path.parent.name, str(_toml(path).get("title", "")))
        for root in roots
        for path in sorted(root.glob("*/*/pack.toml"))
    ]
