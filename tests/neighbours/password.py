"""A broker that does not know our password: said once, tried ever more seldom, told in health."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import httpx
from fakes.child_daemon import WAIT_S, Child
from fakes.real_mosquitto import Broker, eventually

if TYPE_CHECKING:
    from pathlib import Path

WATCHED_S = 6.0
LEAST_TRIES = 3
REFUSED = "refuses our user name or password"


async def wrong_password(folder: Path, watched_s: float = WATCHED_S) -> dict[str, Any]:
    """Return how often it was said, how often tried until so long after the third time, and what health told."""
    broker = Broker(folder, ("log_type all",), {"home": "right"})
    broker.start()
    (folder / "password").write_text("wrong", "utf-8")
    account = {"CLAUDEMEM_MQTT__USERNAME": "home", "CLAUDEMEM_MQTT__PASSWORD_FILE": str(folder / "password")}
    child = Child(folder, "--no-tcp", "--model", "echo", "--mqtt", f"127.0.0.1:{broker.port}", **account)
    try:
        await eventually(lambda: _tries(folder) >= LEAST_TRIES, WAIT_S)
        await asyncio.sleep(watched_s)
        way = httpx.AsyncHTTPTransport(uds=str(child.path))
        async with httpx.AsyncClient(transport=way, base_url="http://x", timeout=WAIT_S) as client:
            link = (await client.get("/health")).json()["mqtt"]
        tries = _tries(folder)
        (folder / "password").write_text("right", "utf-8")
        await eventually(lambda: any("connected to the MQTT broker" in line for line in child._logged), WAIT_S)
    finally:
        child.close()
        broker.kill()
    said = sum(REFUSED in line for line in child._logged)
    return {"said": said, "tries": tries, "connected": link["connected"], "told": link["problem"]}


def _tries(folder: Path) -> int:
    return (folder / "mosquitto.log").read_text("utf-8").count("not authorised")
