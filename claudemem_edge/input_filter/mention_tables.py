"""What `mentions.toml` says beside its patterns, checked when a language is first read with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from claudemem_edge.errors import PackError
from claudemem_edge.language.per_language import PerLanguage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from claudemem_edge.language.pack import Language, Rule

FIELDS = frozenset({"kind"})


@dataclass(slots=True, frozen=True)
class MentionRule:
    """A rule of `mentions.toml`: its group `name` is the name.

    A group `proper` must be written with capitals, at least as far as into a group `needed`, and the name ends with it.
    A group `leads_up` stands behind the capitalised words that begin the name.
    """

    rule: Rule
    kind: str
    proper: bool
    needed: bool
    leads_up: bool
    words_not_names: frozenset[str]


@dataclass(slots=True, frozen=True)
class MentionTables:
    """How word lists become names."""

    lists: tuple[tuple[str, str, bool, bool], ...] = ()
    """List, kind, whether it needs a capital, whether capitalised words behind it belong to the name."""
    relation_kind: str = "person"
    foreign: str = ""
    """Characters behind which a family word is somebody else's; empty: the word must follow a possessive."""
    shortest: int = 2
    family_names: frozenset[str] = frozenset()
    """Family words that serve as names where no word of `never_after` stands before them."""
    never_after: frozenset[str] = frozenset()
    compound: Mapping[str, object] = field(default_factory=dict)
    words_not_names: frozenset[str] = frozenset()


def _mention_tables(language: Language | None) -> MentionTables:
    tables = language.tables.get("mentions", {}) if language is not None else {}
    relations = tables.get("relations", {})
    return MentionTables(
        tuple(
            (name, table["kind"], table.get("capital", False), table.get("longer", False))
            for name, table in tables.get("lists", {}).items()
        ),
        relations.get("kind", "person"),
        relations.get("foreign", ""),
        relations.get("shortest", 2),
        frozenset(relations.get("names", ())),
        frozenset(relations.get("never_after", ())),
        tables.get("compound", {}),
        _words_not_names(language),
    )


def _words_not_names(language: Language | None) -> frozenset[str]:
    tables = language.tables.get("mentions", {}) if language is not None else {}
    return frozenset(tables.get("capitals", {}).get("not_names", ()))


def _mention_rules(language: Language | None) -> dict[str, MentionRule]:
    if language is None:
        return {}
    stops = _words_not_names(language)
    return {id_: _mention_rule(rule, stops) for id_, rule in language.rules.get("mentions", {}).items()}


def _mention_rule(rule: Rule, stops: frozenset[str]) -> MentionRule:
    if set(rule.fields) != FIELDS:
        raise PackError(f"{rule.id}: besides its pattern a mention has a kind and nothing else")
    groups = rule.pattern.groupindex
    if "name" not in groups:
        raise PackError(f"{rule.id}: the pattern needs a group (?P<name>…)")
    return MentionRule(rule, rule.fields["kind"], "proper" in groups, "needed" in groups, "leads_up" in groups, stops)


mention_tables = PerLanguage(_mention_tables)
mention_rules = PerLanguage(_mention_rules)
