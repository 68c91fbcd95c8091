"""Orders about items: by voice and by door, and the life of a recurring item."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fakes.talk import at, said_time

from claudemem_edge.errors import BadRequest
from claudemem_edge.shapes.times import ElapsedDue, Moment

if TYPE_CHECKING:
    from fakes.talk import Talk

LISTED = ("walk the dog", "water the plants", "call the dentist")


def _three(talk: Talk) -> None:
    for hour, what in enumerate(LISTED, 10):
        talk.remind(f"remind me to {what}", what, said_time("tomorrow", f"2026-03-12T{hour}:00"))


def _daily(talk: Talk) -> None:
    daily = said_time("every day at 8 am", "2026-03-12T08:00", recurrence="FREQ=DAILY")
    talk.remind("every day at 8 am", "pills", daily)


def _at(talk: Talk, text: str) -> None:
    wall = at(text)
    talk.now = Moment(wall, talk.now.boot_s + (wall - talk.now.wall).total_seconds())


@pytest.mark.parametrize(("order", "state"), [("done", "done"), ("cancel", "cancelled")])
@pytest.mark.parametrize("words", ["the plants are watered", "water plants", "p2"])
def test_an_order_finds_its_item_by_words_or_id(talk: Talk, order: str, state: str, words: str) -> None:
    _three(talk)
    outcome = talk.order("…", order, words)
    assert talk.item("p2").state == state
    assert "water the plants" in outcome.say
    assert {one.state for one in talk.state.pending_items.values()} == {"pending", state}


def test_what_sounded_last_is_meant(talk: Talk) -> None:
    _three(talk)
    talk.door("fire", "p3")
    talk.wait(5)
    talk.door("fire", "p1")
    talk.order("done", "done")
    assert [talk.item(f"p{number}").state for number in (1, 2, 3)] == ["done", "pending", "triggered"]


def test_the_only_one_is_meant(talk: Talk) -> None:
    talk.remind("remind me", "walk the dog", said_time("tomorrow", "2026-03-12T10:00"))
    talk.order("cancel that", "cancel")
    assert talk.item().state == "cancelled"


def test_several_are_asked_about_and_the_answer_is_taken(talk: Talk) -> None:
    _three(talk)
    outcome = talk.order("cancel it", "cancel")
    assert outcome.open_question is not None
    assert outcome.open_question.kind == "which_item"
    for what in LISTED:
        assert what in outcome.say
    talk.hear("the one with the dentist")
    assert [talk.item(f"p{number}").state for number in (1, 2, 3)] == ["pending", "pending", "cancelled"]


def test_the_answer_may_be_an_id(talk: Talk) -> None:
    _three(talk)
    talk.order("cancel it", "cancel")
    talk.hear("p1 please")
    assert talk.item("p1").state == "cancelled"


def test_nothing_to_cancel(talk: Talk) -> None:
    english = talk.lexicon.languages["en"]
    assert talk.order("cancel it", "cancel").say == english.say("nothing_pending")
    _three(talk)
    assert talk.order("cancel the party", "cancel", "the party").say == english.say("item_not_found")


def test_having_done_something_else_is_no_order(talk: Talk) -> None:
    _three(talk)
    talk.door("fire", "p1")
    outcome = talk.order("I have mown the lawn", "done", "mown the lawn")
    assert not outcome.say
    assert not outcome.complete
    assert talk.item("p1").state == "triggered"
    assert "I have mown the lawn" in talk.shown()


def test_all_at_once(talk: Talk) -> None:
    _three(talk)
    talk.order("cancel all reminders", "cancel", "*")
    assert {one.state for one in talk.state.pending_items.values()} == {"cancelled"}


@pytest.mark.parametrize(
    ("times", "minutes"),
    [
        ((), 10),
        ((said_time("in twenty minutes", "2026-03-12T10:20", "minute", elapsed=True),), 20),
        ((said_time("11:30", "2026-03-12T11:30"),), 90),
    ],
)
def test_snooze(talk: Talk, times: tuple[object, ...], minutes: int) -> None:
    _three(talk)
    _at(talk, "2026-03-12T09:59:59")
    talk.door("fire", "p1")
    talk.order("later", "snooze", times=times)
    item = talk.item("p1")
    assert item.state == "pending"
    assert item.due is not None
    assert round(item.due.seconds_left(talk.now) / 60) == minutes


def test_a_recurring_item_goes_round(talk: Talk) -> None:
    _daily(talk)
    _at(talk, "2026-03-12T08:00:00")
    outcome = talk.door("fire", "p1")
    (change,) = outcome.changed
    assert (change.kind, change.id, dict(change.detail)["text"]) == ("triggered", "p1", "pills")
    assert talk.item().state == "triggered"
    talk.order("done", "done")
    assert talk.item().state == "pending"
    assert talk.due() == "2026-03-13T08:00"


def test_missed_occurrences_collapse(talk: Talk) -> None:
    _daily(talk)
    _at(talk, "2026-03-15T12:00:00")
    talk.door("fire", "p1")
    assert talk.item().missed
    talk.door("done", "p1")
    assert talk.due() == "2026-03-16T08:00"


def test_an_unanswered_recurring_item_sounds_again_the_next_time(talk: Talk) -> None:
    _daily(talk)
    _at(talk, "2026-03-12T08:00:00")
    talk.door("fire", "p1")
    _at(talk, "2026-03-13T08:00:10")
    talk.door("fire", "p1")
    assert talk.due() == "2026-03-13T08:00"
    talk.door("expire", "p1")
    assert (talk.item().state, talk.due()) == ("pending", "2026-03-14T08:00")


def test_a_snoozed_occurrence_leaves_the_rule_alone(talk: Talk) -> None:
    other = said_time("every other day at 8 am", "2026-03-12T08:00", recurrence="FREQ=DAILY;INTERVAL=2")
    talk.remind("every other day at 8 am", "pills", other)
    _at(talk, "2026-03-12T08:00:00")
    talk.door("fire", "p1")
    talk.door("snooze", "p1 86400")
    assert isinstance(talk.item().due, ElapsedDue)
    _at(talk, "2026-03-13T08:00:05")
    talk.door("fire", "p1")
    talk.door("done", "p1")
    assert talk.due() == "2026-03-14T08:00"


def test_taking_the_evening_pills_does_not_skip_tomorrow(talk: Talk) -> None:
    _daily(talk)
    _at(talk, "2026-03-12T19:00:00")
    talk.door("fire", "p1")
    talk.door("done", "p1")
    assert not talk.order("I have taken my pills", "done", "taken my pills").say
    assert talk.due() == "2026-03-13T08:00"
    _at(talk, "2026-03-13T07:00:00")
    talk.order("I have taken my pills", "done", "taken my pills")
    assert talk.due() == "2026-03-14T08:00"


def test_a_door_adds_and_changes(talk: Talk) -> None:
    outcome = talk.door("add", "buy  milk")
    assert outcome.turn == 0
    assert (talk.item().kind, talk.item().text, talk.item().asked_at_door) == ("task", "buy milk", "door")
    talk.door("change", "p1 2026-03-12T10:00")
    assert talk.due() == "2026-03-12T10:00"
    assert talk.item().kind == "reminder"
    talk.door("change", "p1 2026-03-12T10:00+00:00")
    assert talk.due() == "2026-03-12T18:00"
    talk.door("expire", "p1")
    assert talk.item().state == "expired"
    talk.door("done", "p1")
    assert talk.item().state == "done"


@pytest.mark.parametrize(
    ("kind", "argument"),
    [
        ("done", "p99"), ("done", ""), ("cancel", "secret words"), ("fire", "p99"), ("fire", "p1"), ("expire", "nope"),
        ("snooze", "p1 soon"), ("snooze", "p1 -5"), ("snooze", "p1 nan"), ("snooze", "p1 inf"), ("snooze", "p9 60"),
        ("change", "p1"), ("change", "p1 tomorrow"), ("change", "p1 2020-01-01T00:00"), ("add", "  "),
        ("add", "x" * 2001), ("dance", ""), ("yes", ""), ("return_topic", ""), ("forget_all", ""),
        ("forget_all", "yes"), ("correct", "blue"),
    ],
)  # fmt: skip
def test_a_door_is_told_what_is_wrong(talk: Talk, kind: str, argument: str) -> None:
    talk.door("add", "private words")
    before = talk.state.size
    with pytest.raises(BadRequest) as refused:
        talk.door(kind, argument)
    told = f"{refused.value.message} {refused.value.hint}"
    assert refused.value.hint
    assert "private" not in told
    assert not argument or argument not in told
    assert talk.state.size == before


def test_what_is_over_stays_over(talk: Talk) -> None:
    talk.door("add", "buy milk")
    talk.door("done", "p1")
    for order in ("done p1", "cancel p1", "fire p1", "snooze p1", "expire p1"):
        kind, _, argument = order.partition(" ")
        with pytest.raises(BadRequest):
            talk.door(kind, argument)


def test_a_time_gone_by_does_not_pass_for_the_old_one(talk: Talk) -> None:
    talk.remind("remind me", "run", said_time("tomorrow", "2026-03-12T10:00"))
    outcome = talk.remind("remind me", "run", said_time("yesterday", "2026-03-10T10:00"))
    assert outcome.open_question is not None
    assert outcome.open_question.kind == "item_time"
    assert talk.due("p1") == "2026-03-12T10:00"
