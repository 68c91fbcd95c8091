"""Answers as Ollama and OpenAI word them: lines of a stream, or one document."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from claudemem_edge.engine.llama import Piece
    from claudemem_edge.engine.weights import Weights


class Wording(Protocol):
    """How one route words an answer."""

    content_type: str

    def part(self, text: str) -> bytes:
        """Return a piece of a stream."""

    def end(self, last: Piece) -> bytes:
        """Return what ends a stream."""

    def whole(self, text: str, last: Piece) -> dict[str, Any]:
        """Return the whole answer as one document."""

    def failure(self, error: str) -> bytes:
        """Return what tells of a failure in mid-stream."""


class OllamaWording:
    """/api/chat with `message`, /api/generate with `response`."""

    content_type = "application/x-ndjson"

    def __init__(self, model: str, *, chat: bool) -> None:
        self._model = model
        self._chat = chat
        self._began_s = time.monotonic()

    def part(self, text: str) -> bytes:
        """Return a line with a piece of text."""
        return _line(self._row(text) | {"done": False})

    def end(self, last: Piece) -> bytes:
        """Return the line that says done."""
        return _line(self.whole("", last))

    def whole(self, text: str, last: Piece) -> dict[str, Any]:
        """Return text and counts; `timings` are llama.cpp's, with the tokens that came from its prompt cache."""
        counts = last.timings
        return self._row(text) | {
            "done": True,
            "done_reason": last.reason,
            "total_duration": int((time.monotonic() - self._began_s) * 1e9),
            "load_duration": 0,
            "prompt_eval_count": int(counts.get("cache_n", 0) + counts.get("prompt_n", 0)),
            "prompt_eval_duration": int(counts.get("prompt_ms", 0) * 1e6),
            "eval_count": int(counts.get("predicted_n", 0)),
            "eval_duration": int(counts.get("predicted_ms", 0) * 1e6),
            "timings": counts,
        }

    def failure(self, error: str) -> bytes:
        """Return the line that tells of a failure."""
        return _line({"error": error})

    def loaded(self) -> dict[str, Any]:
        """Return the answer to a request that only wants the model loaded: it is, and it stays."""
        return self._row("") | {"done": True, "done_reason": "load"}

    def _row(self, text: str) -> dict[str, Any]:
        said = {"message": {"role": "assistant", "content": text}} if self._chat else {"response": text}
        return {"model": self._model, "created_at": _now(), **said}


class OpenaiWording:
    """/v1/chat/completions."""

    content_type = "text/event-stream"

    def __init__(self, model: str) -> None:
        self._model = model
        self._created_s = int(time.time())

    def part(self, text: str) -> bytes:
        """Return an event with a piece of text."""
        return self._event({"role": "assistant", "content": text}, None)

    def end(self, last: Piece) -> bytes:
        """Return the events that end a stream."""
        return self._event({}, last.reason) + b"data: [DONE]\n\n"

    def whole(self, text: str, last: Piece) -> dict[str, Any]:
        """Return the whole answer."""
        counts = last.timings
        prompt, answer = (int(counts.get(key, 0)) for key in ("prompt_n", "predicted_n"))
        prompt += int(counts.get("cache_n", 0))
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": last.reason}
        usage = {"prompt_tokens": prompt, "completion_tokens": answer, "total_tokens": prompt + answer}
        return self._frame("chat.completion") | {"choices": [choice], "usage": usage}

    def failure(self, error: str) -> bytes:
        """Return the event that tells of a failure."""
        return b"data: " + _line({"error": {"message": error}}) + b"\n"

    def _event(self, delta: dict[str, str], reason: str | None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return b"data: " + _line(self._frame("chat.completion.chunk") | {"choices": [choice]}) + b"\n"

    def _frame(self, kind: str) -> dict[str, Any]:
        return {"id": f"chatcmpl-{self._created_s}", "object": kind, "created": self._created_s, "model": self._model}


def model_row(weights: Weights) -> dict[str, Any]:
    """Return the model's row in /api/tags."""
    return {
        "name": weights.name,
        "model": weights.name,
        "modified_at": datetime.fromtimestamp(weights.path.stat().st_mtime, UTC).isoformat(),
        "size": weights.size_bytes,
        "digest": weights.digest,
        "details": {
            "parent_model": "",
            "format": "gguf",
            "family": weights.family,
            "families": [weights.family],
            "parameter_size": weights.parameter_size,
            "quantization_level": weights.quantization,
        },
        "capabilities": ["completion"],
    }


def loaded_row(weights: Weights, context_tokens: int) -> dict[str, Any]:
    """Return the model's row in /api/ps; it never expires."""
    more = {"expires_at": "9999-12-31T00:00:00Z", "size_vram": 0, "context_length": context_tokens}
    return model_row(weights) | more


def shown(weights: Weights, context_tokens: int) -> dict[str, Any]:
    """Return the answer of /api/show."""
    row = model_row(weights)
    info = {"general.architecture": weights.family, f"{weights.family}.context_length": weights.context_tokens}
    return {
        "modelfile": f"FROM {weights.path.name}",
        "parameters": f"num_ctx {context_tokens}",
        "template": "" if weights.plain else "(in the model file)",
        "model_info": info,
        **{key: row[key] for key in ("details", "capabilities", "modified_at")},
    }


def _line(payload: dict[str, Any]) -> bytes:
    return json.dumps(payload, ensure_ascii=False).encode() + b"\n"


def _now() -> str:
    return datetime.now(UTC).isoformat()
