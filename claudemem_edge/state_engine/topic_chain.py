"""Which topic new statements belong to: the one running, an earlier one returned to, or a new one."""

from __future__ import annotations

from bisect import bisect_left
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING

from claudemem_edge.language.topic_cues import topic_cues
from claudemem_edge.shapes.memory import Topic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from claudemem_edge.language.pack import Language
    from claudemem_edge.shapes.memory import MemoryState
    from claudemem_edge.shapes.reading import Reading
    from claudemem_edge.state_engine.ledger import Ledger

SALIENT = 4
"""Keys a topic keeps."""
FADE = 0.9
"""What an earlier weight is worth when the same topic goes on."""
RARE = 24
"""A key in more statements than this points to no topic."""
FEWEST = 3
"""Statements before a topic can be left again."""
HEARD = 0.34
"""Share of the new words that must have been heard in an earlier topic to return to it unasked …"""
CLEARLY = 2.0
"""… and by how much that must exceed their share in the running one."""
NEW_BELOW = 0.2
"""A smaller share of words from the running topic lets a new one begin, if a cue says so."""
FOLLOWERS = frozenset({"assistant", "event"})
"""They answer; only people change the subject."""


def place(ledger: Ledger, statement_ids: Sequence[int], reading: Reading, language: Language | None = None) -> None:
    """Give each of the new statements its topic (`ledger.state` holds them, indexed already).

    Existing records change through the ledger; a statement made in this same turn needs no undo of its own.
    """
    if not statement_ids:
        return
    state = ledger.state
    keys = tuple(dict.fromkeys(key for one in statement_ids for key in state.index.keys(one)))
    first, last = statement_ids[0], statement_ids[-1]
    running = _running(state, first)
    topic = running
    if running is not None and reading.utterance.speaker not in FOLLOWERS:
        topic = _choose(state, first, keys, reading, language, running)
    if topic is None:
        topic = Topic(ledger.new_id(), [(first, last)], dict.fromkeys(keys[:SALIENT], 1.0), first)
        ledger.add_topic(topic)
    else:
        spans = topic.spans
        spans = [*spans[:-1], (spans[-1][0], last)] if topic is running else [*spans, (first, last)]
        ledger.set(topic, spans=spans, salience=_refreshed(topic.salience, keys))
    for one in statement_ids:
        state.statements[one].topic = topic.id


def _refreshed(salience: dict[int, float], keys: Sequence[int]) -> dict[int, float]:
    """Let old weights fade, add the new keys, keep the heaviest."""
    fresh = {key: weight * FADE for key, weight in salience.items()}
    for key in keys:
        fresh[key] = fresh.get(key, 0.0) + 1.0
    if len(fresh) > SALIENT:
        fresh = dict(sorted(fresh.items(), key=itemgetter(1), reverse=True)[:SALIENT])
    return fresh


def _running(state: MemoryState, first: int) -> Topic | None:
    """Return the topic of the statement before the new ones."""
    order = state.index.order
    at = bisect_left(order, first)
    while at:
        at -= 1
        topic = by_id(state, state.statements[order[at]].topic)
        if topic is not None:
            return topic
    return None


def by_id(state: MemoryState, topic_id: int) -> Topic | None:
    """Return a topic of the chain by its id."""
    chain = state.topic_chain
    if chain and chain[-1].id == topic_id:
        return chain[-1]
    at = bisect_left(chain, topic_id, key=attrgetter("id"))
    return chain[at] if at < len(chain) and chain[at].id == topic_id else None


def _choose(
    state: MemoryState,
    first: int,
    keys: Sequence[int],
    reading: Reading,
    language: Language | None,
    running: Topic,
) -> Topic | None:
    """Return the topic to go on with, or None for a new one."""
    cues, folded = topic_cues(language), reading.utterance.folded
    if cues.returns.search(folded):
        return _earlier(state, running, _shares(state, first, keys))
    few = _statements_of(state, running) < FEWEST
    if few or cues.opens.match(folded):
        return running if few else None
    closed = _closed(state, first, language)
    if cues.takes_leave(folded) or (cues.continues.match(folded) and not closed):
        return running
    shares = _shares(state, first, keys)
    mine = shares.get(running.id, 0.0)
    other, share = _best_other(shares, running.id)
    if other is not None and share >= HEARD and share >= CLEARLY * mine:
        return by_id(state, other)
    if mine >= NEW_BELOW or not (closed or cues.may_open.match(folded)):
        topic: Topic | None = running
    else:
        topic = _earlier(state, running, shares) if closed and len(keys) < 2 else None
    return topic


def _statements_of(state: MemoryState, topic: Topic) -> int:
    """Return how many statements the latest stretch of a topic has."""
    first, last = topic.spans[-1]
    order = state.index.order
    return bisect_left(order, last + 1) - bisect_left(order, first)


def _shares(state: MemoryState, first: int, keys: Sequence[int]) -> dict[int, float]:
    """Return topic id → share of the new keys' weight that was heard in it."""
    statements = state.statements
    total = 0.0
    heard: dict[int, float] = {}
    for key in keys:
        before = state.index.before(key, first)
        if not before:
            total += 1.0
            continue
        worth = 1.0 / (1 + len(before)) ** 0.5
        total += worth
        if len(before) <= RARE:
            for topic in {statements[one].topic for one in before}:
                heard[topic] = heard.get(topic, 0.0) + worth
    return {topic: value / total for topic, value in heard.items()} if total else {}


def _best_other(shares: dict[int, float], running: int) -> tuple[int | None, float]:
    best, share = None, 0.0
    for topic, value in shares.items():
        if topic != running and (value > share or (value == share and best is not None and topic > best)):
            best, share = topic, value
    return best, share


def _earlier(state: MemoryState, running: Topic, shares: dict[int, float]) -> Topic:
    """Return the earlier topic that shares most words, else the one that ran before, else the running one."""
    best, share = _best_other(shares, running.id)
    if best is not None and share > shares.get(running.id, 0.0):
        return by_id(state, best) or running
    others = [one for one in state.topic_chain if one is not running]
    return max(others, key=lambda one: one.spans[-1][1], default=running)


def _closed(state: MemoryState, first: int, language: Language | None) -> bool:
    """Tell whether one of the last two utterances took leave of the subject."""
    order, statements = state.index.order, state.statements
    at = bisect_left(order, first) - 1
    if at < 0:
        return False
    since = statements[order[at]].turn - 1
    cues = topic_cues(language)
    while at >= 0 and statements[order[at]].turn >= since:
        if cues.takes_leave(statements[order[at]].text.lower()):
            return True
        at -= 1
    return False
