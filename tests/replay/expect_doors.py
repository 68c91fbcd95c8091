"""What reports expect of turns, models, brokers and sockets."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from replay.judge import expects, unless
from replay.steps import SPLIT

if TYPE_CHECKING:
    from replay.play import Play

REPLACED = "\ufffd"
TURN_S = 10.0
HUNG_UP_S = 1.0
SPREAD_MB = 2.0


async def _health(play: Play) -> dict[str, Any]:
    found: dict[str, Any] = (await play.stage.http.get("/health")).json()
    return found


@expects(r"RSS .*differ by under (\d+) MB|RSS back within (\d+) MB")
async def flat(play: Play, found: re.Match[str]) -> str:
    most_mb = float(found[1] or found[2])
    first, last = play.rss_mb[0], play.resident_mb()
    return unless(last - first <= most_mb, f"from {first:.1f} to {last:.1f} MB")


@expects(r"latency of the last \d+ turns within ([\d.]+)x of the first")
async def as_quick_as_at_first(play: Play, found: re.Match[str]) -> str:
    """Compare the middle of each part: a busy machine makes single turns slow."""
    part = max(1, min(500, len(play.turns) // 4))
    first = sorted(turn.lasted_s for turn in play.turns[:part])[part // 2]
    last = sorted(turn.lasted_s for turn in play.turns[-part:])[part // 2]
    return unless(last <= float(found[1]) * first, f"from {1000 * first:.1f} to {1000 * last:.1f} ms")


@expects(r"p95 of the filter under its published budget")
async def within_budget(play: Play, found: re.Match[str]) -> str:
    learned_ms = (await _health(play)).get("learn_p95_ms", 0.0)
    return unless(learned_ms < 20, f"learning takes {learned_ms} ms at p95")


@expects(r"empty text gives a typed error")
async def empty_refused(play: Play, found: re.Match[str]) -> str:
    empty = [turn for turn in play.turns if not turn.text]
    return unless(empty and {turn.error for turn in empty} == {"bad_request"}, f"errors {[t.error for t in empty]}")


@expects(r"answered or refused within the turn budget")
async def all_answered(play: Play, found: re.Match[str]) -> str:
    late = [turn for turn in play.turns if turn.lasted_s > TURN_S or not (turn.ending or turn.error)]
    return unless(not late, f"{len(late)} were not")


@expects(r"other sessions not delayed")
async def others_served(play: Play, found: re.Match[str]) -> str:
    turn = await play.say("somebody-else", "现在几点了？")
    return unless(turn.ending.get("event") == "final" and turn.lasted_s < TURN_S, f"it took {turn.lasted_s:.1f} s")


@expects(r"every event carries the turn id")
async def events_named(play: Play, found: re.Match[str]) -> str:
    events = [event for turn in play.turns for event in turn.events]
    return unless(events and all(event.get("id") for event in events), "an event has no id")


@expects(r"no event of turn \d+ after its (?:cancelled|final|failed) event")
async def ends_once(play: Play, found: re.Match[str]) -> str:
    kinds = [[event["event"] for event in turn.events] for turn in play.turns]
    ids = [{event["id"] for event in turn.events} for turn in play.turns]
    once = all(sum(kind in {"final", "failed", "cancelled"} for kind in row) == 1 for row in kinds)
    return unless(once and all(len(one) == 1 for one in ids), f"events {kinds}")


@expects(r"unfinished answer is not stored|partial text .*makes no memory")
async def not_kept(play: Play, found: re.Match[str]) -> str:
    rows = [row["text"] for row in (await play.view())["statements"] if row["speaker"] == "assistant"]
    shown = [text for turn in play.turns for text in [turn.said] if text and turn.ending.get("event") == "final"]
    return unless(all(any(row.rstrip(".。") in text for text in shown) for row in rows), f"kept {rows}")


@expects(r"connection to the model is closed within (\d+) s")
async def model_left(play: Play, found: re.Match[str]) -> str:
    took_s = play.closed_after_s
    return unless(took_s is not None and took_s < float(found[1]), f"after {took_s} s")


@expects(r"slot is free for the next turn|next turn (?:is answered|starts at once)")
async def slot_free(play: Play, found: re.Match[str]) -> str:
    play.stage.fake.default, play.stage.fake.pieces = "normal", ("Yes.",)
    turn = await play.say(play.scope, "你在吗？我想聊聊天气。")
    return unless(turn.ending.get("event") == "final", f"it ended as {turn.events}")


@expects(r"turn ends as (?:an )?error|ends as failed")
async def ends_failed(play: Play, found: re.Match[str]) -> str:
    return unless(play.last.ending.get("event") == "failed", f"it ended as {play.last.ending}")


@expects(r"one request in flight per model")
async def one_at_a_time(play: Play, found: re.Match[str]) -> str:
    return unless(all(len(turn.prompts) <= 1 for turn in play.turns), "a turn asked twice")


@expects(r"prompt of (\w+), checked at the model, holds nothing of (\w+)")
async def prompts_apart(play: Play, found: re.Match[str]) -> str:
    said = [turn.text for turn in play.turns if turn.scope == found[2]]
    told = "".join(prompt.text for turn in play.turns if turn.scope == found[1] for prompt in turn.prompts)
    return unless(told and not any(text in told for text in said), f"the model was told {told!r}")


@expects(r"text identical")
async def identical(play: Play, found: re.Match[str]) -> str:
    return unless(play.last.said == "".join(SPLIT), f"told {play.last.said!r}")


@expects(r"no U\+FFFD")
async def nothing_replaced(play: Play, found: re.Match[str]) -> str:
    return unless(REPLACED not in json.dumps([turn.events for turn in play.turns], ensure_ascii=False), "there is one")


@expects(r"keep_alive from the settings is in every request")
async def kept_alive(play: Play, found: re.Match[str]) -> str:
    asked = play.stage.fake.asked
    return unless(asked and all(one.json.get("keep_alive") for one in asked), "a request has none")


@expects(r"first: counted and answered with an error")
async def first_refused(play: Play, found: re.Match[str]) -> str:
    replies = play.messages[0].replies
    return unless(len(replies) == 1 and replies[0]["ok"] is False, f"answers {replies}")


@expects(r"second is answered on the same connection")
async def second_answered(play: Play, found: re.Match[str]) -> str:
    connects = (await _health(play))["mqtt"]["connects"]
    replies = play.messages[1].replies
    right = connects == 1 and len(replies) == 1 and replies[0]["ok"] is True
    return unless(right, f"{connects} connections, answers {replies}")


@expects(r"^answered$|exactly one answer")
async def answered_once(play: Play, found: re.Match[str]) -> str:
    replies = play.messages[-1].replies
    return unless(len(replies) == 1 and replies[0]["ok"] is True, f"answers {replies}")


@expects(r"retained input is never acted on")
async def retained_ignored(play: Play, found: re.Match[str]) -> str:
    items = await play.items()
    return unless(not items and not any(one["ok"] for message in play.messages for one in message.replies), f"{items}")


@expects(r"counted, and named in health")
async def retained_counted(play: Play, found: re.Match[str]) -> str:
    """A retained request counts when it arrives; after that the broker is asked not to send it at all."""
    await play.stage.heard.client.publish(play.messages[0].topic, '{"text": "again"}', qos=1, retain=True)
    await play.stage.heard.client.publish("claudemem/home/chat/s1/cancel", "{}", qos=1)
    await play.stage.heard.until(lambda one: one.topic.value == "claudemem/home/chat/s1/cancelled")
    counted = (await _health(play)).get("retained_ignored", 0)
    return unless(counted >= 1, f"counted {counted}")


@expects(r"answered with the same characters")
async def same_characters(play: Play, found: re.Match[str]) -> str:
    sent = play.messages[-1].sent["text"]
    told = json.dumps(await play.view(play.scopes()[-1]), ensure_ascii=False)
    replies = play.messages[-1].replies
    missing = [word for word in re.split(r"[，,\s]+", sent) if word not in told]
    return unless(replies and replies[-1]["ok"] and not missing, f"answers {replies}, missing {missing}")


@expects(r"first connection gets too_large and is closed")
async def first_closed(play: Play, found: re.Match[str]) -> str:
    answer = play.raw[0]
    refused = re.match(rb"HTTP/1\.1 (400|413|431)", answer) is not None or answer == b""
    return unless(refused, f"it got {answer[:80]!r}")


@expects(r"second is answered|(?:next|other) (?:connection|client|request)s? (?:is|are) answered")
async def next_answered(play: Play, found: re.Match[str]) -> str:
    return unless(play.last.ending.get("event") == "final", f"it got {play.last.events}")
