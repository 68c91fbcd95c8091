"""The library face: a memory that observes what is said and gives the block for a question. No model, no files."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from claudemem_edge.context_injector.inject import inject
from claudemem_edge.errors import BadRequest, TooLong
from claudemem_edge.input_filter import time_fallback
from claudemem_edge.input_filter.clauses import digest
from claudemem_edge.input_filter.normalize import clean, fold
from claudemem_edge.input_filter.read import read
from claudemem_edge.input_filter.times import read_times
from claudemem_edge.language.load import load
from claudemem_edge.shapes.context import Context, Profile
from claudemem_edge.shapes.index import InvertedIndex
from claudemem_edge.shapes.memory import MemoryState
from claudemem_edge.shapes.options import MemoryOptions
from claudemem_edge.shapes.reading import Command, Reading, Utterance
from claudemem_edge.shapes.times import Moment
from claudemem_edge.state_engine.advance import advance
from claudemem_edge.state_engine.view import MemoryView, view

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from claudemem_edge.shapes.memory import Item
    from claudemem_edge.shapes.outcome import Outcome
    from claudemem_edge.shapes.terms import TermIndex
    from claudemem_edge.shapes.times import TimeMention

DEFAULT_PROFILE = Profile(limit_tokens=1_000_000)
"""Before any model is known, the limit in characters alone binds."""
PARTS = frozenset({"user", "assistant", "event"})
"""Speakers who need no name."""
DOOR = "door"
"""Who gives the commands that nobody spoke."""
COLON = re.compile("[:：]")
SAME_QUESTION_S = 60.0
"""Within this time a question that was just observed is not read again."""


def _moment(at: datetime | Moment | None) -> Moment:
    """Return a moment on both clocks. Without the boot clock, wall seconds stand in for it."""
    if isinstance(at, Moment):
        return at
    wall = at if at is not None else datetime.now().astimezone()
    if wall.tzinfo is None:
        raise ValueError("the time must be aware: give it a zone, as in datetime.now().astimezone()")
    return Moment(wall, wall.timestamp())


class Memory:
    """Everything remembered for one scope.

    `languages` and `packs` name the data to read with; `folders` are an owner's pack roots. Raises PackError. In a
    language without a pack, words are kept and found, and dates in digits are read (its first naming costs 0.2 s).
    Not thread-safe: one owner calls it, between two awaits if need be; no call waits for anything.
    """

    def __init__(
        self,
        languages: Sequence[str] = ("zh", "en"),
        packs: Sequence[str] = ("core",),
        *,
        folders: Sequence[str] = (),
        options: MemoryOptions | None = None,
    ) -> None:
        self._lexicon = load(tuple(languages), tuple(packs), tuple(folders))
        time_fallback.prepare(code for code in languages if code not in self._lexicon.languages)
        self._options = options or MemoryOptions()
        salt = os.urandom(16)
        self._state = MemoryState(salt=salt, index=InvertedIndex(salt))
        self._last: tuple[str, str, Moment, Reading] | None = None
        """The user's last utterance as read: mostly the next question to choose a block for."""

    def observe(
        self,
        speaker: str,
        text: str,
        *,
        at: datetime | Moment | None = None,
        language: str = "",
        door: str = "",
        cap_bytes: int | None = None,
    ) -> Outcome:
        """Learn one utterance and return what it changed.

        `speaker` is "user", "assistant", "event" or a person's name; `at` an aware datetime (default: now);
        `language` a hint such as "zh-CN"; `door` where it was said, as "door:device"; `cap_bytes` a cap below its own.
        Raises TooLong above the limit, Full when no claim or reminder fits in any more, BadRequest for a speaker whose
        name would pass for a role of the model's.
        """
        self._check_length(text)
        now = _moment(at)
        speaker = self._speaker(speaker)
        reading = self._read(text, speaker, now, language)
        self._last = (text, language, now, reading) if speaker == "user" else None
        return replace(self._advance(reading, now, door, cap_bytes), asks=reading.question)

    def context(
        self,
        question: str,
        *,
        limit_chars: int | None = None,
        now: datetime | Moment | None = None,
        profile: Profile | None = None,
        shown: Iterable[str] = (),
        language: str = "",
    ) -> Context:
        """Return the block to put before `question`: at most `limit_chars` characters, possibly none. Changes nothing.

        `shown` holds digests of texts the model sees anyway; nothing of them is said again.
        """
        moment = _moment(now)
        return inject(
            self._state,
            self._question(question, moment, language),
            moment,
            lexicon=self._lexicon,
            profile=profile or DEFAULT_PROFILE,
            limit_chars=self._options.limit_chars if limit_chars is None else limit_chars,
            shown=frozenset(shown),
        )

    def command(
        self,
        kind: str,
        argument: str = "",
        *,
        at: datetime | Moment | None = None,
        language: str = "",
        door: str = "",
        cap_bytes: int | None = None,
    ) -> Outcome:
        """Carry out a command of a door rather than of a voice: forget_entity, done, cancel, snooze, fire and the rest.

        `kind` is one of shapes.reading.COMMANDS or DOOR_COMMANDS; `argument` a name, an item id, or "id seconds";
        `door` where it was given, as "door:device". Nothing asks back here. Raises TooLong and Full as for an
        utterance, BadRequest for an unknown kind or argument.
        """
        self._check_length(argument)
        now = _moment(at)
        language = language or self._state.reply_language or self._state.language
        reading = Reading(
            Utterance(DOOR, "", "", language), commands=(Command(kind, argument, (0, 0), DOOR),), whole=True
        )
        self._last = None
        return self._advance(reading, now, door, cap_bytes)

    def explain(self, text: str, *, at: datetime | Moment | None = None, language: str = "") -> Reading:
        """Return what the filter understands of a text, with the rules that fired. Changes nothing."""
        return self._read(text, "user", _moment(at), language)

    def digests(self, text: str) -> frozenset[str]:
        """Return the digests of a text's clauses, for `shown`."""
        return digest(text, self._lexicon)

    def pending(self) -> tuple[Item, ...]:
        """Return the items that are still to happen or were just announced, soonest first."""
        items = [item for item in self._state.pending_items.values() if item.state in {"pending", "triggered"}]
        return tuple(sorted(items, key=lambda item: (item.due is None, item.due.at().timestamp() if item.due else 0)))

    def item(self, item_id: str) -> Item | None:
        """Return an item by its id, in whatever state."""
        return self._state.pending_items.get(item_id)

    def view(self, *, at: datetime | Moment | None = None) -> MemoryView:
        """Return all of it as plain JSON values, for the person whose memory it is."""
        return view(self._state, _moment(at))

    @property
    def turn(self) -> int:
        """Number of utterances observed."""
        return self._state.turn

    @property
    def epoch(self) -> int:
        """Changes whenever something was forgotten."""
        return self._state.epoch

    @property
    def language(self) -> str:
        """The language to answer in: the one asked for, else the one last spoken; "" before any."""
        return self._state.reply_language or self._state.language

    @property
    def max_text_chars(self) -> int:
        """Most characters of one utterance."""
        return self._options.max_text_chars

    @property
    def limit_chars(self) -> int:
        """Most characters of a block, where nobody says otherwise."""
        return self._options.limit_chars

    def say(self, key: str, language: str = "", **values: object) -> str:
        """Fill in a phrase of the packs in the memory's language, else in `language` (a code or a hint); "" if none."""
        for code in (self.language, language.lower().replace("_", "-").split("-", 1)[0], ""):
            spoken = self._lexicon.get(code) if code or not language else self._lexicon.get("")
            if spoken is not None and key in spoken.phrases:
                return spoken.say(key, **values)
        return ""

    def size_bytes(self) -> int:
        """Return the bytes held for this scope, within 10 % of the truth; caps act on it."""
        return self._state.size

    def _advance(self, reading: Reading, now: Moment, door: str, cap_bytes: int | None) -> Outcome:
        options = self._options
        if cap_bytes is not None and cap_bytes < options.scope_bytes:
            options = replace(options, scope_bytes=cap_bytes)
        return advance(self._state, reading, now, lexicon=self._lexicon, options=options, door=door)

    def _check_length(self, text: str) -> None:
        if len(text) > self._options.max_text_chars:
            raise TooLong(
                f"the text has {len(text)} characters; {self._options.max_text_chars} is the most",
                hint="say it in shorter pieces",
            )

    def _speaker(self, name: str) -> str:
        """Return a speaker's name as it may stand before words in a block. Raises BadRequest for what is no name."""
        if name in PARTS:
            return name
        cleaned = clean(name)
        plays = cleaned == DOOR or any(
            fold(cleaned, one.simplified) in one.tables.get("context", {}).get("wording", {}).get("roles", ())
            for one in self._lexicon.languages.values()
        )
        if not cleaned or plays or COLON.search(cleaned):
            raise BadRequest("this cannot be a speaker's name", hint="user, assistant, event, or the name of a person")
        return cleaned

    def _question(self, text: str, now: Moment, language: str) -> Reading:
        if self._last is not None:
            said, hint, at, reading = self._last
            if (said, hint) == (text, language) and abs((now.wall - at.wall).total_seconds()) < SAME_QUESTION_S:
                return reading
        return self._read(text[: self._options.max_text_chars], "user", now, language)

    def _read(self, text: str, speaker: str, now: Moment, language: str) -> Reading:
        return read(text, speaker=speaker, now=now, lexicon=self._lexicon, names=self._names, hint=language)

    @property
    def _names(self) -> TermIndex:
        return self._state.names


def find_times(text: str, *, now: datetime | None = None, languages: Sequence[str] = ("zh", "en")) -> list[TimeMention]:
    """Return the time expressions of a text, left to right, resolved against `now` (aware; default: the clock).

    Only what is understood whole is returned: an expression with a leftover time word is left out. Raises PackError.
    """
    lexicon = load(tuple(languages), ("core",), ())  # spelled as a Memory spells it: both share one
    return list(read_times(text, _moment(now), lexicon).mentions)
