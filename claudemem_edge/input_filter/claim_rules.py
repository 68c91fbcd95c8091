"""The shape of a rule in `claims.toml`, checked when a language is first read with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from claudemem_edge.errors import PackError
from claudemem_edge.input_filter.numerals import Numerals
from claudemem_edge.language.per_language import PerLanguage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from claudemem_edge.language.pack import Language, Rule

SHAPE_KEYS = frozenset({"predicate", "subject", "object", "denies"})
RULE_KEYS = frozenset({"at", "across", "elide", "who", "opened", "kinds", "capital", "numbers", "carry", "also"})
PLACES = frozenset({"subject", "start"})
BEGINS = "~"
BEGINS_ALONE = "<"
"""Marks of a kind in a rule's `kinds`."""
WHO = frozenset({"", "doer", "speaker", "mine", "person", "other", "named", "relation", "medicine"})


@dataclass(slots=True, frozen=True)
class DraftShape:
    """One claim of a rule. Texts may hold {groups} of the pattern; a claim with an empty group is left out."""

    predicate: str
    """A predicate, or a relation word that stands for one."""
    subject: str = ""
    """Empty: the subject of the clause."""
    object: str = "{object}"
    denies: bool = False


@dataclass(slots=True, frozen=True)
class ClaimRule:
    """A rule of `claims.toml`.

    `at`: its pattern begins at the clause's start, else behind the subject. `across`: it may run on into the clauses
    that follow. `elide`: without a word for the subject the speaker is meant. `who`: whom the subject must be.
    `opened`: words of correction must stand before it. `kinds`: group → kind of the name or pointing word that must
    fill it and becomes its value; "kind~": a name begins the group, which is kept as said; "kind<": a name begins the
    group and is its value, and the match ends with it. `capital`: groups that are names, written so. `numbers`:
    groups whose numerals are kept as digits. `carry`: subject of what follows.
    """

    rule: Rule
    drafts: tuple[DraftShape, ...]
    at_start: bool = False
    across: bool = False
    elide: bool = False
    who: str = ""
    opened: bool = False
    kinds: Mapping[str, str] = field(default_factory=dict)
    capital: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    carry: str = ""
    names: frozenset[str] = frozenset()
    """Kinds of name without which nothing comes of the rule."""


def _shape(table: Mapping[str, Any], where: str, more: frozenset[str] = frozenset()) -> DraftShape:
    unknown = set(table) - SHAPE_KEYS - more
    if unknown:
        raise PackError(f"{where}: no such field: {', '.join(sorted(unknown))}")
    if "predicate" not in table:
        raise PackError(f"{where}: predicate is missing")
    return DraftShape(**{key: value for key, value in table.items() if key in SHAPE_KEYS})


def _claim_rule(rule: Rule) -> ClaimRule:
    fields = rule.fields
    place = fields.get("at", "subject")
    if place not in PLACES:
        raise PackError(f"{rule.id}: at is subject or start")
    if fields.get("who", "") not in WHO:
        raise PackError(f"{rule.id}: who is one of {', '.join(sorted(WHO - {''}))}")
    also = [_shape(table, rule.id) for table in fields.get("also", ())]
    drafts = (_shape(fields, rule.id, RULE_KEYS), *also)
    return ClaimRule(
        rule,
        drafts,
        at_start=place == "start",
        across=bool(fields.get("across", False)),
        elide=bool(fields.get("elide", False)),
        who=fields.get("who", ""),
        opened=bool(fields.get("opened", False)),
        kinds=fields.get("kinds", {}),
        capital=frozenset(fields.get("capital", ())),
        numbers=frozenset(fields.get("numbers", ())),
        carry=fields.get("carry", ""),
        names=_names(drafts, fields.get("kinds", {})),
    )


def _names(drafts: Sequence[DraftShape], kinds: Mapping[str, str]) -> frozenset[str]:
    """Return the kind of the names that all drafts have as object; of a denial a pointing word may be the object."""
    objects = [draft.object.strip("{}") for draft in drafts]
    if any(draft.denies for draft in drafts) or not all(name in kinds for name in objects):
        return frozenset()
    found = {kinds[name].rstrip(BEGINS + BEGINS_ALONE) for name in objects}
    return frozenset(found) if len(found) == 1 else frozenset()


def _claim_rules(language: Language | None) -> dict[str, ClaimRule]:
    if language is None:
        return {}
    return {id_: _claim_rule(rule) for id_, rule in language.rules.get("claims", {}).items()}


claim_rules = PerLanguage(_claim_rules)
"""Language → rule id → its checked shape."""


@dataclass(slots=True, frozen=True)
class PredicateTable:
    """What `predicates.toml` says and readers need."""

    single: frozenset[str] = frozenset()
    relations: Mapping[str, str] = field(default_factory=dict)
    """Relation word → predicate."""
    named_by: frozenset[str] = frozenset()
    """The predicates that relation words stand for."""
    subject_kinds: Mapping[str, str] = field(default_factory=dict)
    of_times: frozenset[str] = frozenset()
    """Predicates whose object is a point in time."""
    possession: str = "{owner} {subject}"


def _predicate_table(language: Language | None) -> PredicateTable:
    tables = language.tables.get("predicates", {}) if language is not None else {}
    predicates = tables.get("predicates", {})
    return PredicateTable(
        frozenset(name for name, table in predicates.items() if table.get("single")),
        tables.get("relations", {}),
        frozenset(tables.get("relations", {}).values()),
        {name: table.get("subject_kind", "") for name, table in predicates.items()},
        frozenset(name for name, table in predicates.items() if table.get("object_kind") == "time"),
        tables.get("subjects", {}).get("of", "{owner} {subject}"),
    )


predicate_table = PerLanguage(_predicate_table)


def _numerals(language: Language | None) -> Numerals:
    table = language.tables.get("times", {}).get("numerals", {}) if language is not None else {}
    return Numerals.of(table, joined=bool(language and language.joined))


numerals = PerLanguage(_numerals)


def as_digits(folded: str, start: int, end: int, language: Language) -> str:
    """Return a numeral in digits; words that are none, or that go on behind one, stay as they are."""
    found = numerals(language).read(folded, start)
    return str(found.value) if found is not None and found.end == end else folded[start:end]
