"""Prompt tokens a real model evaluates per turn with no history, grow-then-cut and sliding, follow-ups among the turns.

The engine program runs as a child with one slot, one thread and no prompt cache but its own prefix; the same turns
go to it under each mode. A follow-up counts as followed when the answer holds a word that only the talk before has.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx

from claudemem_edge import Memory
from claudemem_edge.model.history import MODES, History
from claudemem_edge.model.profiles import profile_for
from claudemem_edge.model.prompt import messages_for

MODEL = "smollm2"
ANSWER_TOKENS = 32
HISTORY_TOKENS = 600
START = datetime(2026, 3, 11, 9, 40, tzinfo=UTC)
TURNS: tuple[tuple[str, str], ...] = (
    ("My name is Ruth and I am 72 years old.", ""),
    ("I take a small white pill called amlodipine once a day.", ""),
    ("It makes my feet swell.", ""),
    ("Tell me more.", "feet"),
    ("My son Paul lives in Bristol.", ""),
    ("He visited me last month.", ""),
    ("What is the name of my son?", "Paul"),
    ("Where does he live?", "Bristol"),
    ("I planted tomatoes on the balcony this morning.", ""),
    ("Why do people do that?", "tomato"),
    ("The neighbours have a new dog, a beagle called Rufus.", ""),
    ("What is the dog called?", "Rufus"),
    ("I slept badly.", ""),
    ("What could be the reason?", "sle"),
    ("Which pill do I take?", "amlodipine"),
    ("How often?", "day"),
)


def run(arguments: list[str]) -> dict[str, object]:
    """Return tokens by turn and mode. Arguments: a model package or file for the engine."""
    model = arguments[0] if arguments else ""
    with tempfile.TemporaryDirectory() as folder:
        socket = Path(folder) / "engine.sock"
        command = [sys.executable, "-B", "-m", "claudemem_edge.engine", "--socket", str(socket), "--threads", "1"]
        engine = subprocess.Popen([*command, *(["--model", model] if model else [])], stderr=subprocess.DEVNULL)
        try:
            return {mode: _talk(socket, mode) for mode in MODES}
        finally:
            engine.terminate()
            engine.wait()


def _talk(socket: Path, mode: str) -> dict[str, Any]:
    profile = profile_for(MODEL)
    memory, history = Memory(), History(HISTORY_TOKENS, mode, profile.tokens_per_char)
    evaluated: list[int] = []
    followed = asked = 0
    with httpx.Client(transport=httpx.HTTPTransport(uds=str(socket)), base_url="http://x", timeout=300) as http:
        name = _model_name(http)
        http.post("/api/chat", json={"model": name, "messages": [{"role": "user", "content": mode}], "stream": False})
        for number, (text, wanted) in enumerate(TURNS):
            now = START + timedelta(minutes=3 * number)
            asks = memory.observe("user", text, at=now).asks
            shown = [digest for one in history.messages() for digest in memory.digests(one["content"])]
            block = str(memory.context(text, now=now, profile=profile, shown=shown)) if asks else ""
            messages = messages_for(profile, "en", block, text, history.messages(), asks=asks)
            options = {**profile.options, "num_predict": ANSWER_TOKENS, "temperature": 0}
            body = {"model": name, "messages": messages, "stream": False, "options": options}
            answer = http.post("/api/chat", json=body).json()
            said = answer["message"]["content"].strip()
            evaluated.append(int(answer["timings"]["prompt_n"]))
            if profile.trusted:
                memory.observe("assistant", said[:2000] or "-", at=now)
            history.append(messages[-1]["content"], said)
            asked += bool(wanted)
            followed += bool(wanted) and wanted.lower() in said.lower()
    return {
        "evaluated": evaluated,
        "sum": sum(evaluated),
        "second_half_mean": round(sum(evaluated[len(evaluated) // 2 :]) / (len(evaluated) // 2), 1),
        "followed": f"{followed} of {asked}",
    }


def _model_name(http: httpx.Client) -> str:
    for _ in range(600):
        try:
            return str(http.get("/api/tags").json()["models"][0]["name"])
        except (httpx.HTTPError, ValueError, LookupError):
            time.sleep(0.1)
    raise SystemExit("the engine did not start")
