"""Lines about what is held to be true and what is still to happen: claims in fixed order, today's date, items."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from claudemem_edge.context_injector import wording
from claudemem_edge.context_injector.asked import asked_for
from claudemem_edge.context_injector.asking import tables as asking_tables
from claudemem_edge.language import dates
from claudemem_edge.language.terms import terms
from claudemem_edge.shapes.context import KEYED, ContextLine

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from claudemem_edge.context_injector.sight import Sight
    from claudemem_edge.shapes.context import Profile
    from claudemem_edge.shapes.memory import Claim, Item
    from claudemem_edge.shapes.reading import Reading

NAMED, SPEAKING, ASKED_FOR, UNQUOTABLE = 0.5, 0.25, 0.7, 0.25
"""What it is worth to a claim that its subject or object is named, that it is of who speaks, that it is asked for, and
that no statement may say it: those it rests on hold an old value too."""
ENOUGH = 0.75
HEARD = 0.25
"""Share of the question's weight in a claim's statement from which on it is worth comparing word by word."""
LEAST_FOR_DATE = 120
FAR = timedelta(days=400)
"""Seen from so far away, a date is said in full."""
MOST_CLAIMS, FEW_CLAIMS, MOST_ITEMS = 4, 2, 4
OPEN_STATES = frozenset({"pending", "triggered"})
NOTHING: Mapping[str, Any] = {}


@dataclass(slots=True)
class Held:
    """Lines of what is held. `answers`: a claim is just what is asked for, and other talk would only distract.

    `due`: the same of an item, by the time the question names. `about`: the question is about a claim, told or not.
    """

    lines: list[ContextLine]
    answers: bool
    due: bool
    about: bool


def find(
    sight: Sight, question: Reading, profile: Profile, marks: Mapping[int, float], room: int, *, whole: bool
) -> Held:
    """Return the lines about claims, the date of today and items that this question needs.

    `whole`: all that was said will stand beside them, so that only a claim that answers, or rests on nothing that can
    be shown, says more.
    """
    asked, elsewhere = asked_for(sight.ask)
    about = _named(sight, question) | sight.ask.speakers
    if not elsewhere and asking_tables(sight.ask.language).me.search(sight.ask.folded):
        about.add("user")
    # Who asks of nobody may well ask for oneself.
    meant = about or (set() if sight.ask.leans or elsewhere else {"user"})
    best = _best_claims(sight, asked, meant, _relations(sight, question), marks)
    answers = {one for one in best if _answers(sight.state.claims[one], sight, asked, about)}
    spare = room if asked and not sight.ask.leans else room // 3
    if answers or sight.ask.when:
        best = {
            one: worth for one, worth in best.items() if one in answers or sight.state.claims[one].predicate in asked
        }
    about_claim = bool(best)
    if whole and not answers:
        best = {one: worth for one, worth in best.items() if not _visible(sight, sight.state.claims[one].origin)}
    claims = _claim_lines(sight, best, answers, profile, spare)
    items, due = _items(sight, question, marks)
    today = _today(sight, question) if room >= LEAST_FOR_DATE else []
    return Held([*claims, *today, *items], bool(answers), due, about_claim)


def _relations(sight: Sight, question: Reading) -> set[str]:
    """Return the relations to the speaker that the question names ("my wife"), as their predicates."""
    tables = [
        one.tables.get("predicates", NOTHING).get("relations", NOTHING) for one in sight.lexicon.languages.values()
    ]
    names = {mention.name for mention in question.mentions}
    return {table[name] for table in tables for name in names & table.keys()}


def _best_claims(
    sight: Sight, asked: frozenset[str], about: set[str], related: set[str], marks: Mapping[int, float]
) -> dict[int, float]:
    """Return claim id → worth of the claims the question is about, the best first."""
    state, ask = sight.state, sight.ask
    named = about - ask.speakers - {"user"}
    worth: dict[int, float] = {}
    for claim in state.claims.values():
        if (claim.until is not None and not ask.earlier) or all(one >= ask.before for one in claim.origin):
            continue  # it is over, or the question itself says it
        mark = _best(claim.origin, marks)
        value = mark + ASKED_FOR * (claim.predicate in asked)
        by_name = claim.subject in named or claim.object in named or claim.predicate in related
        if by_name or (mark >= HEARD and _says(sight, claim.object)):
            value += NAMED
            value += UNQUOTABLE * _hidden(sight, claim.origin)
        elif claim.subject in about:
            value += SPEAKING
        if value >= ENOUGH:
            worth[claim.id] = value
    return dict(sorted(worth.items(), key=lambda one: (-one[1], one[0])))


def _claim_lines(
    sight: Sight, best: Mapping[int, float], answers: set[int], profile: Profile, spare: int
) -> list[ContextLine]:
    """Return lines for some of the best claims, in the order in which they came to hold.

    Those that do not answer share `spare` characters.
    """
    ranked = sorted(best, key=lambda one: one not in answers)
    chosen: dict[int, str] = {}
    for one in ranked[: MOST_CLAIMS if answers else FEW_CLAIMS]:
        claim = sight.state.claims[one]
        text = "" if _all_shown(sight, claim.origin) else claim_text(claim, sight, profile)
        if one not in answers:
            spare -= len(text) + 1
        if text and (spare >= 0 or one in answers):
            chosen[one] = text
    lines = []
    for one in sorted(chosen):
        origin = sight.state.claims[one].origin
        lines.append(ContextLine("claim", chosen[one], _turns(sight, origin), round(best[one], 3)))
        if answers:
            sight.covered.update(origin)
    return lines


def _visible(sight: Sight, origin: Sequence[int]) -> bool:
    """Tell whether all that a claim rests on may be shown as it was said."""
    statements = sight.state.statements
    return bool(origin) and all(one in statements and sight.visible(statements[one]) for one in origin)


def _hidden(sight: Sight, origin: Sequence[int]) -> bool:
    """Tell whether nothing that a claim rests on may be shown as it was said."""
    statements = sight.state.statements
    return not any(one in statements and statements[one].shown for one in origin)


def _says(sight: Sight, words: str) -> bool:
    """Tell whether the question says all that these words say."""
    said = set(terms(words.lower(), sight.ask.language))
    return bool(said) and said <= sight.ask.terms


def _answers(claim: Claim, sight: Sight, asked: frozenset[str], about: set[str]) -> bool:
    """Tell whether a claim is just what is asked for: of whom, and of what there is only one.

    A question that points back asks about something else than who speaks.
    """
    if sight.ask.leans and claim.subject == "user":
        return False
    table = _predicate(claim.predicate, sight)[0] if sight.ask.question and claim.predicate in asked else NOTHING
    return claim.subject in about and bool(table.get("single"))


def _named(sight: Sight, question: Reading) -> set[str]:
    """Return the names in the question but for those who speak, and what its pointing words can stand for."""
    named = {mention.name for mention in question.mentions} - sight.ask.speakers
    entities = sight.state.entity_map.values()
    for reference in question.references:
        fitting = [one for one in entities if one.sightings and reference.kind in {"", "any", "thing", one.kind}]
        latest = max((one.sightings[-1].turn for one in fitting), default=0)
        named.update(one.name for one in fitting if one.sightings[-1].turn == latest)
    return named


def claim_text(claim: Claim, sight: Sight, profile: Profile) -> str:
    """Return a claim in words; "" when no pack words its predicate."""
    table, tables = _predicate(claim.predicate, sight)
    return _worded(claim, table, tables, sight, profile) if table else ""


def _predicate(name: str, sight: Sight) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Return what the question's language, else another, says of a predicate, and that language's whole table."""
    for language in (sight.language, *sight.lexicon.languages.values()):
        tables = language.tables.get("predicates", NOTHING) if language else NOTHING
        table = tables.get("predicates", NOTHING).get(name)
        if table:
            return table, tables
    return NOTHING, NOTHING


def _worded(claim: Claim, table: Mapping[str, Any], tables: Mapping[str, Any], sight: Sight, profile: Profile) -> str:
    forms = tables.get("subjects", NOTHING)
    subject = claim.subject
    if subject == "user":
        subject = forms.get("user", subject)
    elif subject in tables.get("relations", NOTHING):
        subject = forms.get("relation", "{subject}").replace("{subject}", subject)
    held = wording.neutral(claim.object, sight.roles)
    subject = wording.neutral(subject, sight.roles)
    if profile.style == "sentence" or not claim.open:
        shape = table.get("sentence" if claim.open else "past", "")
        told = str(shape).replace("{subject}", subject).replace("{object}", held)
        if "{when}" not in told or sight.language is None:
            return told
        return told.replace("{when}", dates.spoken_at(sight.language, claim.since, sight.now, "minute"))
    key = str(table.get("key", claim.predicate)).replace("{subject}", claim.subject)
    if claim.subject != "user":
        key = f"{subject} {key}"
    return KEYED[profile.style].format(key=key, value=held)


def _today(sight: Sight, question: Reading) -> list[ContextLine]:
    language = sight.language
    shape = wording.tables(language).now
    if language is None or not shape or sight.now.doubt:
        return []
    if not (question.times or asking_tables(language).now.search(sight.ask.folded)):
        return []
    now = sight.now.wall
    return [ContextLine("date", shape.replace("{when}", dates.spoken_when(language, now, now - FAR, "minute")))]


def _items(sight: Sight, question: Reading, marks: Mapping[int, float]) -> tuple[list[ContextLine], bool]:
    """Return the items to come that the question is about, soonest first, and whether it asks for their time."""
    found: list[tuple[float, float, Item]] = []
    due = False
    for item in sight.state.pending_items.values():
        if item.state in OPEN_STATES:
            falls = _falls_into(item, question)
            due = due or (falls and question.question)
            worth = _best(item.origin, marks) + falls
            if worth >= ENOUGH / 2:
                found.append((item.due.seconds_left(sight.now) if item.due else float("inf"), worth, item))
    found.sort(key=lambda one: (one[0], one[2].id))
    lines = []
    for _, worth, item in found[:MOST_ITEMS]:
        lines.append(ContextLine("item", _item_text(sight, item), _turns(sight, item.origin), round(worth, 3)))
        sight.covered.update(item.origin)
    return lines, due


def _best(origin: Sequence[int], marks: Mapping[int, float]) -> float:
    """Return the highest mark of the statements a record rests on."""
    best = 0.0
    for one in origin:
        if one in marks and marks[one] > best:
            best = marks[one]
    return best


def _falls_into(item: Item, question: Reading) -> bool:
    """Tell whether an item is due in a time the question names."""
    if item.due is None or not question.times:
        return False
    at = item.due.at()
    for mention in question.times:
        start, end = mention.start, mention.end
        if end is None and start is not None:
            end = start + (timedelta(days=1) if mention.grain == "day" else timedelta(minutes=1))
        if (start is None or start <= at) and end is not None and at < end:
            return True
    return False


def _item_text(sight: Sight, item: Item) -> str:
    words, language = wording.tables(sight.language), sight.language
    text = wording.neutral(item.text, sight.roles)
    if item.due is None or language is None:
        return words.undated.replace("{text}", text)
    when = dates.spoken_due(language, item, sight.now)
    if item.recurrence:
        when = dates.spoken_recurrence(language, item.recurrence) or when
    return words.item.replace("{when}", when).replace("{text}", text)


def _turns(sight: Sight, origin: Sequence[int]) -> tuple[int, ...]:
    statements = sight.state.statements
    return tuple(dict.fromkeys(statements[one].turn for one in origin if one in statements))


def _all_shown(sight: Sight, origin: Sequence[int]) -> bool:
    """Tell whether the client's own messages show all that a claim rests on."""
    held = [sight.state.statements[one] for one in origin if one in sight.state.statements]
    return bool(held) and all(sight.shows(one) for one in held)
