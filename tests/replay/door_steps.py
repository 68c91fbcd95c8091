"""The steps of a report that come in by MQTT or as raw bytes, and those in which somebody dies."""

from __future__ import annotations

import asyncio
import json
import re
from typing import TYPE_CHECKING

from fakes.child_daemon import WAIT_S
from fakes.real_mosquitto import eventually
from replay.play import Message
from replay.stage import BASE

if TYPE_CHECKING:
    from replay.play import Play, Step
    from replay.steps import Act

SIZES = {"KB": 1 << 10, "MB": 1 << 20}
REPLY_WITHIN_S = 10
SILENT_FOR_S = 0.5


def _topic(named: str) -> str:
    """Return our topic for what a report calls IN/<scope>."""
    return f"{BASE}/chat/{named.removeprefix('IN/')}/request" if named.startswith("IN/") else named


async def _mqtt(play: Play, step: Step) -> None:
    heard, topic = play.stage.heard, _topic(step["topic"])
    if step.get("after_s"):
        await play.stage.connected()
    message = Message(topic, step.get("payload", step.get("payload_hex")))
    play.messages.append(message)
    if "payload_hex" in step:
        data = bytes.fromhex(step["payload_hex"])
    else:
        wanted = step["payload"]
        named = {"id": f"m-{len(play.messages)}", **wanted} if isinstance(wanted, dict) else wanted
        data = (json.dumps(named, ensure_ascii=False) if isinstance(named, dict) else named).encode()
    answer = topic.replace("/request", "/reply")
    before = len(heard.on(answer))
    await heard.client.publish(topic, data, qos=step.get("qos", 1), retain=step.get("retain", False))
    try:
        await eventually(lambda: len(heard.on(answer)) > before, REPLY_WITHIN_S)
        await asyncio.sleep(SILENT_FOR_S)  # for a second answer that must not come
    except TimeoutError:
        pass
    message.replies = [json.loads(one) for one in heard.on(answer)[before:]]


async def _mqtt_burst(play: Play, step: Step) -> None:
    topic = _topic(step.get("topic", "IN/burst"))
    text = "x" * min(int(step.get("bytes", 100)), 1 << 20)
    play.rss_mb.append(play.resident_mb())
    for number in range(int(step["n"])):
        payload = json.dumps({"id": f"b-{number}", "text": text})
        await play.stage.heard.client.publish(topic, payload, qos=0)
    await play.stage.http.get("/health")
    play.rss_mb.append(play.resident_mb())


def _made(spelled: str) -> bytes:
    """Return the bytes that a report spells as "x*10MB + newline"."""
    found = re.fullmatch(r"(.)\*(\d+)(KB|MB)(?: \+ newline)?", spelled)
    if found is None:
        return spelled.encode()
    return found[1].encode() * (int(found[2]) * SIZES[found[3]]) + (b"\n" if "newline" in spelled else b"")


async def _sock_raw(play: Play, step: Step) -> None:
    await play.say("warm-up", "你好，今天天气不错。")  # what is loaded once is no leak
    play.rss_mb.append(play.resident_mb())
    reader, writer = await asyncio.open_unix_connection(str(play.stage.path))
    answer = b""
    try:
        async with asyncio.timeout(WAIT_S):
            writer.write(_made(step["bytes"]))
            answer = await reader.read()
    except ConnectionError:
        pass
    finally:
        writer.close()
    play.raw.append(answer)


async def _sock(play: Play, step: Step) -> None:
    await play.say(step.get("session", play.scope), **step["json"])


async def _broker(play: Play, step: Step) -> None:
    await asyncio.sleep(step.get("after_s", 0))
    broker, what = play.stage.broker, step["do"]
    if what in {"kill", "kill9", "stop", "restart"}:
        broker.kill()
    if what in {"start", "restart"}:
        broker.start()
        await play.stage.listen()
        await play.stage.connected()


async def _daemon(play: Play, step: Step) -> None:
    await asyncio.sleep(step.get("after_s", 0))
    if step["do"] in {"kill", "kill9"} and play.stage.child is not None:
        play.stage.child.process.kill()
    if step["do"] in {"restart", "stop", "kill", "kill9"}:
        await play.stage.stop()
    if step["do"] in {"restart", "start"}:
        await play.stage.start()


async def _reconnect(play: Play, step: Step) -> None:
    await play.stage.listen()


async def _measure(play: Play, step: Step) -> None:
    play.rss_mb.append(play.resident_mb())


DOORS: dict[str, Act] = {
    "mqtt": _mqtt, "mqtt_burst": _mqtt_burst, "sock": _sock, "sock_raw": _sock_raw, "broker": _broker,
    "daemon": _daemon, "reconnect_client": _reconnect, "measure": _measure,
}  # fmt: skip
