"""Reminders become items with a time, or a question about what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from fakes.talk import said_time

from claudemem_edge.shapes.times import ElapsedDue, WallDue

if TYPE_CHECKING:
    from fakes.talk import Talk

    from claudemem_edge.shapes.times import TimeMention

TOMORROW_TEN = said_time("tomorrow at 10", "2026-03-12T10:00")


def test_a_time_on_the_wall_clock(talk: Talk) -> None:
    outcome = talk.remind("remind me tomorrow at 10 to walk the dog", "walk the dog", TOMORROW_TEN)
    assert outcome.complete
    assert "walk the dog" in outcome.say
    assert "10:00" in outcome.say
    assert talk.due() == "2026-03-12T10:00"
    item = talk.item()
    assert isinstance(item.due, WallDue)
    assert (item.kind, item.state, item.language) == ("reminder", "pending", "en")
    assert item.origin == (1,)
    assert [change.kind for change in outcome.changed if change.record == "item"] == ["stored"]


def test_a_distance_is_kept_on_the_boot_clock(talk: Talk) -> None:
    talk.remind("in ten minutes", "turn it off", said_time("in ten minutes", "2026-03-11T09:50:01", elapsed=True))
    due = talk.item().due
    assert isinstance(due, ElapsedDue)
    assert due.boot_s == talk.now.boot_s + 600


def test_the_same_thing_twice_is_one_item(talk: Talk) -> None:
    talk.remind("remind me tomorrow at 10 to walk the dog", "walk the dog", TOMORROW_TEN)
    talk.remind("tomorrow at 10 remind me to walk the dog", "Walk the  dog", TOMORROW_TEN)
    assert len(talk.state.pending_items) == 1
    assert len(talk.item().origin) == 2


def test_the_same_thing_at_another_time_is_another_item(talk: Talk) -> None:
    talk.remind("remind me tomorrow at 10 to walk the dog", "walk the dog", TOMORROW_TEN)
    talk.remind("and at 6 pm", "walk the dog", said_time("6 pm", "2026-03-12T18:00"))
    assert len(talk.state.pending_items) == 2


def test_a_missing_time_is_asked_for(talk: Talk) -> None:
    outcome = talk.remind("remind me to walk the dog", "walk the dog")
    assert outcome.open_question is not None
    assert outcome.open_question.kind == "item_time"
    assert outcome.complete
    assert (talk.item().kind, talk.item().due) == ("task", None)
    outcome = talk.answer("tomorrow at 10", TOMORROW_TEN)
    assert outcome.complete
    assert outcome.open_question is None
    assert talk.due() == "2026-03-12T10:00"
    assert talk.item().kind == "reminder"


def test_another_utterance_drops_the_question_and_keeps_the_task(talk: Talk) -> None:
    talk.remind("remind me to walk the dog", "walk the dog")
    outcome = talk.hear("the weather is lovely and I think that we should all go out for a picnic")
    assert outcome.open_question is None
    assert not outcome.say
    assert talk.item().state == "pending"


def test_the_question_ends_after_a_minute(talk: Talk) -> None:
    talk.remind("remind me to walk the dog", "walk the dog")
    talk.wait(61)
    outcome = talk.answer("tomorrow at 10", TOMORROW_TEN)
    assert not outcome.say
    assert talk.item().due is None


def test_words_of_others_do_not_answer(talk: Talk) -> None:
    talk.remind("remind me to walk the dog", "walk the dog")
    talk.answer("tomorrow at 10", TOMORROW_TEN, speaker="assistant")
    talk.answer("tomorrow at 10", TOMORROW_TEN, speaker="Ann")
    assert talk.state.open_question is not None
    assert talk.item().due is None


BARE_HOUR: dict[str, Any] = {"rule": "core.times.clock_hour", "either_half": True}


@pytest.mark.parametrize(
    ("clock", "window", "expected"),
    [
        (said_time("nine", "2026-03-11T21:00", **BARE_HOUR), None, ""),
        (said_time("15:30", "2026-03-11T15:30", rule="core.times.clock_written"), None, "2026-03-12T15:30"),
        (
            said_time("three", "2026-03-11T15:00", **BARE_HOUR),
            ("12:00", "18:00"),
            "2026-03-12T15:00",
        ),
        (
            said_time("nine", "2026-03-11T21:00", **BARE_HOUR),
            ("18:00", "23:59"),
            "2026-03-12T21:00",
        ),
        (
            said_time("nine", "2026-03-11T21:00", **BARE_HOUR),
            ("06:00", "12:00"),
            "2026-03-12T09:00",
        ),
    ],
)
def test_a_clock_time_keeps_the_day_said_before(
    zh: Talk, clock: TimeMention, window: tuple[str, str] | None, expected: str
) -> None:
    if window is None:
        day = said_time("tomorrow", "2026-03-12T00:00", "day", end="2026-03-13T00:00")
    else:
        day = said_time("tomorrow", f"2026-03-12T{window[0]}", "hour", end=f"2026-03-12T{window[1]}")
    outcome = zh.remind("remind me tomorrow to walk the dog", "walk the dog", day)
    assert outcome.open_question is not None
    assert outcome.open_question.kind == "item_time"
    assert isinstance(due := zh.item().due, WallDue)
    assert due.clock is None
    outcome = zh.answer(clock.text, clock)
    if expected:
        assert zh.due() == expected
        assert outcome.open_question is None
    else:
        assert outcome.open_question is not None
        assert outcome.open_question.kind == "item_half"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (said_time("in the evening", "2026-03-11T18:00", end="2026-03-12T00:00"), "2026-03-12T20:00"),
        (said_time("in the morning", "2026-03-12T06:00", end="2026-03-12T12:00"), "2026-03-12T08:00"),
        (said_time("tomorrow at 8 pm", "2026-03-12T20:00"), "2026-03-12T20:00"),
        (said_time("friday at 3 pm", "2026-03-13T15:00"), "2026-03-13T15:00"),
    ],
)
def test_an_ambiguous_hour_is_asked_about(talk: Talk, answer: TimeMention, expected: str) -> None:
    outcome = talk.remind("tomorrow at 8", "pills", said_time("tomorrow at 8", "2026-03-12T08:00", ambiguous=True))
    assert outcome.open_question is not None
    assert outcome.open_question.kind == "item_half"
    assert len(outcome.open_question.choices) == 2
    talk.answer(answer.text, answer)
    assert talk.due() == expected


def test_the_same_open_hour_again_is_asked_again(zh: Talk) -> None:
    zh.remind("tomorrow at 8", "pills", said_time("tomorrow at 8", "2026-03-12T08:00", ambiguous=True))
    outcome = zh.answer("eight", said_time("eight", "2026-03-11T20:00", **BARE_HOUR))
    assert outcome.open_question is not None
    assert outcome.open_question.kind == "item_half"
    zh.answer("20:00", said_time("20:00", "2026-03-11T20:00", rule="core.times.clock_written"))
    assert zh.due() == "2026-03-12T20:00"


def test_the_half_can_be_answered_by_a_word(talk: Talk) -> None:
    talk.remind("tomorrow at 8", "pills", said_time("tomorrow at 8", "2026-03-12T08:00", ambiguous=True))
    talk.answer("the second one")
    assert talk.due() == "2026-03-12T20:00"


def test_an_hour_of_which_one_half_has_gone_by_is_not_ambiguous(talk: Talk) -> None:
    talk.remind("today at 8", "pills", said_time("today at 8", "2026-03-11T08:00", ambiguous=True))
    assert talk.due() == "2026-03-11T20:00"


@pytest.mark.parametrize(
    "time",
    [
        said_time("yesterday", "2026-03-10T00:00", "day", end="2026-03-11T00:00"),
        said_time("at 9", "2026-03-11T09:00"),
        said_time("this morning at 6", "2026-03-11T06:00"),
    ],
)
def test_a_time_gone_by_is_said_and_asked(talk: Talk, time: TimeMention) -> None:
    outcome = talk.remind("remind me", "pills", time)
    assert outcome.open_question is not None
    assert outcome.open_question.kind == "item_time"
    assert talk.item().due is None


def test_a_time_not_understood_is_said_and_asked(talk: Talk) -> None:
    outcome = talk.remind("remind me at half quarter", "pills", unclear=True)
    assert outcome.open_question is not None
    assert talk.lexicon.languages["en"].say("ask_unclear", what="pills") == outcome.say


def test_an_answer_not_understood_is_asked_again(talk: Talk) -> None:
    talk.remind("remind me", "pills")
    outcome = talk.answer("at half quarter", unclear_times=((0, 15),))
    assert outcome.open_question is not None
    assert outcome.complete


def test_calling_off_what_we_ask_about(talk: Talk) -> None:
    talk.remind("remind me to walk the dog", "walk the dog")
    outcome = talk.order("never mind", "no")
    assert talk.item().state == "cancelled"
    assert "walk the dog" in outcome.say


def test_a_trigger_needs_no_time(talk: Talk) -> None:
    outcome = talk.remind(
        "when I get home remind me to water the plants", "water the plants", trigger="when I get home"
    )
    assert outcome.open_question is None
    assert talk.item().trigger == "when I get home"
    assert "when I get home" in outcome.say


def test_a_recurring_item_keeps_its_rule_with_its_clock(talk: Talk) -> None:
    daily = said_time("every day at 8 am", "2026-03-12T08:00", recurrence="FREQ=DAILY")
    outcome = talk.remind("every day at 8 am remind me", "pills", daily)
    assert talk.item().recurrence == "FREQ=DAILY;BYHOUR=8;BYMINUTE=0"
    assert talk.due() == "2026-03-12T08:00"
    assert outcome.open_question is None
    talk.remind("every day at 8 am remind me", "pills", daily)
    assert len(talk.state.pending_items) == 1


def test_a_recurring_item_without_a_clock_is_asked_about(talk: Talk) -> None:
    daily = said_time("every day", "2026-03-12T00:00", "day", recurrence="FREQ=DAILY")
    talk.remind("remind me every day", "pills", daily)
    assert talk.state.open_question is not None
    talk.language = "zh"
    talk.answer("15:30", said_time("15:30", "2026-03-11T15:30", rule="core.times.clock_written"))
    assert talk.item().recurrence == "FREQ=DAILY;BYHOUR=15;BYMINUTE=30"
    assert talk.due() == "2026-03-12T15:30"


def test_an_ambiguous_recurring_hour_is_asked_about(talk: Talk) -> None:
    daily = said_time("every day at 8", "2026-03-12T08:00", recurrence="FREQ=DAILY;BYHOUR=8", ambiguous=True)
    talk.remind("remind me every day at 8", "pills", daily)
    talk.answer("in the evening", said_time("in the evening", "2026-03-11T18:00", end="2026-03-12T00:00"))
    assert talk.item().recurrence == "FREQ=DAILY;BYHOUR=20;BYMINUTE=0"
    assert talk.due() == "2026-03-11T20:00"


def test_only_the_user_makes_items(talk: Talk) -> None:
    for speaker in ("assistant", "event", "Ann"):
        from claudemem_edge.shapes.reading import ReminderDraft

        talk.hear("remind me tomorrow at 10", speaker, reminders=(ReminderDraft("x", (0, 0), "t", TOMORROW_TEN),))
    assert not talk.state.pending_items


def test_two_reminders_at_once_ask_one_question(talk: Talk) -> None:
    from claudemem_edge.shapes.reading import ReminderDraft

    drafts = tuple(ReminderDraft(what, (0, 0), "test") for what in ("pills", "the plants"))
    outcome = talk.hear("remind me of pills and the plants", reminders=drafts, whole=True)
    assert outcome.open_question is not None
    assert outcome.open_question.about == "p1"
    assert talk.lexicon.languages["en"].say("item_without_time", what="the plants") in outcome.say


def test_a_reminder_of_nothing_asks_what(talk: Talk) -> None:
    outcome = talk.remind("remind me tomorrow at 10", "", TOMORROW_TEN)
    assert outcome.open_question is not None
    assert outcome.open_question.kind == "item_text"
    outcome = talk.hear("feed the cat.")
    assert talk.item().text == "feed the cat"
    assert talk.due() == "2026-03-12T10:00"
    assert "feed the cat" in outcome.say
    assert outcome.complete


def test_a_reminder_of_nothing_at_no_time_asks_twice(talk: Talk) -> None:
    talk.remind("remind me", "")
    outcome = talk.hear("feed the cat")
    assert outcome.open_question is not None
    assert outcome.open_question.kind == "item_time"


def test_the_time_may_come_as_another_reminder(talk: Talk) -> None:
    talk.remind("remind me to swim", "swim")
    talk.remind("remind me tomorrow at 10", "", TOMORROW_TEN)
    assert list(talk.state.pending_items) == ["p1"]
    assert talk.due() == "2026-03-12T10:00"


@pytest.mark.parametrize(
    ("answer", "language", "expected"),
    [
        ("nine", "en", ""),
        ("at 15 please", "en", "2026-03-12T15:00"),
        ("九", "zh", ""),
        ("二十", "zh", "2026-03-12T20:00"),
    ],
)
def test_a_bare_number_is_an_hour(talk: Talk, answer: str, language: str, expected: str) -> None:
    talk.remind("tomorrow", "swim", said_time("tomorrow", "2026-03-12T00:00", "day", end="2026-03-13T00:00"))
    talk.language = language
    outcome = talk.hear(answer)
    if expected:
        assert talk.due() == expected
    else:
        assert outcome.open_question is not None
        assert outcome.open_question.kind == "item_half"


@pytest.mark.parametrize(("answer", "expected"), [("five", "2026-03-11T17:00"), ("23", "2026-03-11T23:00")])
def test_a_bare_number_without_a_day_is_the_next_such_hour(talk: Talk, answer: str, expected: str) -> None:
    talk.remind("remind me to swim", "swim")
    talk.hear(answer)
    assert talk.due() == expected
