"""Claims: what holds because of what was said, and what no longer does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claudemem_edge.shapes.memory import Claim
from claudemem_edge.state_engine import deeds, entity_map, predicates
from claudemem_edge.state_engine.statements import forgetting, hide_holding, holds, origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from claudemem_edge.shapes.reading import ClaimDraft
    from claudemem_edge.state_engine.progress import Progress

NAME, RELATION = "name", "relation"
ORIGINS_KEPT = 8
"""The first and the latest statements a claim rests on; a fact told a thousand times does not hold on to them all."""


def learn_all(progress: Progress) -> None:
    """Learn what the speaker asserts. Corrections without a predicate are left to `corrections`."""
    for draft in progress.reading.claims:
        if draft.predicate and draft.object and not forgetting(progress, draft.span):
            learn(progress, draft)


def learn(progress: Progress, draft: ClaimDraft) -> None:
    """Open a claim, let an open one rest on these words too, or close what is denied."""
    subject, value = entity_map.subject_of(progress, draft), entity_map.object_of(progress, draft)
    if not subject or not value:
        return  # nobody can say whom a pointing word meant; the statement is kept as it is
    rests_on = origin(progress, draft.span)
    same = open_with(progress, subject, draft.predicate)
    named = _named_so(progress, subject) if draft.predicate == NAME and not draft.denies else None
    if named is not None:  # "her name is Hanna", of the wife that was called Anna
        replace(progress, [named], (named.subject, named.predicate, value), rests_on)
        return
    if draft.denies:
        deny(progress, same, value, rests_on)
        return
    if predicates.each(draft.predicate, progress.lexicon):
        deed = replace(progress, [], (subject, draft.predicate, value), rests_on)
        progress.ledger.set(deed, since=deeds.time_of(progress, draft.span))
        deeds.note(progress, deed, draft.span)
        return
    known = next(iter(same_value(same, value)), None)
    if known is not None:
        rest_on(progress, known, rests_on)
        return
    against = _against(progress, subject, draft.predicate, value)
    new = replace(progress, _replaced(progress, draft, same) + against, (subject, draft.predicate, value), rests_on)
    if draft.because and not draft.corrects:
        progress.ledger.set(new, because=draft.because)


def _named_so(progress: Progress, subject: str) -> Claim | None:
    """Return the open claim that gives somebody this name: another name for them takes its place."""
    return next(
        (
            claim
            for claim in open_claims(progress)
            if claim.object == subject
            and predicates.describe(claim.predicate, progress.lexicon).get("kind") == RELATION
        ),
        None,
    )


def replace(progress: Progress, old: list[Claim], said: tuple[str, str, str], rests_on: tuple[int, ...]) -> Claim:
    """Open a claim (subject, predicate, object) and close those whose place it takes."""
    subject, predicate, value = said
    state = progress.state
    new = Claim(
        progress.ledger.new_id(), subject, predicate, value, progress.now.wall, rests_on,
        turn=state.turn, attitude=progress.reading.attitude,
    )  # fmt: skip
    progress.ledger.add_claim(new)
    for claim in old:
        close(progress, claim, new)
    kind = "corrected" if old else "stored"
    progress.change(kind, "claim", new.id, subject=subject, predicate=predicate, object=value)
    return new


def close(progress: Progress, claim: Claim, new: Claim | None, keep: tuple[int, ...] = ()) -> None:
    """End a claim: what holds its value is not shown as it stands any more."""
    progress.ledger.set(claim, until=progress.now.wall, replaced_by=new.id if new else None)
    hide_holding(progress, claim.object, claim.origin, keep)
    entity_map.drop_unshown(progress, claim.object)


def deny(progress: Progress, same: list[Claim], value: str, rests_on: tuple[int, ...]) -> None:
    """Close the claims that are said not to hold; the words that say so stay visible."""
    for claim in same:
        if not value or alike(claim.object, value) or holds(claim.object, value) or holds(value, claim.object):
            close(progress, claim, None, rests_on)
            progress.change("corrected", "claim", claim.id, subject=claim.subject, predicate=claim.predicate)


def rest_on(progress: Progress, claim: Claim, rests_on: tuple[int, ...]) -> None:
    """Let a claim rest on these statements too."""
    grown = tuple(dict.fromkeys((*claim.origin, *rests_on)))
    if len(grown) > ORIGINS_KEPT:
        grown = (grown[0], *grown[1 - ORIGINS_KEPT :])
    if grown != claim.origin:
        progress.ledger.set(claim, origin=grown)


def open_claims(progress: Progress) -> Iterator[Claim]:
    """Yield the claims that hold, newest first."""
    return (claim for claim in reversed(progress.state.claims.values()) if claim.until is None)


def open_with(progress: Progress, subject: str, predicate: str) -> list[Claim]:
    """Return the claims of this subject and predicate that hold, newest first."""
    return [
        claim
        for claim in reversed(progress.state.claims.values())
        if claim.predicate == predicate and claim.subject == subject and claim.until is None
    ]


def same_value(claims: Iterable[Claim], value: str) -> list[Claim]:
    """Return those of the claims whose object is this value but for case and blanks."""
    wanted = _squeezed(value)
    first = wanted[:1]
    return [
        one for one in claims if one.object.casefold().lstrip().startswith(first) and _squeezed(one.object) == wanted
    ]


def alike(one: str, other: str) -> bool:
    """Tell whether two values are the same but for case and blanks."""
    return _squeezed(one) == _squeezed(other)


def _squeezed(value: str) -> str:
    return "".join(value.casefold().split())


def _replaced(progress: Progress, draft: ClaimDraft, same: list[Claim]) -> list[Claim]:
    """Return the open claims whose place a new value takes: all of a single-valued predicate, or what is corrected."""
    if predicates.single(draft.predicate, progress.lexicon):
        return same
    if draft.corrects:
        named = [one for one in same if draft.because and holds(one.object, draft.because)]
        return (named or same)[:1]
    return []


def _against(progress: Progress, subject: str, predicate: str, value: str) -> list[Claim]:
    """Return the open claims that cannot hold beside this one."""
    opposite = predicates.opposite(predicate, progress.lexicon)
    return same_value(open_with(progress, subject, opposite), value) if opposite else []
