"""Forgetting: statements go, and with them all that rests only on them. What is left holds no word of it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from claudemem_edge.language.terms import terms
from claudemem_edge.state_engine import entity_map, predicates
from claudemem_edge.state_engine.forget_words import forget_words, words_of
from claudemem_edge.state_engine.item_orders import meant
from claudemem_edge.state_engine.remove import Removed, drop_orphans, remove

if TYPE_CHECKING:
    from collections.abc import Iterable

    from claudemem_edge.shapes.memory import Statement
    from claudemem_edge.shapes.reading import Command
    from claudemem_edge.state_engine.progress import Progress

NEAR_MOST = 3
"""More statements than this are too many to ask about at once."""


def obey(progress: Progress, command: Command) -> None:
    """Carry out an order to forget."""
    if command.kind == "forget_all":
        progress.ask("forget_all", "ask_forget_all")
        return
    ORDERS[command.kind](progress, command.argument)


def everything(progress: Progress) -> None:
    """Forget all of it."""
    state = progress.state
    removed = Removed(
        len([one for one in state.statements.values() if one.shown]),
        len(state.claims), len(state.pending_items), len(state.entity_map),
    )  # fmt: skip
    progress.ledger.clear()
    _close(progress, removed, "forgot_all")


def _last(progress: Progress, _: str) -> None:
    """Forget the user's previous utterance, and every reply since, which may repeat it."""
    state = progress.state
    newest = next((one for one in reversed(state.statements.values()) if one.speaker == "user"), None)
    if newest is None:
        _close(progress, Removed())
        return
    first = min(one.id for one in state.statements.values() if one.turn == newest.turn and one.speaker == "user")
    ids = [
        one.id for one in state.statements.values()
        if one.id >= first and (one.turn == newest.turn or one.speaker == "assistant")
    ]  # fmt: skip
    _close(progress, remove(progress, ids, reopen=True))


def _task(progress: Progress, words: str) -> None:
    """Forget an item and the words it was made of."""
    found = meant(progress, words)
    newest = found[-1] if found and (len(found) == 1 or not words) else None
    if newest is None:
        progress.say("item_not_found" if words else "nothing_pending")
        return
    removed = remove(progress, newest.origin)
    if newest.id in progress.state.pending_items:
        progress.ledger.remove_item(newest)
        removed.items += 1
    removed += forget_words(progress, (newest.text,), of_replies_only=True)
    _close(progress, removed)


def _topic(progress: Progress, words: str) -> None:
    """Forget all statements of the running topic, or of the one these words are about."""
    state = progress.state
    chain = state.topic_chain
    about = _statements_with(progress, words) if words else ()
    if words:
        votes = [state.statements[one].topic for one in about]
        topic = max(set(votes), key=votes.count, default=0)
    else:
        topic = chain[-1].id if chain else 0
    ids = [one.id for one in state.statements.values() if one.topic == topic] if topic else list(about)
    if not ids and not words:
        _last(progress, "")
        return
    _close(progress, remove(progress, ids))


def _entity(progress: Progress, name: str) -> None:
    """Forget somebody or something by every name it has."""
    entity = entity_map.find(progress, name) or entity_map.find_within(progress, name)
    names = (name, *((entity.name, *entity.aliases) if entity else ()))
    seen = [one.statement for one in entity.sightings] if entity else []
    removed = remove(progress, seen)
    removed += forget_words(progress, words_of(progress, names))
    if entity is not None and entity.name in progress.state.entity_map:
        progress.ledger.remove_entity(entity, entity_map.names_of(entity))
        removed.entities += 1
    if not removed.total():
        removed = remove(progress, _called(progress, name))
    near = [] if removed.total() or progress.from_door else _near(progress, name)
    if near:
        texts = progress.phrase("list_joint").join(one.text for one in near)
        progress.ask("forget_these", "ask_forget_these", choices=tuple(str(one.id) for one in near), what=texts)
        return
    _close(progress, removed)


def these(progress: Progress, ids: Iterable[str]) -> None:
    """Forget the statements that were asked about."""
    _close(progress, remove(progress, [int(one) for one in ids]))


def _near(progress: Progress, name: str) -> list[Statement]:
    """Return the few statements that share most with a name under which nothing is known: one of them may be meant."""
    state = progress.state
    index = state.index
    shared: Counter[int] = Counter()
    for term in dict.fromkeys(terms(entity_map.folded(name), progress.read_in)):
        shared.update(index.find(index.key(term)))
    told = {id_: count for id_, count in shared.items() if _is_told(state.statements.get(id_))}
    most = max(told.values(), default=0)
    near = [state.statements[id_] for id_, count in sorted(told.items()) if count == most]
    return near if len(near) <= NEAR_MOST else []


def _is_told(statement: Statement | None) -> bool:
    return statement is not None and statement.shown and statement.speaker == "user" and not statement.question


def _called(progress: Progress, name: str) -> Iterable[int]:
    """Return what the user's facts rest on whose predicate has this name: "my age" stands in "I am 72" in no word."""
    state = progress.state
    wanted = f" {name.lower()}"
    claims = [one for one in state.claims.values() if one.subject == "user"]
    called = [one for one in claims if wanted.endswith(predicates.endings(one.predicate, progress.lexicon))]
    return [id_ for one in called for id_ in one.origin]


def _statements_with(progress: Progress, words: str) -> Iterable[int]:
    """Return the statements that hold all terms of these words."""
    state = progress.state
    index = state.index
    wanted = [index.key(term) for term in dict.fromkeys(terms(entity_map.folded(words), progress.language))]
    rows = [set(index.find(key)) for key in wanted]
    return sorted(set.intersection(*rows) & state.statements.keys()) if rows else ()


def _close(progress: Progress, removed: Removed, key: str = "forgot_count") -> None:
    """Count what went, let no reply of before be recorded any more, and say so without the words."""
    state = progress.state
    removed.entities += drop_orphans(progress)
    state.epoch += 1
    state.open_question = None
    progress.change(
        "forgot", "memory", count=removed.total(), statements=removed.statements, claims=removed.claims,
        items=removed.items, entities=removed.entities,
    )  # fmt: skip
    if not removed.total():
        key = "forgot_nothing"
    elif key == "forgot_count" and removed.told() == 1:
        key = "forgot_one"
    progress.say(key, count=removed.told())


ORDERS = {"forget_last": _last, "forget_task": _task, "forget_topic": _topic, "forget_entity": _entity}
