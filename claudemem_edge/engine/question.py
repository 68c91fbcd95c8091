"""Ollama's and OpenAI's questions, checked and turned into what llama.cpp takes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from claudemem_edge.engine.plain import plain_prompt

if TYPE_CHECKING:
    from claudemem_edge.engine.weights import Weights

OPTIONS = {
    "num_predict": "max_tokens",
    "temperature": "temperature",
    "top_k": "top_k",
    "top_p": "top_p",
    "min_p": "min_p",
    "typical_p": "typical_p",
    "seed": "seed",
    "stop": "stop",
    "repeat_penalty": "repeat_penalty",
    "repeat_last_n": "repeat_last_n",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
}
"""Ollama's name of a run-time option → llama.cpp's. All others are left alone: the model is loaded once."""
OPENAI_FIELDS = frozenset({*OPTIONS.values(), "response_format", "logit_bias"})
MAX_BODY_BYTES = 4 << 20


class Refused(Exception):
    """The request is not served; `status` and the words go to the caller, worded as Ollama words it."""

    def __init__(self, status: int, error: str) -> None:
        super().__init__(error)
        self.status = status
        self.error = error


@dataclass(slots=True, frozen=True)
class Job:
    """One generation: `kind` names llama.cpp's entry, `request` is what it gets. `chunked` is the caller's `stream`."""

    kind: Literal["chat", "text"]
    request: dict[str, Any]
    chunked: bool


def read_json(body: bytes) -> dict[str, Any]:
    """Return the object in a request body."""
    if not body:
        raise Refused(400, "missing request body")
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError):
        raise Refused(400, "the request body is not valid JSON") from None
    if not isinstance(asked, dict):
        raise Refused(400, "the request body is not a JSON object")
    return asked


def check_model(asked: dict[str, Any], weights: Weights) -> None:
    """Refuse every model but the one that is loaded."""
    name = asked.get("model") or asked.get("name")
    if not isinstance(name, str):
        raise Refused(400, "model is required")
    if name not in {weights.name, f"{weights.name}:latest", weights.name.removesuffix(":latest")}:
        raise Refused(404, f"model '{name}' not found")


def chat_job(asked: dict[str, Any], weights: Weights) -> Job | None:
    """Return the job of an /api/chat body; None when it only wants the model loaded."""
    messages = _messages(asked)
    return _job(asked, messages, weights) if messages else None


def generate_job(asked: dict[str, Any], weights: Weights) -> Job | None:
    """Return the job of an /api/generate body; None when it only wants the model loaded."""
    prompt, system = _text(asked, "prompt"), _text(asked, "system")
    if asked.get("suffix"):
        raise Refused(400, f"{weights.name} does not support insert")
    if not prompt:
        return None
    if asked.get("raw"):
        return Job("text", {"prompt": prompt, **_common(asked, weights)}, _flag(asked, "stream", default=True))
    opening = [{"role": "system", "content": system}] if system else []
    return _job(asked, [*opening, {"role": "user", "content": prompt}], weights)


def openai_job(asked: dict[str, Any], weights: Weights) -> Job:
    """Return the job of a /v1/chat/completions body."""
    messages = _messages(asked)
    if not messages:
        raise Refused(400, "messages is empty")
    _refuse_unsupported(asked, weights)
    request = {key: value for key, value in asked.items() if key in OPENAI_FIELDS and value is not None}
    if "max_completion_tokens" in asked:
        request["max_tokens"] = asked["max_completion_tokens"]
    return _prompted(messages, request, weights, chunked=_flag(asked, "stream", default=False))


def _job(asked: dict[str, Any], messages: list[dict[str, Any]], weights: Weights) -> Job:
    return _prompted(messages, _common(asked, weights), weights, chunked=_flag(asked, "stream", default=True))


def _prompted(messages: list[dict[str, Any]], request: dict[str, Any], weights: Weights, *, chunked: bool) -> Job:
    if not weights.plain:
        return Job("chat", {"messages": messages, **request}, chunked)
    prompt, stop = plain_prompt(messages)
    own = request.pop("stop", None) or []
    return Job("text", {"prompt": prompt, **request, "stop": [*stop, *_stops(own)]}, chunked)


def _stops(own: object) -> list[str]:
    stops = [own] if isinstance(own, str) else own
    if not isinstance(stops, list) or not all(isinstance(one, str) for one in stops):
        raise Refused(400, "stop is text, or a list of texts")
    return stops


def _messages(asked: dict[str, Any]) -> list[dict[str, Any]]:
    messages = asked.get("messages") or []
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        raise Refused(400, "messages is a list of objects")
    for message in messages:
        if not isinstance(message.get("role"), str) or not isinstance(message.get("content") or "", str):
            raise Refused(400, "a message has a role and content as text")
        if message.get("images"):
            raise Refused(400, "this model does not support images")
    return [{"role": message["role"], "content": message.get("content") or ""} for message in messages]


def _common(asked: dict[str, Any], weights: Weights) -> dict[str, Any]:
    """Return the options and the wanted format, in llama.cpp's words."""
    _refuse_unsupported(asked, weights)
    options = asked.get("options") or {}
    if not isinstance(options, dict):
        raise Refused(400, "options is an object")
    request = {OPTIONS[key]: value for key, value in options.items() if key in OPTIONS and value is not None}
    wanted = asked.get("format")
    if wanted == "json":
        request["response_format"] = {"type": "json_object"}
    elif isinstance(wanted, dict):
        request["response_format"] = {"type": "json_schema", "json_schema": {"schema": wanted}}
    elif wanted:
        raise Refused(400, "format is json or a JSON schema")
    return request


def _refuse_unsupported(asked: dict[str, Any], weights: Weights) -> None:
    for field, ability in (("tools", "tools"), ("think", "thinking"), ("images", "images")):
        if asked.get(field):
            raise Refused(400, f"{weights.name} does not support {ability}")


def _text(asked: dict[str, Any], key: str) -> str:
    value = asked.get(key)
    if value is not None and not isinstance(value, str):
        raise Refused(400, f"{key} is text")
    return value or ""


def _flag(asked: dict[str, Any], key: str, *, default: bool) -> bool:
    value = asked.get(key)
    return default if value is None else bool(value)
