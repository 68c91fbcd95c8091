"""Our own words in the shape of a language model's answer: Ollama's lines, OpenAI's events, or one document."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from claudemem_edge.transport.replies import EVENT_STREAM, NDJSON, json_bytes, json_reply

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from claudemem_edge.transport.ollama_prompt import Question

    Say = Callable[[Question, str, Mapping[str, str]], Response]

ENDING: dict[str, Any] = {
    "done": True,
    "done_reason": "stop",
    "total_duration": 0,
    "load_duration": 0,
    "prompt_eval_count": 0,
    "prompt_eval_duration": 0,
    "eval_count": 0,
    "eval_duration": 0,
}


def say_chat(question: Question, text: str, headers: Mapping[str, str]) -> Response:
    """Answer as /api/chat does."""
    return _lines(question, {"message": _spoken(text)}, {"message": _spoken("")}, headers)


def say_generated(question: Question, text: str, headers: Mapping[str, str]) -> Response:
    """Answer as /api/generate does."""
    return _lines(question, {"response": text}, {"response": ""}, headers)


def say_completion(question: Question, text: str, headers: Mapping[str, str]) -> Response:
    """Answer as /v1/chat/completions does."""
    created = datetime.now(UTC)
    head = {
        "id": f"chatcmpl-{int(created.timestamp() * 1e6)}",
        "created": int(created.timestamp()),
        "model": question.model,
    }
    if not question.stream:
        choice = {"index": 0, "message": _spoken(text), "finish_reason": "stop"}
        usage = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
        return json_reply({**head, "object": "chat.completion", "choices": [choice], "usage": usage}, headers=headers)
    head["object"] = "chat.completion.chunk"
    words = {"index": 0, "delta": _spoken(text), "finish_reason": None}
    ending = {"index": 0, "delta": {}, "finish_reason": "stop"}
    events = [*(json_bytes({**head, "choices": [choice]}) for choice in (words, ending)), b"[DONE]"]
    return Response(b"".join(b"data: " + event + b"\n\n" for event in events), 200, dict(headers), EVENT_STREAM)


def _lines(question: Question, words: dict[str, Any], nothing: dict[str, Any], headers: Mapping[str, str]) -> Response:
    """Give a line of words and the line that ends it, or both in one document."""
    created = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    stamp = {"model": question.model, "created_at": created}
    if not question.stream:
        return json_reply({**stamp, **words, **ENDING}, headers=headers)
    rows = ({**stamp, **words, "done": False}, {**stamp, **nothing, **ENDING})
    return Response(b"".join(json_bytes(row) + b"\n" for row in rows), 200, dict(headers), NDJSON)


def _spoken(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}
