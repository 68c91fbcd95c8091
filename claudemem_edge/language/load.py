"""Reads pack folders into a Lexicon, checks them, and says plainly what is wrong with which rule."""

from __future__ import annotations

import re
import sys
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from claudemem_edge.errors import PackError
from claudemem_edge.language.pack import Language, Lexicon, Rule
from claudemem_edge.language.pieces import Pieces
from claudemem_edge.language.schema import check_about, check_fields, unbounded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

OWN_ROOT = Path(__file__).parent.parent / "packs"
TRADITIONAL = "traditional"
MAX_RULES = 2000
TERMS = re.compile(r"\{([a-z_]+)\}([a-z]*)\Z")


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
            _check_patterns(language)
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
            folded = sys.intern(term.translate(language.simplified))
            known[folded] = folded if value == folded else sys.intern(value)


def _merge_rules(language: Language, path: Path, tables: object, pieces: object) -> None:
    if not isinstance(tables, list) or not isinstance(pieces, dict):
        raise PackError(f"{path}: rules are [[rule]] tables, pieces are one [pieces] table")
    rules = language.rules.setdefault(path.stem, {})
    known_pieces = Pieces(path, language.words, language.pieces | pieces)
    owners = not path.is_relative_to(OWN_ROOT)
    for table in tables:
        rule = _rule(table, known_pieces, len(rules), owners=owners)
        known = rules.get(rule.id)
        if known is not None:
            rule.order = known.order
        rules[rule.id] = rule
    if len(rules) > MAX_RULES:
        raise PackError(f"{path}: more than {MAX_RULES} rules")


def _toml(path: Path) -> dict[str, Any]:
    try:
        tables = _shared(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise PackError(f"{path}: {error}") from None
    return dict(tables)


def _shared(value: Any) -> Any:
    """Keep one copy of each text: packs say the same words many times."""
    if isinstance(value, str):
        return sys.intern(value)
    if isinstance(value, dict):
        return {sys.intern(key): _shared(one) for key, one in value.items()}
    return [_shared(one) for one in value] if isinstance(value, list) else value


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


def _rule(table: dict[str, Any], pieces: Pieces, order: int, *, owners: bool) -> Rule:
    path = pieces.path
    check_fields(path.stem, table, f"{path}: rule {table.get('name', '?')}")
    fields = {key: value for key, value in table.items() if key not in {"name", "needs", "pattern", "engine", "note"}}
    return Rule(
        id=f"{path.parent.name}.{path.stem}.{table['name']}",
        name=table["name"],
        needs=tuple(dict.fromkeys(_needs(table.get("needs", ()), pieces, table["name"]))),
        written=table["pattern"],
        fields=fields,
        engine="regex" if owners else table.get("engine", "re"),
        order=order,
        pieces=pieces,
        owners=owners,
    )


def _needs(needs: Iterable[str], pieces: Pieces, rule: str) -> Iterator[str]:
    """Give the terms a rule needs; "{list}" stands for all terms of a word list or piece, "{list}s" for plurals."""
    for need in needs:
        terms = TERMS.match(need)
        if terms is None:
            yield sys.intern(need.lower())
        else:
            for term in pieces.terms(terms[1], rule):
                yield sys.intern(term + terms[2])


def _check_patterns(language: Language) -> None:
    """Tell what is wrong with a pattern at the start, and not in the middle of a talk."""
    for rules in language.rules.values():
        for rule in rules.values():
            where = f"{rule.pieces.path}: rule {rule.name}" if rule.pieces else rule.id
            mark = unbounded(rule.source)
            if mark:
                raise PackError(f"{where}: {mark} has no upper bound; write it as in .{{0,20}}?")
            if rule.owners:
                _compile(rule, where)


def _compile(rule: Rule, where: str) -> None:
    """Compile an owner's pattern at once; our own are compiled by the tests, and here on first use."""
    try:
        rule.pattern  # noqa: B018 (compiles on first use)
    except Exception as error:  # noqa: BLE001 (regex has an error class of its own, which we do not import for this)
        raise PackError(f"{where}: {error}") from None
