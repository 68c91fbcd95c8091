"""Names that word lists know: medicines, places, rooms and devices, the speaker's own people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from claudemem_edge.input_filter.mention_tables import mention_tables
from claudemem_edge.input_filter.proper_names import has_capitals, proper_end
from claudemem_edge.language.per_language import PerLanguage
from claudemem_edge.shapes.reading import Mention

if TYPE_CHECKING:
    from collections.abc import Iterator

    from claudemem_edge.input_filter.mention_tables import MentionTables
    from claudemem_edge.language.pack import Language, Scan
    from claudemem_edge.shapes.reading import Span, Utterance

LONGEST_SURNAME_CHARS = 24
HYPHEN = "-"


def listed(utterance: Utterance, scan: Scan, language: Language) -> Iterator[Mention]:
    """Give the terms of every list that names something."""
    tables = mention_tables(language)
    text = utterance.text
    for name, kind, capital, longer in tables.lists:
        for start, end, value in scan.spans(name):
            if capital and not _stands_alone(text, start, end):
                continue
            last = end
            if longer and text[end : end + 1] == " " and has_capitals(text):
                last = max(end, proper_end(text, end + 1, end + LONGEST_SURNAME_CHARS, tables.words_not_names))
                last = end if last == end + 1 else last
            yield Mention(value if last == end else text[start:last], kind, (start, last), f"{name}.{value}")


def relations(utterance: Utterance, scan: Scan, language: Language) -> Iterator[Mention]:
    """Give the speaker's own people: a family word or role behind a possessive, a family word where none is needed."""
    family, roles = scan.spans("relations"), scan.spans("roles")
    if not family and not roles:
        return
    tables = mention_tables(language)
    possessive_ends = {_past_blanks(utterance.folded, end) for _, end, _ in scan.spans("possessives")}
    for name, hits in (("relations", family), ("roles", roles)):
        for start, end, value in hits:
            own = start in possessive_ends or (
                bool(tables.foreign)
                and name == "relations"
                and end - start >= tables.shortest
                and utterance.folded[max(0, start - 1) : start] not in tuple(tables.foreign)
            )
            own = own or (name == "relations" and _serves_as_name(utterance, (start, end), tables))
            if own:
                yield Mention(_of(value, utterance, language), tables.relation_kind, (start, end), f"{name}.{value}")


def _serves_as_name(utterance: Utterance, span: Span, tables: MentionTables) -> bool:
    """Tell whether a family word is a name here: "Mum lives in Leeds", not "her mum" nor "a mum"."""
    start, end = span
    after = utterance.text[end : end + 2]
    if utterance.folded[start:end] not in tables.family_names or after[:1] == HYPHEN or after[1:].isupper():
        return False  # "Mother Teresa" is nobody's mother
    before = utterance.folded[:start].rstrip().rsplit(" ", 1)[-1]
    return before.strip(",;:") not in tables.never_after and not before.endswith(("'s", HYPHEN))


def compounds(utterance: Utterance, scan: Scan, language: Language) -> Iterator[Mention]:
    """Give the names made of two listed words, such as a room and a device in it."""
    rule = _compound(language)
    if not rule:
        return
    firsts, seconds = scan.spans(rule["first"]), scan.spans(rule["second"])
    if not firsts or not seconds:
        return
    second_at = {start: (end, value) for start, end, value in seconds}
    second_before = {end: (start, value) for start, end, value in seconds}
    for first, first_end, first_value in firsts:
        for glue in rule["glue"]:
            found = second_at.get(first_end + len(glue))
            if found is not None and utterance.folded.startswith(glue, first_end):
                yield _compound_mention(rule, first_value, found[1], (first, found[0]))
        for glue in rule["back_glue"]:
            found = second_before.get(first - len(glue))
            if found is not None and utterance.folded.endswith(glue, 0, first):
                yield _compound_mention(rule, first_value, found[1], (found[0], first_end))


def _compound_mention(rule: dict[str, Any], first: str, second: str, span: Span) -> Mention:
    name = rule["name"].format(first=first, second=second)
    return Mention(name, rule["kind"], span, f"{rule['second']}.{name}")


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Tell whether a listed name is written as one, and is no part of a longer word with hyphens."""
    if HYPHEN in {text[start - 1 : start], text[end : end + 1]}:
        return False
    return text[start].isupper() or not has_capitals(text)


def _of(word: str, utterance: Utterance, language: Language) -> str:
    """Return a relation as subject: bare for the user, with the owner's name for anybody else."""
    if utterance.speaker in {"user", "assistant", "event"}:
        return word
    pattern: str = language.tables.get("predicates", {}).get("subjects", {}).get("of", "{subject}")
    return pattern.format(owner=utterance.speaker, subject=word)


def _past_blanks(text: str, at: int) -> int:
    while text[at : at + 1] == " ":
        at += 1
    return at


def _made_compound(language: Language | None) -> dict[str, Any]:
    return dict(mention_tables(language).compound)


_compound = PerLanguage(_made_compound)
