"""Conversations for property tests: utterances of both languages, and free text, with hand-built readings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fakes.talk import said_time
from hypothesis import strategies as st

from claudemem_edge.shapes.reading import ClaimDraft, Command, Mention, ReminderDraft

if TYPE_CHECKING:
    from fakes.talk import Talk
    from hypothesis.strategies import SearchStrategy

    from claudemem_edge.errors import EdgeError

SPAN = (0, 0)
PLACES = ("Leeds", "York", "杭州", "上海", "Bath 2")
NUMBERS = ("72", "73", "172", "72 kg", "九")
NAMES = ("Tom", "Ann", "小王", "son", "儿子")
THINGS = ("walk the dog", "pills", "测血压", "Tom's book", "打电话给小王")
SPEAKERS = ("user", "user", "user", "assistant", "event", "Ann")
SUBJECTS = ("user", "son", "Tom", "小王")
SINGLE = ("lives_in", "age", "name")
SEVERAL = ("takes", "likes", "dislikes", "collects", "son")
TIMES = (
    said_time("tomorrow at 10", "2026-03-12T10:00"),
    said_time("tomorrow", "2026-03-12T00:00", "day", end="2026-03-13T00:00"),
    said_time("at 8", "2026-03-12T08:00", ambiguous=True),
    said_time("in ten minutes", "2026-03-11T23:00", "minute", elapsed=True),
    said_time("yesterday", "2026-03-10T00:00", "day", end="2026-03-11T00:00"),
    said_time("every day at 8 am", "2026-03-12T08:00", recurrence="FREQ=DAILY;BYHOUR=8"),
    said_time("下午", "2026-03-12T12:00", end="2026-03-12T18:00"),
)
ORDERS = (
    "forget_last", "forget_task", "forget_topic", "forget_entity", "forget_all", "return_topic", "list_memory",
    "list_pending", "done", "cancel", "snooze", "correct", "repeat", "reply_language", "whose_memory", "ask_time",
    "ask_date", "yes", "no",
)  # fmt: skip
DOOR_ORDERS = (
    "fire p1", "fire p2", "expire p1", "done p2", "cancel p1", "snooze p1 60", "add buy milk",
    "change p1 2030-01-01T08:00",
    "forget_last", "forget_entity Tom", "forget_topic", "forget_task", "forget_all confirmed", "forget_all",
    "list_memory", "done p77", "nonsense",
)  # fmt: skip


@dataclass(frozen=True)
class Said:
    """One step of a conversation."""

    text: str
    speaker: str = "user"
    language: str = "en"
    seconds: float = 1.0
    door: str = ""
    found: dict[str, Any] = field(default_factory=dict)

    def to(self, talk: Talk) -> EdgeError | None:
        """Say it; return the refusal, if any."""
        from claudemem_edge.errors import EdgeError

        talk.language = self.language
        talk.wait(self.seconds)
        try:
            if self.door:
                kind, _, argument = self.door.partition(" ")
                talk.door(kind, argument)
            else:
                talk.hear(self.text, self.speaker, **dict(self.found))
        except EdgeError as refused:
            return refused
        return None


def words() -> SearchStrategy[str]:
    """Texts of any script, with the table's own words among them."""
    free = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=30)
    return st.one_of(free, st.sampled_from((*PLACES, *NAMES, *THINGS)).map(lambda word: f"I saw {word} today"))


def plain() -> SearchStrategy[Said]:
    """Something said, with a name now and then."""
    name = st.sampled_from(NAMES)
    with_name = st.builds(
        lambda name, speaker: Said(
            f"{name} was here", speaker, found={"mentions": (Mention(name, "person", SPAN, "t"),)}
        ),
        name,
        st.sampled_from(SPEAKERS),
    )
    return st.one_of(st.builds(Said, words(), st.sampled_from(SPEAKERS), st.sampled_from(("en", "zh", ""))), with_name)


def claiming() -> SearchStrategy[Said]:
    """A claim, a denial, or a correction with or without its predicate."""
    return st.builds(
        _claim,
        st.sampled_from(SUBJECTS),
        st.one_of(st.sampled_from((*SINGLE, *SEVERAL)), st.just("")),
        st.sampled_from((*PLACES, *NUMBERS, *NAMES)),
        st.sampled_from(("", "", "", "denies", "corrects")),
        st.sampled_from(("", "", *NUMBERS)),
        st.sampled_from(("user", "user", "Ann", "assistant")),
    )


def _claim(subject: str, predicate: str, value: str, way: str, because: str, speaker: str) -> Said:
    draft = ClaimDraft(
        subject, predicate, value, SPAN, "t", denies=way == "denies", corrects=way == "corrects" or not predicate,
        because=because if way == "corrects" or not predicate else "",
    )  # fmt: skip
    orders = (Command("correct", value, SPAN, "t"),) if draft.corrects else ()
    return Said(f"{subject} {predicate} {value} not {because}", speaker, found={"claims": (draft,), "commands": orders})


def reminding() -> SearchStrategy[Said]:
    """A reminder, or a time alone: perhaps the answer to our question."""
    time = st.one_of(st.none(), st.sampled_from(TIMES))
    reminder = st.builds(
        lambda what, time, unclear: Said(
            f"remind me {time.text if time else ''} {what}",
            found={
                "reminders": (ReminderDraft(what, SPAN, "t", time, unclear=unclear),),
                "times": (time,) if time else (),
                "whole": True,
            },
        ),
        st.sampled_from(THINGS),
        time,
        st.booleans(),
    )
    return st.one_of(reminder, st.sampled_from(TIMES).map(lambda one: Said(one.text, found={"times": (one,)})))


def ordering() -> SearchStrategy[Said]:
    """An order of the user or of a door."""
    spoken = st.builds(
        lambda kind, argument, whole: Said(
            f"{kind} {argument}", found={"commands": (Command(kind, argument, SPAN, "t", whole),), "whole": whole}
        ),
        st.sampled_from(ORDERS),
        st.sampled_from(("", "", *NAMES, *THINGS, "p1", "*", "zh")),
        st.booleans(),
    )
    return st.one_of(spoken, st.sampled_from(DOOR_ORDERS).map(lambda order: Said("", door=order)))


def steps() -> SearchStrategy[Said]:
    """Any of them."""
    return st.one_of(plain(), claiming(), claiming(), reminding(), ordering())
