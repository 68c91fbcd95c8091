"""What reports expect of times, items and clocks."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from replay.judge import expects, unless

if TYPE_CHECKING:
    from replay.play import Play

DATE = re.compile(r"\d{4}-\d\d-\d\d")
AFTERNOON = re.compile(r"下午|afternoon")
BLOCK_DATE = re.compile(r"\d{4}-\d\d|\d月\d|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b")
MINUTE = timedelta(minutes=1)


@expects(r"past date makes no pending item")
async def nothing_past(play: Play, found: re.Match[str]) -> str:
    past = [due for due in await play.dues() if due < play.now()]
    return unless(not past, f"due in the past: {past}")


@expects(r"(?<!one )\bno pending item|no (?:reminder|item)s? (?:is |was )?(?:made|created|set)|makes no item")
async def nothing_pending(play: Play, found: re.Match[str]) -> str:
    return unless(not (items := await play.items()), f"pending: {items}")


@expects(r"(?:exactly )?one pending item(?: dated (?P<day>\d{4}-\d\d-\d\d))?")
async def one_pending(play: Play, found: re.Match[str]) -> str:
    items = await play.items()
    right = len(items) == 1 and (not found["day"] or str(items[0]["due"]).startswith(found["day"]))
    return unless(right, f"pending: {items}")


@expects(r"no invented clock hour: it is shown as the afternoon")
async def an_afternoon(play: Play, found: re.Match[str]) -> str:
    await play.say(play.scope, "我有什么要做的？")
    shown = play.last.said
    return unless(AFTERNOON.search(shown) and not re.search(r"\d{1,2}[:：]\d\d|\d点", shown), f"shown as {shown!r}")


@expects(r"due (?P<day>\d{4}-\d\d-\d\d)(?P<times>(?: (?:and )?\d\d:\d\d)+)(?: (?P<zone>[+-]\d\d:\d\d|UTC))?")
async def due_then(play: Play, found: re.Match[str]) -> str:
    zone = (found["zone"] or "").replace("UTC", "+00:00")
    dues = [due.isoformat() for due in await play.dues()]
    wanted = [f"{found['day']}T{clock}" for clock in re.findall(r"\d\d:\d\d", found["times"])]
    right = all(any(due.startswith(one) and due.endswith(zone) for due in dues) for one in wanted)
    return unless(right and len(dues) == len(wanted), f"due {dues}")


@expects(r"due the same day (\d\d:\d\d) ([+-]\d\d:\d\d)")
async def due_same_day(play: Play, found: re.Match[str]) -> str:
    wanted = f"{play.turns[0].at:%Y-%m-%d}T{found[1]}:00{found[2]}"
    dues = [due.isoformat() for due in await play.dues()]
    return unless(dues == [wanted], f"due {dues}")


@expects(r"due in (\d+) minutes")
async def due_in(play: Play, found: re.Match[str]) -> str:
    assert play.turns[0].at is not None
    dues = await play.dues()
    return unless(dues == [play.turns[0].at + int(found[1]) * MINUTE], f"due {dues}")


@expects(r"due exactly (\d+) real hours later, at (\d\d:\d\d) ([+-]\d\d:\d\d)")
async def due_real_hours(play: Play, found: re.Match[str]) -> str:
    told = [json.dumps(row) for row in (await play.view())["items"]]
    dues = [datetime.fromisoformat(row["due"]) for row in (await play.view())["items"]]
    assert play.turns[0].at is not None
    right = dues == [play.turns[0].at + timedelta(hours=int(found[1]))] and dues[0].isoformat().endswith(
        f"{found[2]}:00{found[3]}"
    )
    fired = '"state": "triggered"' in "".join(told)
    return unless(right and fired, f"items {told}")


@expects(r"reminder (?:is )?on (\d{4}-\d\d-\d\d)")
async def reminder_on(play: Play, found: re.Match[str]) -> str:
    dues = [due.isoformat() for due in await play.dues()]
    return unless(len(dues) == 1 and dues[0].startswith(found[1]), f"due {dues}")


@expects(r"(?:reply or event|reply|event) (?:states|says|names) the resolved date")
async def told_the_date(play: Play, found: re.Match[str]) -> str:
    due = (await play.dues())[0]
    spelled = (f"{due.month}月{due.day}日", f"{due:%B} {due.day}", f"{due.day} {due:%B}", f"{due:%Y-%m-%d}")
    told = play.spoken() + json.dumps([turn.events for turn in play.turns], ensure_ascii=False)
    return unless(any(one in told for one in spelled), f"told {play.spoken()!r}")


@expects(r"no date in year (\d{4})")
async def no_such_year(play: Play, found: re.Match[str]) -> str:
    return unless(found[1] not in await play.everything(), "it is there")


@expects(r"no date in the context block")
async def dateless(play: Play, found: re.Match[str]) -> str:
    block = await play.block()
    return unless(not BLOCK_DATE.search(block), f"the block is {block!r}")


@expects(r"if a time is stored it is (\d\d:\d\d)|never dated now: (.*), or no date")
async def dated_right(play: Play, found: re.Match[str]) -> str:
    """A view shows no times of statements; what is said of them stands in the block."""
    block = await play.block()
    now = f"{play.now():%H:%M}"
    return unless(now not in block, f"the block is {block!r}")


@expects(r"10-minute item has not fired|has not fired")
async def not_fired(play: Play, found: re.Match[str]) -> str:
    states = [row["state"] for row in (await play.view())["items"]]
    return unless(states and set(states) == {"pending"}, f"states {states}")


@expects(r"it fires (\d+) minutes after it was said")
async def fires_after(play: Play, found: re.Match[str]) -> str:
    from replay.steps import act

    await act(play, {"op": "advance", "minutes": int(found[1])})
    states = [row["state"] for row in (await play.view())["items"]]
    return unless(states == ["triggered"], f"states {states}")


@expects(r"sessions did not all expire")
async def sessions_stay(play: Play, found: re.Match[str]) -> str:
    return unless((await play.view()).get("turn"), "the scope is gone")


@expects(r"absolute day \((?P<day>[^)]+)\)")
async def absolute_day(play: Play, found: re.Match[str]) -> str:
    block = await play.block()
    return unless(found["day"] in block, f"the block is {block!r}")


@expects(r"after midnight the same item reads (\S+)")
async def next_day(play: Play, found: re.Match[str]) -> str:
    from replay.steps import act

    now = play.now()
    night = (now + timedelta(days=1)).replace(hour=0, minute=5)
    await act(play, {"op": "advance", "seconds": (night - now).total_seconds()})
    block = await play.block("今天要做什么？")
    return unless(found[1] in block or f"{night.month}月{night.day}日" in block, f"the block is {block!r}")


@expects(r"equal after the round trip")
async def same_in_every_zone(play: Play, found: re.Match[str]) -> str:
    """Give items their times in six zones, on both sides of a change of the clocks, and read them back."""
    wrong = []
    for offset in ("+00:00", "+01:00", "-04:00", "-05:00", "+05:45", "+08:00"):
        for day in ("2030-03-30", "2030-03-31", "2030-10-27", "2030-10-28"):
            sent = datetime.fromisoformat(f"{day}T01:30:00{offset}")
            body = {"text": f"check {offset} {day}", "due": sent.isoformat()}
            await play.stage.http.post("/memory/zones/pending", json=body)
            rows = (await play.get("zones", "/pending"))["items"]
            back = next((row["due"] for row in rows if row["text"] == body["text"]), None)
            if back is None or datetime.fromisoformat(back) != sent:
                wrong.append(f"{sent} came back as {back}")
    return "; ".join(wrong)
