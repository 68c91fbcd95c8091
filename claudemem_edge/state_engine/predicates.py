"""What the packs say about a predicate. An unknown one takes many values and is worded plainly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from claudemem_edge.language.pack import Language, Lexicon

NOTHING: Mapping[str, Any] = {}
FILE = "predicates"


def describe(predicate: str, lexicon: Lexicon, language: Language | None = None) -> Mapping[str, Any]:
    """Return the table of a predicate, from `language` if it has one, else from the first that has."""
    for one in (language, *lexicon.languages.values()):
        if one is not None:
            found = one.tables.get(FILE, NOTHING).get(FILE, NOTHING).get(predicate)
            if found is not None:
                return dict(found)
    return NOTHING


def endings(predicate: str, lexicon: Lexicon) -> tuple[str, ...]:
    """Return what a predicate is called in every language, as the last word of how people call it ("my age")."""
    tables = [one.tables.get(FILE, NOTHING).get(FILE, NOTHING) for one in lexicon.languages.values()]
    return tuple(f" {table[predicate]['key']}".lower() for table in tables if table.get(predicate, NOTHING).get("key"))


def single(predicate: str, lexicon: Lexicon) -> bool:
    """Tell whether a new value of this predicate takes the old one's place."""
    return bool(describe(predicate, lexicon).get("single", False))


def each(predicate: str, lexicon: Lexicon) -> bool:
    """Tell whether every telling is one of its own: a deed, done once more."""
    return bool(describe(predicate, lexicon).get("each", False))


def opposite(predicate: str, lexicon: Lexicon) -> str:
    """Return the predicate that cannot hold of the same object at the same time, or ""."""
    return str(describe(predicate, lexicon).get("opposite", ""))


def relation_word(predicate: str, language: Language | None, folded: str) -> str:
    """Return the word for a relation ("my son") as a text has it, "" when the predicate is none.

    Several words may mean one relation; the longest in the text is the one that was used.
    """
    relations = language.tables.get(FILE, NOTHING).get("relations", NOTHING) if language else NOTHING
    words = [word for word, meant in relations.items() if meant == predicate]
    return max((word for word in words if word in folded), key=len, default=min(words, key=len, default=""))


def is_relation(word: str, lexicon: Lexicon) -> bool:
    """Tell whether a word names somebody by a relation to the speaker."""
    return any(word in one.tables.get(FILE, NOTHING).get("relations", NOTHING) for one in lexicon.languages.values())


def subject_forms(language: Language | None) -> Mapping[str, Any]:
    """Return how the wordings of a language write their subjects, and how they change when the user is spoken to."""
    found: Mapping[str, Any] = language.tables.get(FILE, NOTHING).get("subjects", NOTHING) if language else NOTHING
    return found
