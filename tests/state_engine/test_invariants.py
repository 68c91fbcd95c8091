"""The six invariants of a memory, over generated conversations in both languages."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from fakes.conversation import SINGLE, Said, steps
from fakes.memory_walk import dump, texts, weight_bytes
from fakes.talk import Talk, mention, said_time
from hypothesis import given, settings
from hypothesis import strategies as st

from claudemem_edge.language.load import load
from claudemem_edge.shapes.options import MemoryOptions
from claudemem_edge.shapes.reading import ClaimDraft, Command, ReminderDraft
from claudemem_edge.state_engine.ledger import Ledger
from claudemem_edge.state_engine.statements import holds

if TYPE_CHECKING:
    from collections.abc import Callable

    from claudemem_edge.shapes.memory import MemoryState

CONVERSATIONS = st.lists(steps(), min_size=1, max_size=25)
SMALL = MemoryOptions(scope_bytes=4000, clean_every_turns=5, clean_below_weight=0.9)
quick = settings(max_examples=80, deadline=None)


def _played(said: list[Said], options: MemoryOptions | None = None) -> Talk:
    talk = Talk(load(("zh", "en")), options or MemoryOptions())
    for one in said:
        one.to(talk)
    return talk


@quick
@given(said=CONVERSATIONS, small=st.booleans())
def test_every_record_has_an_origin(said: list[Said], *, small: bool) -> None:
    state = _played(said, SMALL if small else None).state
    for claim in state.claims.values():
        assert claim.origin
        assert 0 < claim.turn <= state.turn
        if claim.open:
            assert all(one in state.statements for one in claim.origin)
    for item in state.pending_items.values():
        assert item.origin or item.asked_at_door
    for entity in state.entity_map.values():
        assert entity.sightings or any(entity.name in {one.subject, one.object} for one in state.claims.values())
    alive = {one.topic for one in state.statements.values()}
    assert all(topic.id in alive for topic in state.topic_chain)


@quick
@given(said=CONVERSATIONS)
def test_one_open_claim_for_a_single_value(said: list[Said]) -> None:
    talk = Talk(load(("zh", "en")))
    for one in said:
        one.to(talk)
        held = [(one.subject, one.predicate) for one in talk.state.claims.values() if one.open]
        assert all(held.count(pair) == 1 for pair in held if pair[1] in SINGLE)
        likes = {
            (one.subject, one.object) for one in talk.state.claims.values() if one.open and one.predicate == "likes"
        }
        dislikes = {
            (one.subject, one.object) for one in talk.state.claims.values() if one.open and one.predicate == "dislikes"
        }
        assert not likes & dislikes


@quick
@given(said=CONVERSATIONS)
def test_no_statement_with_an_old_value_is_shown(said: list[Said]) -> None:
    state = _played(said).state
    claims = state.claims.values()
    for claim in claims:
        if claim.open or claim.replaced_by is None:
            continue
        for statement in state.statements.values():
            if not holds(statement.text, claim.object) or statement.turn > state.claims[claim.replaced_by].turn:
                continue
            about_another = any(
                statement.id in one.origin and holds(one.object, claim.object) for one in claims if one is not claim
            )
            assert not statement.shown or about_another


def true_size(state: MemoryState) -> object:
    """What the size must be equal to: within a tenth, or within what a handful of records can be off by."""
    return pytest.approx(weight_bytes(state), rel=0.1, abs=600)


@quick
@given(said=CONVERSATIONS, small=st.booleans())
def test_the_bytes_are_true(said: list[Said], *, small: bool) -> None:
    talk = _played(said, SMALL if small else None)
    assert talk.state.size == true_size(talk.state)


def test_the_bytes_stay_true_in_a_long_talk() -> None:
    talk = Talk(load(("zh", "en")))
    for number in range(400):
        talk.hear(f"on day {number} we went to shop number {number * 7 % 31} and bought {number % 13} apples")
        if number % 9 == 0:
            talk.tell(f"I weigh {number} pounds now", "user", "attribute", f"{number} pounds")
        if number % 11 == 0:
            talk.remind("remind me", f"thing {number}", said_time("tomorrow", "2026-03-12T10:00"))
        if number % 50 == 0:
            assert talk.state.size == true_size(talk.state)


class Fault(Exception):
    """What goes wrong at the chosen change."""


@quick
@given(said=CONVERSATIONS, last=steps(), small=st.booleans())
def test_an_exception_leaves_the_memory_as_it_was(said: list[Said], last: Said, *, small: bool) -> None:
    """Let the last step fail at its first change, then at its second, and so on until it goes through."""
    talk = _played(said, SMALL if small else None)
    before, now = _content(talk.state), talk.now
    for at in range(200):
        talk.now = now
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Ledger, "note", _failing_at(at))
            try:
                refused = last.to(talk)
            except Fault:
                assert _content(talk.state) == before
                assert talk.state.size == true_size(talk.state)
                continue
        assert refused is None or _content(talk.state) == before
        break


def _content(state: MemoryState) -> object:
    """All of a memory but its size: a table may keep room it has grown."""
    return dump(replace(state, size=0))


def _failing_at(at: int) -> Callable[..., None]:
    plain, count = Ledger.note, iter(range(1000))

    def note(ledger: Ledger, undo: Callable[..., object], *arguments: object) -> None:
        if next(count) == at:
            raise Fault
        plain(ledger, undo, *arguments)

    return note


CANARY = ("Xanadu", "金丝雀")


@st.composite
def spoiled(draw: st.DrawFn) -> tuple[str, list[Said]]:
    """A conversation with a word in every place where a word can be."""
    word = draw(st.sampled_from(CANARY))
    places = [
        Said(f"I was in {word} once"),
        Said(f"you were in {word}", "assistant"),
        Said(f"{word} is on", "event"),
        Said(f"{word} was here", found={"mentions": (mention(word),)}),
        Said(f"I live in {word}", found={"claims": (ClaimDraft("user", "lives_in", word, (0, 0), "t"),)}),
        Said(f"{word} lives in York", found={"claims": (ClaimDraft(word, "lives_in", "York", (0, 0), "t"),)}),
        Said(
            f"I take zinc because of {word}",
            found={"claims": (ClaimDraft("user", "takes", "zinc", (0, 0), "t", because=f"of {word}"),)},
        ),
        Said(f"my son is called {word}", found={"claims": (ClaimDraft("user", "son", word, (0, 0), "t"),)}),
        Said(f"remind me to call {word}", found={"reminders": (ReminderDraft(f"call {word}", (0, 0), "t"),)}),
        Said(
            f"when {word} comes remind me",
            found={"reminders": (ReminderDraft("cook", (0, 0), "t", trigger=f"when {word} comes"),)},
        ),
        Said("what do you know", found={"commands": (Command("list_memory", "", (0, 0), "t"),)}),
        Said("", door=f"add call {word}"),
        Said("I greet you all", word),
    ]
    chosen = draw(st.lists(st.sampled_from(places), min_size=1, max_size=12))
    others = draw(st.lists(steps(), max_size=8))
    return word, draw(st.permutations([*chosen, *others]))


def _reachable(state: MemoryState, word: str) -> list[tuple[str, str]]:
    folded = word.casefold()
    return [(field, text) for field, text in texts(state) if folded in text.casefold()]


@quick
@given(spoiled=spoiled(), door=st.booleans())
def test_a_forgotten_name_is_nowhere(spoiled: tuple[str, list[Said]], *, door: bool) -> None:
    word, said = spoiled
    talk = _played(said)
    epoch = talk.state.epoch
    if door:
        talk.door("forget_entity", word)
    else:
        talk.state.open_question = None
        outcome = talk.order(f"forget {word}", "forget_entity", word)
        assert word not in outcome.say
    assert not _reachable(talk.state, word)
    key = talk.state.index.key(word.lower())
    assert not talk.state.index.find(key)
    assert all(key not in topic.salience for topic in talk.state.topic_chain)
    assert talk.state.epoch == epoch + 1


@quick
@given(spoiled=spoiled(), door=st.booleans())
def test_after_forgetting_everything_nothing_is_left(spoiled: tuple[str, list[Said]], *, door: bool) -> None:
    word, said = spoiled
    talk = _played(said)
    if door:
        talk.door("forget_all", "confirmed")
    else:
        talk.state.open_question = None
        talk.order("forget everything", "forget_all")
        talk.order("yes", "yes")
    state = talk.state
    assert not _reachable(state, word)
    assert [*state.claims, *state.pending_items, *state.entity_map, *state.topic_chain] == []
    assert not any(one.shown for one in state.statements.values())
    assert not state.index.postings


ALLOWED = frozenset({"text", "object", "because", "trigger", "on_failure", "name", "aliases", "subject", "speaker"})
KEYED = frozenset({"entity_map", "words", "pairs", "singles"})


@quick
@given(spoiled=spoiled())
def test_words_live_only_in_their_places(spoiled: tuple[str, list[Said]]) -> None:
    word, said = spoiled
    state = _played(said).state
    assert {field for field, _ in _reachable(state, word)} <= ALLOWED | KEYED
