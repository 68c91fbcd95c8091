"""Who a clause is about: the speaker, a relation of theirs, somebody named, or whoever a pointing word means."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from claudemem_edge.input_filter.claim_rules import predicate_table

if TYPE_CHECKING:
    from claudemem_edge.language.pack import Language, Scan
    from claudemem_edge.shapes.reading import Mention, Utterance

BLANKS = " ,，、"
MARK = re.compile("[,，、]")
THINGS = frozenset(
    {"medicine", "device", "room", "place", "work", "organisation", "dose", "version", "number", "clause"}
)
"""Kinds of name that are nobody; the next clause does not inherit one as its subject."""
SPEAKER = "speaker"
REMEDIES = frozenset({"medicine", "thing", "any"})
"""What a pointing word may stand for that stands for a medicine."""
PERSONS = frozenset({"", "person", "any"})
"""What a pointing word may stand for, if it is one, where a person is asked for."""
UNNAMED = frozenset({"pointer", "relation"})
FAMILY = "relations."
"""How the rule of a mention begins that is a family word."""
NOBODYS_ROLES = frozenset({"", "mine", "doer"})
SPEAKERS_ROLES = frozenset({"", "mine", "doer", "speaker", "person"})
Places = dict[int, tuple[int, str]]
NOWHERE: Places = {}
NO_PLACE = (0, "")


@dataclass(slots=True, frozen=True)
class Subject:
    """`kind` is speaker, relation, pointer, or the kind of a name. `end` is where the rest of the clause begins."""

    name: str
    kind: str
    end: int
    relation: str = ""
    """The relation word as listed, when `kind` is relation."""
    points_to: str = ""
    """What a pointing word can stand for, when `kind` is pointer."""


class Ground:
    """The listed words of one utterance by place, for asking what stands where."""

    def __init__(self, utterance: Utterance, scan: Scan, language: Language, mentions: tuple[Mention, ...]) -> None:
        self.text = utterance.text
        self.folded = utterance.folded
        self.speaker = utterance.speaker
        self.named = {mention.span[0]: mention for mention in mentions}
        self.joined = language.joined
        self.table = predicate_table(language)
        self.leads = _places(scan, "leads")
        self.openers = _places(scan, "openers")
        self.reasons = _places(scan, "reasons")
        self._by_kind: dict[str, list[Mention]] = {}
        for mention in mentions:
            self._by_kind.setdefault(mention.kind, []).append(mention)
        self.pointers = _outside(_places(scan, "pointers"), mentions)
        self.pointing = {self.folded[start:end] for start, (end, _) in self.pointers.items()}
        self.selves = _places(scan, "selves")
        self.possessives = _places(scan, "possessives")
        self._caused = _ends(scan, "causatives")
        self._reporter_ends = _ends(scan, "reporters")
        self._experts = [start for start, _, _ in scan.spans("experts")]
        self._determiners = _places(scan, "determiners")
        self._family = _places(scan, "relations")
        self._relations = _places(scan, "roles") | self._family
        self._subjects = {*self.possessives, *self.selves, *self._determiners, *self.named, *self.pointers}
        if self.joined:
            self._subjects.update(self._family)

    @property
    def reporting(self) -> bool:
        """True when somebody says something in it."""
        return bool(self._reporter_ends)

    def skip(self, at: int, end: int) -> int:
        """Return the place behind blanks and the words a clause may begin with."""
        while at < end:
            if self.folded[at] in BLANKS:
                at += 1
            elif at in self.leads and self.leads[at][0] >= self.pointers.get(at, NO_PLACE)[0]:
                at = self.leads[at][0]
            else:
                break
        return min(at, end)

    def past_blanks(self, at: int) -> int:
        """Return the place behind blanks alone."""
        while self.folded[at : at + 1] == " ":
            at += 1
        return at

    def subject(self, at: int) -> Subject | None:
        """Return the subject that begins at `at`, if one does."""
        if at not in self._subjects:
            return None
        return self._own_relation(at) or self._self(at) or self._named_thing(at) or self._pointer(at) or self._other(at)

    def opens(self, at: int) -> bool:
        """Tell whether something new begins here for certain: at the very start, or behind a mark."""
        while at > 0 and self.folded[at - 1] == " ":
            at -= 1
        return at == 0 or not self.folded[at - 1].isalnum()

    def hearsay(self, start: int, at: int) -> bool:
        """Tell whether at `at`, in a clause from `start`, begins what somebody says who knows no better."""
        while at > start and self.folded[at - 1] == " ":
            at -= 1
        expert = bisect_left(self._experts, start)
        return at in self._reporter_ends and not (expert < len(self._experts) and self._experts[expert] < at)

    def starts(self) -> list[int]:
        """Return the places where something new may begin inside a clause, in order: not behind "makes" and "for"."""
        found = {*self.leads, *self.openers, *self.reasons, *self.selves, *self.possessives}
        found.update(mark.end() for mark in MARK.finditer(self.folded))
        return sorted(found - self._caused)

    @staticmethod
    def roles(subject: Subject | None) -> set[str] | frozenset[str]:
        """Return what rules may ask a subject to be (`who`) and it is."""
        if subject is None:
            return NOBODYS_ROLES
        kind, points_to = subject.kind, subject.points_to
        if kind == SPEAKER:
            return SPEAKERS_ROLES
        roles = {"", "mine", "other"}
        if kind not in THINGS:
            roles.add("doer")
            if points_to in PERSONS:
                roles.add("person")
        if kind not in UNNAMED:
            roles.add("named")
        if kind == "relation":
            roles.add("relation")
        if kind == "medicine" or points_to in REMEDIES:
            roles.add("medicine")
        return roles

    def earlier(self, kind: str, before: int) -> str:
        """Return the last name of a kind that ends before a place, "" if there is none."""
        mentions = self._by_kind.get(kind, [])
        place = bisect_right(mentions, before, key=_end)
        return mentions[place - 1].name if place else ""

    def known(self, name: str, end: int) -> Subject:
        """Return the subject that a name stands for: a relation word, or itself."""
        return self._as_relation(name, end) if name in self.table.relations else Subject(name, "name", end)

    def speaking(self, end: int) -> Subject:
        """Return the speaker as subject."""
        return Subject(self.speaker, SPEAKER, end)

    def _own_relation(self, at: int) -> Subject | None:
        possessive = self.possessives.get(at)
        if possessive is None:
            return None
        relation = self._relations.get(self.past_blanks(possessive[0]))
        return self._as_relation(relation[1], relation[0]) if relation is not None else None

    def _self(self, at: int) -> Subject | None:
        found = self.selves.get(at)
        return Subject(self.speaker, SPEAKER, found[0]) if found is not None else None

    def _named_thing(self, at: int) -> Subject | None:
        determiner = self._determiners.get(at)
        if determiner is None:
            return None
        mention = self.named.get(self.past_blanks(determiner[0]))
        return Subject(mention.name, mention.kind, mention.span[1]) if mention is not None else None

    def _pointer(self, at: int) -> Subject | None:
        found = self.pointers.get(at)
        if found is None:
            return None
        return Subject(self.text[at : found[0]], "pointer", found[0], points_to=found[1])

    def _other(self, at: int) -> Subject | None:
        mention = self.named.get(at)
        served = mention is not None and mention.rule.startswith(FAMILY)
        family = self._family.get(at) if self.joined or served else None
        if family is not None and (mention is None or served or mention.span[1] <= family[0]):
            return self._as_relation(family[1], family[0])
        return Subject(mention.name, mention.kind, mention.span[1]) if mention is not None else None

    def _as_relation(self, word: str, end: int) -> Subject:
        name = word if self.speaker == "user" else self.table.possession.format(owner=self.speaker, subject=word)
        return Subject(name, "relation", end, word)


def _places(scan: Scan, name: str) -> Places:
    rows = scan.lists.get(name)
    return {start: (end, value) for start, end, value in rows} if rows else NOWHERE


def _end(mention: Mention) -> int:
    return mention.span[1]


def _ends(scan: Scan, name: str) -> frozenset[int]:
    rows = scan.lists.get(name)
    return frozenset(end for _, end, _ in rows) if rows else frozenset()


def _outside(places: Places, mentions: tuple[Mention, ...]) -> Places:
    """Return the places that no name covers."""
    if not places or not mentions:
        return places
    inside = {at for mention in mentions for at in range(*mention.span)}
    return {at: found for at, found in places.items() if at not in inside}
