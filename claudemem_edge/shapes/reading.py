"""What the input filter understood of one utterance. Readings are made, used and dropped within one turn."""

from __future__ import annotations

from dataclasses import dataclass

from claudemem_edge.shapes.times import TimeMention

Span = tuple[int, int]

COMMANDS = frozenset({
    "forget_last", "forget_task", "forget_topic", "forget_entity", "forget_all",
    "return_topic", "list_memory", "list_pending", "done", "cancel", "call_off", "snooze", "change", "later", "earlier",
    "correct", "repeat",
    "reply_language", "whose_memory", "ask_time", "ask_date", "ask_did", "ask_reminded", "digest",
    "acknowledge", "yes", "no",
})  # fmt: skip
"""What a voice may order."""
DOOR_COMMANDS = frozenset({"fire", "tell", "expire", "add"})
"""What only a door or the alarm may order, besides."""


@dataclass(slots=True, frozen=True)
class Utterance:
    """One thing said. `speaker` is "user", "assistant", "event", or a person's name.

    `text` is what is kept: NFKC, without control and bidi characters. `folded` is for matching alone: lower case,
    traditional script as simplified, and of exactly the same length, so that spans fit both.
    """

    speaker: str
    text: str
    folded: str
    language: str
    """Language code of the pack that read it; "" when no pack fits."""


@dataclass(slots=True, frozen=True)
class Clause:
    """A piece of the utterance that can stand alone in a block."""

    text: str
    span: Span
    terms: tuple[str, ...]
    """Index terms: light stems, Chinese bigrams, whole identifiers. Repeats kept."""
    question: bool = False
    asserted: bool = True
    """False for questions, quotes, hypotheticals, jokes and wishes: they make no claims."""
    attitude: float = 0.0


@dataclass(slots=True, frozen=True)
class Command:
    """An order to the memory. `kind` is one of COMMANDS; `whole` says that nothing else was said.

    `who` is whom it is about, where that is not the speaker: "did grandma take her pill?".
    """

    kind: str
    argument: str
    span: Span
    rule: str
    whole: bool = True
    who: str = ""


@dataclass(slots=True, frozen=True)
class Mention:
    """A name in the text.

    `name` is canonical; `kind` is person, place, organisation, medicine, device, work and so on.
    """

    name: str
    kind: str
    span: Span
    rule: str
    known: bool = False
    """True when this memory had the entity before."""


@dataclass(slots=True, frozen=True)
class Reference:
    """A word that points back: it, that pill, there. `kind` is what it can point to; "" means anything."""

    word: str
    kind: str
    span: Span
    rule: str


@dataclass(slots=True, frozen=True)
class ClaimDraft:
    """Something the speaker asserts. `subject` is "user" for oneself, else a name or relation word.

    `denies` closes what was held ("I no longer take it"); `corrects` marks a correction, whose value replaces
    whatever was held.
    """

    subject: str
    predicate: str
    object: str
    span: Span
    rule: str
    denies: bool = False
    corrects: bool = False
    because: str = ""


@dataclass(slots=True, frozen=True)
class ReminderDraft:
    """Something to be reminded of.

    `time` is None when none was said; `unclear` is True when one was said but not understood.
    """

    text: str
    span: Span
    rule: str
    time: TimeMention | None = None
    unclear: bool = False
    trigger: str = ""
    """Event words in place of a time ("when I get home")."""
    counts_down: bool = False
    """True of a timer: a mere length of time counts from now."""
    urgent: bool = False


@dataclass(slots=True, frozen=True)
class Reading:
    """All of it. `whole` means that commands and reminders leave nothing for the model to answer."""

    utterance: Utterance
    clauses: tuple[Clause, ...] = ()
    commands: tuple[Command, ...] = ()
    times: tuple[TimeMention, ...] = ()
    unclear_times: tuple[Span, ...] = ()
    mentions: tuple[Mention, ...] = ()
    references: tuple[Reference, ...] = ()
    claims: tuple[ClaimDraft, ...] = ()
    reminders: tuple[ReminderDraft, ...] = ()
    attitude: float = 0.0
    question: bool = False
    whole: bool = False
    fired: tuple[tuple[str, Span], ...] = ()
    """Every rule that fired, with where: for `explain`."""
