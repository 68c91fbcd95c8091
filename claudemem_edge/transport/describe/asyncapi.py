"""The MQTT topics, as an AsyncAPI 3.0 document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from claudemem_edge.transport import mqtt_answers, mqtt_requests, wire
from claudemem_edge.transport.answers import API, HealthAnswer
from claudemem_edge.transport.describe.shapes import Components
from claudemem_edge.transport.mqtt_topics import REPLY_TO
from claudemem_edge.transport.replies import JSON

if TYPE_CHECKING:
    from claudemem_edge.transport.describe.shapes import Schema
    from claudemem_edge.transport.fields import WireModel

BASE = "claudemem/{instance}"
PARAMETERS = {
    "instance": {"description": "Which daemon, by mqtt.instance in its settings.", "default": "home"},
    "scope": {"description": "Whose memory: a person, a room, a visit; [a-z0-9_-]{1,64}."},
}
DESCRIPTION = """\
Memory for small local language models, over MQTT. Every request gets one reply, on the topic beside it or on the
response topic that an MQTT 5 request names, with its correlation data. A request must not be retained.

Within one version of this API names and meanings stay. Fields, events and error codes may be added: let a client skip
what it does not know.
"""


@dataclass(slots=True, frozen=True)
class Call:
    """A kind of request: what is sent, and what comes back when it is carried out."""

    summary: str
    body: type[WireModel]
    reply: Any
    cancels: bool = False


@dataclass(slots=True, frozen=True)
class News:
    """What the daemon tells by itself. `shape` is None where the payload is no JSON."""

    name: str
    topic: str
    summary: str
    shape: Any = None


CALLS = {
    ("chat", "request"): Call("Ask for an answer.", mqtt_requests.AskIn, mqtt_answers.ChatReply, cancels=True),
    ("chat", "cancel"): Call("End a turn.", wire.CancelIn, mqtt_answers.StoppedReply),
    ("memory", "get"): Call("Show everything remembered.", mqtt_requests.GetIn, mqtt_answers.MemoryReply),
    ("memory", "observe"): Call("Learn without answering.", wire.ObserveIn, mqtt_answers.ObservedReply),
    ("memory", "context"): Call("Choose the block for a question.", wire.ContextIn, mqtt_answers.BlockReply),
    ("memory", "forget"): Call("Forget one thing, or everything.", wire.ForgetIn, mqtt_answers.ForgottenReply),
    ("pending", "set"): Call("Change what is pending.", wire.PendingIn, mqtt_answers.PendingReply),
}
NEWS = (
    News("status", "status", 'Retained, and our will: "online" or "offline".'),
    News("info", "info", "Retained: who we are.", mqtt_answers.Info),
    News("state", "state", "Retained: counts over all memories.", mqtt_answers.State),
    News("health", "health", "Retained: numbers and states.", HealthAnswer),
    News("error", "error", "What was wrong with a request that named nobody to answer.", mqtt_answers.Unreadable),
    News("accepted", "chat/{scope}/accepted", "The words of a request are learned.", mqtt_answers.AcceptedNews),
    News("delta", "chat/{scope}/delta", "A piece of an answer, where `stream` is true.", mqtt_answers.DeltaNews),
    News("due", "event/{scope}/due", "A reminder has become due.", mqtt_answers.DueNews),
)


def asyncapi() -> Schema:
    """Return the document. It is written from where a client stands: it sends requests and receives the rest."""
    components = Components()
    channels: dict[str, Schema] = {}
    operations: dict[str, Schema] = {}
    for news in NEWS:
        payload = components.answer(news.shape) if news.shape is not None else {"enum": ["online", "offline"]}
        channels[news.name] = _channel(news.topic, {news.name: payload}, plain=news.shape is None)
        operations[news.name] = {"action": "receive", "channel": _to(news.name), "summary": news.summary}
    for (first, last), call in CALLS.items():
        name = f"{first}_{last}"
        endings = [call.reply, mqtt_answers.FailedReply, *([mqtt_answers.CancelledReply] if call.cancels else [])]
        replies = {shape.__name__: components.answer(shape) for shape in endings}
        channels[name] = _channel(f"{first}/{{scope}}/{last}", {name: components.request(call.body)})
        channels[f"{name}_reply"] = _channel(f"{first}/{{scope}}/{REPLY_TO[first, last]}", replies)
        operations[name] = {
            "action": "send",
            "channel": _to(name),
            "summary": call.summary,
            "reply": {"channel": _to(f"{name}_reply")},
        }
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "claudemem-edge",
            "version": str(API),
            "description": DESCRIPTION,
            "license": {"name": "MIT"},
        },
        "servers": {"broker": {"host": "127.0.0.1:1883", "protocol": "mqtt", "description": "Any, by mqtt.host."}},
        "defaultContentType": JSON,
        "channels": channels,
        "operations": operations,
        "components": {"schemas": dict(sorted(components.schemas.items()))},
    }


def _channel(topic: str, payloads: dict[str, Schema], *, plain: bool = False) -> Schema:
    address = f"{BASE}/{topic}"
    content = {"contentType": "text/plain"} if plain else {}
    messages = {name: {"payload": payload, **content} for name, payload in payloads.items()}
    named = {name: told for name, told in PARAMETERS.items() if f"{{{name}}}" in address}
    return {"address": address, "parameters": named, "messages": messages}


def _to(channel: str) -> Schema:
    return {"$ref": f"#/channels/{channel}"}
