"""Caps: nothing goes below them; above them the oldest goes first, and never what something open rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakes.talk import Talk, mention, said_time

from claudemem_edge.shapes.options import MemoryOptions
from claudemem_edge.state_engine.decay import light_after_turns

if TYPE_CHECKING:
    from claudemem_edge.language.pack import Lexicon

CAPPED = MemoryOptions(scope_bytes=30_000)


def _chat(talk: Talk, turns: int, first: int = 0) -> None:
    for number in range(first, first + turns):
        talk.hear(f"on day {number} we walked to the market and bought {number} pears")


def test_a_record_gets_light_after_24_turns() -> None:
    assert light_after_turns(MemoryOptions()) == 24
    assert 0.95**24 < 0.3 < 0.95**23


def test_nothing_goes_below_the_cap(talk: Talk) -> None:
    _chat(talk, 300)
    assert len(talk.state.statements) == 300


def test_the_oldest_go_first(lexicon: Lexicon) -> None:
    talk = Talk(lexicon, CAPPED)
    _chat(talk, 200)
    kept = [one.turn for one in talk.state.statements.values()]
    assert talk.state.size <= CAPPED.scope_bytes
    assert kept == list(range(kept[0], 201))
    assert kept[0] > 1
    assert len(talk.state.topic_chain) <= len(kept)


def test_cleaning_waits_for_its_turn(lexicon: Lexicon) -> None:
    talk = Talk(lexicon, MemoryOptions(scope_bytes=1000))
    _chat(talk, 49)
    assert len(talk.state.statements) == 49
    _chat(talk, 1, 49)
    assert len(talk.state.statements) == 24


def test_what_something_open_rests_on_stays(lexicon: Lexicon) -> None:
    talk = Talk(lexicon, MemoryOptions(scope_bytes=1000))
    talk.tell("I live in Leeds", "user", "lives_in", "Leeds")
    talk.tell("I am 72", "user", "age", "72")
    talk.remind("remind me tomorrow at 10 to swim", "swim", said_time("tomorrow at 10", "2026-03-12T10:00"))
    talk.tell("I am 73", "user", "age", "73")
    _chat(talk, 100)
    texts = [one.text for one in talk.state.statements.values() if one.digest]
    assert texts[:3] == ["I live in Leeds", "remind me tomorrow at 10 to swim", "I am 73"]
    assert talk.open_values() == {("user", "lives_in", "Leeds"), ("user", "age", "73")}
    assert len(talk.state.claims) == 2
    assert talk.item().state == "pending"


def test_what_is_said_again_and_again_does_not_outgrow_the_cap(lexicon: Lexicon) -> None:
    talk = Talk(lexicon, MemoryOptions(scope_bytes=20_000))
    for _ in range(500):
        talk.remind("remind me tomorrow at 10 to swim", "swim", said_time("tomorrow at 10", "2026-03-12T10:00"))
        talk.tell("I live in Leeds", "user", "lives_in", "Leeds")
        assert talk.state.size < 60_000  # the cap, and what fifty turns bring until the next look
    assert talk.item().state == "pending"
    assert talk.open_values() == {("user", "lives_in", "Leeds")}
    assert {one for one in talk.item().origin if one in talk.state.statements}


def test_what_is_over_goes(lexicon: Lexicon) -> None:
    talk = Talk(lexicon, MemoryOptions(scope_bytes=1000))
    talk.remind("remind me tomorrow at 10 to swim", "swim", said_time("tomorrow at 10", "2026-03-12T10:00"))
    talk.order("done", "done")
    _chat(talk, 100)
    assert not talk.state.pending_items


def test_entities_go_with_the_last_that_was_said_of_them(lexicon: Lexicon) -> None:
    talk = Talk(lexicon, MemoryOptions(scope_bytes=1000))
    talk.hear("Tom was here", mentions=(mention("Tom"),))
    talk.hear("Bob was here", mentions=(mention("Bob"),))
    talk.tell("Bob lives in Leeds", "Bob", "lives_in", "Leeds")
    _chat(talk, 100)
    assert list(talk.state.entity_map) == ["Bob", "Leeds"]
    assert not talk.state.names.hits("tom")


def test_the_index_gives_its_room_back(lexicon: Lexicon) -> None:
    talk = Talk(lexicon, CAPPED)
    sizes = []
    for part in range(20):
        for number in range(50):
            talk.hear(f"the word{part}x{number} and the thing{part}y{number} are new")
        sizes.append(talk.state.size)
    assert max(sizes[5:]) <= CAPPED.scope_bytes
    assert all(talk.state.index.find(key) for key in talk.state.index.postings)
