"""How the parts of the daemon are, as they tell it for health. Never a word of anybody."""

from __future__ import annotations

from typing import Annotated, TypedDict


class ModelStatus(TypedDict):
    """The language model, as last seen. Names are empty until one was asked for."""

    name: str
    digest: str
    url: Annotated[str, "The server it runs on."]
    profile: Annotated[str, "How its family wants a block."]
    last_error: Annotated[str, "The code of the last failure; empty since the last success."]
    last_answer: Annotated[dict[str, int], "What its last answer cost: tokens and milliseconds."]


class LinkStatus(TypedDict):
    """The connection to the broker."""

    connected: bool
    echo_ms: Annotated[float | None, "The last way through the broker and back to us; null before one came back."]
    protocol: Annotated[str, "Version of MQTT."]
    problem: Annotated[str, "Why there is no connection; empty while there is one."]
    connects: Annotated[int, "How often a connection was made."]
    waiting: Annotated[int, "Messages that wait to be sent."]
    refused: Annotated[list[str], "Topic filters that the broker did not let us subscribe to."]


class Numbers(TypedDict):
    """What is counted and measured."""

    uptime_s: float
    rss_mb: Annotated[float, "Resident memory of the process."]
    turns: Annotated[int, "Turns that went on to the model."]
    said: Annotated[int, "Turns answered without a model."]
    observed: Annotated[int, "Utterances learned outside of turns."]
    dropped: int
    retained_ignored: int
    repeated: int
    rejected: int
    queue: Annotated[int, "Turns waiting or under way."]
    scopes: Annotated[int, "Memories held."]
    memory_bytes: Annotated[int, "Size of all memories."]
    backend_up: Annotated[int, "1 when the last that was asked of the language model came back, else 0."]
    mqtt_connected: Annotated[int, "1 while the broker is connected, else 0."]
    learn_p50_ms: float
    learn_p95_ms: float
    context_p50_ms: float
    context_p95_ms: float
    model_p50_ms: float
    model_p95_ms: float
