"""What the door tells by itself: how we are, what is due; and what it never tells."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from fakes.mqtt_house import BASE, House, open_house
from fakes.real_mosquitto import Broker, Listener, eventually

from claudemem_edge.shapes.turn import Notice

if TYPE_CHECKING:
    from pathlib import Path

    from fakes.fake_ollama import FakeOllama

pytestmark = pytest.mark.broker
WORDS = "My cousin Bertha plays the oboe in Leeds"
STORED = ("info", "health", "state")


async def test_a_newcomer_finds_how_we_are(house: House, broker: Broker) -> None:
    await house.say(WORDS)
    await eventually(lambda: house.on("state")[-1:] == [{"scopes": 1, "turns": 2, "pending": 0}])
    async with Listener(broker, f"{BASE}/+") as late:
        await eventually(lambda: len(late.messages) == 4)
        told = {message.topic.value: message.payload for message in late.messages}
    assert told[f"{BASE}/status"] == b"online"
    info = json.loads(told[f"{BASE}/info"])
    assert info["boot_id"] == house.sessions.boot_id
    assert info["models"] == ["llama3.2:1b"]
    health = json.loads(told[f"{BASE}/health"])
    assert health["backend"] == "ok"
    assert health["mqtt"]["echo_ms"] > 0


async def test_health_tells_when_the_model_is_gone_and_back(house: House, fake: FakeOllama) -> None:
    await house.say(WORDS)
    await fake.stop()
    await house.say(WORDS)
    await eventually(lambda: house.on("health")[-1]["backend"] == "backend_unreachable")
    await fake.start()
    await house.say(WORDS)
    await eventually(lambda: house.on("health")[-1]["backend"] == "ok")


async def test_health_comes_again_and_again(broker: Broker, fake: FakeOllama) -> None:
    async with open_house(broker, fake, health_every_s=0.1) as house:
        count = len(house.on("health"))
        await eventually(lambda: len(house.on("health")) >= count + 2)


async def test_somebody_elses_will_does_not_leave_us_offline(broker: Broker, fake: FakeOllama) -> None:
    async with open_house(broker, fake, health_every_s=0.1) as house:
        await house.publish("status", b"offline", retain=True)
        await house.client.until(lambda message: message.payload == b"offline")
        await eventually(lambda: house.client.on(f"{BASE}/status")[-1] == b"online")


async def test_a_broker_that_forgot_everything_is_told_again(house: House, broker: Broker) -> None:
    broker.kill()
    await eventually(lambda: not house.door.status()["connected"])
    broker.start()
    await eventually(lambda: house.door.status()["connected"] is True)
    async with Listener(broker, f"{BASE}/+") as late:
        await eventually(lambda: len(late.messages) >= 4)
        assert {message.topic.value for message in late.messages} >= {f"{BASE}/{name}" for name in ("status", *STORED)}


async def test_what_is_due_goes_to_the_scope_it_was_asked_in(house: House) -> None:
    notice = Notice("anna", "p7", "due", "测血压", "2026-12-02T10:00:00+08:00", "zh", "mqtt:kitchen")
    house.notices.publish(notice)
    (told,) = await house.replies("event/anna/due", 1)
    assert (told["event_type"], told["id"], told["scope"]) == ("due", "p7", "anna")
    assert (told["text"], told["due"]) == ("测血压", "2026-12-02T10:00:00+08:00")


async def test_nothing_stored_holds_a_word_that_was_said(house: House, broker: Broker) -> None:
    await house.say(WORDS, "bertha-room")
    await house.say("提醒我明天上午10点测血压", "bertha-room")
    await house.request("memory/bertha-room/get", "", "memory/bertha-room/state")
    house.notices.publish(Notice("bertha-room", "p1", "due", "测血压", "2026-12-02T10:00:00+08:00"))
    await house.replies("event/bertha-room/due", 1)
    await eventually(lambda: house.on("state")[-1]["pending"] == 1)
    async with Listener(broker, "#") as late:
        await eventually(lambda: len(late.messages) >= 4)
        everything = " ".join(f"{one.topic.value} {one.payload.decode()}" for one in late.messages).casefold()
    for word in ("bertha", "oboe", "leeds", "血压", "cousin"):
        assert word not in everything


async def test_a_broker_that_is_not_there_keeps_nobody_waiting(fake: FakeOllama, broker: Broker) -> None:
    async with open_house(broker, fake) as house:
        await house.door.stop()
        broker.kill()
        async with asyncio.timeout(5):
            await house.door.start()
            await eventually(lambda: "refused" in str(house.door.status()["problem"]))
            await house.door.stop()
        broker.start()


def test_a_killed_daemon_is_offline(broker: Broker, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "claudemem_edge", "run", "--no-tcp", "--socket", str(tmp_path / "api.sock")]
    daemon = subprocess.Popen([*command, "--model", "echo", "--mqtt", f"127.0.0.1:{broker.port}"])
    try:
        wait_for = ("mosquitto_sub", "-t", f"{BASE}/status", "-q", "1", "-W", "30")
        assert broker.run(*wait_for, "-C", "1") == b"online\n"
        daemon.send_signal(signal.SIGKILL)
        daemon.wait()
        assert broker.run(*wait_for, "-C", "1") == b"offline\n"
    finally:
        daemon.kill()
        daemon.wait()
