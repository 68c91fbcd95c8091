"""Resident memory of the daemon with Unix socket, MQTT and model client: idle, and after many turns in 20 scopes."""

from __future__ import annotations

import httpx

from benchmarks._daemon import broker, daemon, model
from benchmarks._measure import memory_mb
from benchmarks._talk import talk

TURNS = 0
SCOPES = 20
GOALS_MB = {"idle": 48, "after_100000_turns": 64}


def run(arguments: list[str]) -> dict[str, object]:
    """Return megabytes. Arguments: number of turns to observe (default none; the goal is set for 100000)."""
    turns = int(arguments[0]) if arguments else TURNS
    with (
        broker() as port,
        model() as url,
        daemon("--model-url", url, mqtt_port=port) as running,
        httpx.Client(transport=httpx.HTTPTransport(uds=str(running.path)), base_url="http://x", timeout=30) as http,
    ):
        http.post("/memory/s0/say", json={"text": "Are you there?"}).raise_for_status()
        found: dict[str, object] = {"goals_mb": GOALS_MB, "idle": memory_mb(running.process.pid)}
        for number, (speaker, text, _) in enumerate(talk("en", turns)):
            body = {"text": text, "speaker": speaker}
            http.post(f"/memory/s{number % SCOPES}/observe", json=body).raise_for_status()
        if turns:
            found[f"after_{turns}_turns"] = memory_mb(running.process.pid)
    return found
