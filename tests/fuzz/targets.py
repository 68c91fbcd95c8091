"""What is fuzzed. A target takes any bytes and raises only when it has found a fault.

with open_targets() as targets:
    targets["wire"](b"...")
"""

from __future__ import annotations

import json
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from fuzz.door import Door, composed
from fuzz.topic import Broker

from claudemem_edge import Memory, find_times
from claudemem_edge.engine.question import Refused, chat_job, check_model, generate_job, openai_job, read_json
from claudemem_edge.engine.weights import Weights
from claudemem_edge.errors import EdgeError
from claudemem_edge.transport import wire
from claudemem_edge.transport.mqtt_requests import AskIn, GetIn, Named
from claudemem_edge.transport.ollama_prompt import read_chat, read_generate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from claudemem_edge.transport.fields import WireModel

    Target = Callable[[bytes], None]

NAMES = ("wire", "prompt", "words", "mqtt", "http", "route", "engine")
MODELS: tuple[type[WireModel], ...] = (
    wire.AskIn, wire.ObserveIn, wire.ForgetIn, wire.PendingIn, wire.ContextIn, wire.CancelIn, AskIn, GetIn, Named,
)  # fmt: skip
NOW = datetime.fromisoformat("2026-03-11T09:40:00+08:00")
LIMIT_CHARS = 220
WEIGHTS = Weights(Path("m.gguf"), "m:1b", "d", 1, "llama", "1B", "Q4_0", 2048, plain=False)
MODEL_BLOCK = "a block\n"


def wire_shapes(data: bytes) -> None:
    """Bytes make a model or one typed error; what is a model can be sent again and makes the same one."""
    model = MODELS[data[0] % len(MODELS)] if data else wire.AskIn
    with suppress(EdgeError):
        wire.parse(model, data[1:])
    text = data[1:].decode("utf-8", "replace")
    with suppress(EdgeError):
        wire.from_query(model, dict(part.partition("=")[::2] for part in text.split("&")))


def prompt(data: bytes) -> None:
    """Only the text of the question changes in a client's request; all else stays what it was."""
    for read in (read_chat, read_generate):
        try:
            question = read(data)
        except EdgeError:
            continue
        if question is None:
            continue
        assert question.with_text(question.text) == data
        changed = question.with_text(MODEL_BLOCK + question.text)
        again = read(changed)
        assert again is not None
        assert again.text == MODEL_BLOCK + question.text
        assert again.others == question.others
        assert json.loads(changed).keys() == json.loads(data).keys()


def engine(data: bytes) -> None:
    """The engine makes a job of a body or refuses it; the job is plain JSON."""
    for weights in (WEIGHTS, replace(WEIGHTS, plain=True)):
        for make in (chat_job, generate_job, openai_job):
            with suppress(Refused):
                asked = read_json(data)
                check_model({"model": WEIGHTS.name, **asked}, weights)
                job = make(asked, weights)
                json.dumps(job.request if job is not None else {})


def words(data: bytes) -> None:
    """Any words are learned or refused, and the block for any words keeps its limit."""
    text = data.decode("utf-8", "replace")
    memory = Memory()
    find_times(text[:2000], now=NOW)
    for speaker in ("user", "assistant"):
        with suppress(EdgeError):
            memory.observe(speaker, text, at=NOW)
    for question in (text, "what?", "什么？"):
        assert len(str(memory.context(question, now=NOW))) <= LIMIT_CHARS
    json.dumps(memory.view(at=NOW), allow_nan=False)


@contextmanager
def open_targets() -> Iterator[dict[str, Target]]:
    """Give all targets, with what they need open."""
    broker = Broker()
    with Door() as door:
        yield {
            "wire": wire_shapes,
            "prompt": prompt,
            "words": words,
            "engine": engine,
            "mqtt": broker.take,
            "http": door.send,
            "route": lambda data: door.send(composed(data)),
        }
