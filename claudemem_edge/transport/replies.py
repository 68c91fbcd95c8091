"""HTTP answers: which status an error has, and the shape its JSON takes for the kind of client that asked."""

from __future__ import annotations

import json
import math
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from claudemem_edge.errors import EdgeError
from claudemem_edge.transport.render import error_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from claudemem_edge.shapes.turn import Failed
    from claudemem_edge.transport.answers import ErrorBody, TurnEvent

STATUS = {
    "bad_request": HTTPStatus.BAD_REQUEST,
    "too_long": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    "forbidden": HTTPStatus.FORBIDDEN,
    "unknown_scope": HTTPStatus.NOT_FOUND,
    "full": HTTPStatus.INSUFFICIENT_STORAGE,
    "busy": HTTPStatus.SERVICE_UNAVAILABLE,
    "expired": HTTPStatus.GONE,
    "timeout": HTTPStatus.GATEWAY_TIMEOUT,
    "backend_unreachable": HTTPStatus.BAD_GATEWAY,
    "model_missing": HTTPStatus.NOT_FOUND,
    "unsupported": HTTPStatus.NOT_FOUND,
    "shutdown": HTTPStatus.SERVICE_UNAVAILABLE,
}
JSON = "application/json"
NDJSON = "application/x-ndjson"
EVENT_STREAM = "text/event-stream"


class HttpRefusal(EdgeError):
    """A refusal whose status says more than its code does."""

    def __init__(
        self, status: int, code: str, message: str, *, hint: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.code = code  # type: ignore[misc] # one class for the few refusals that only HTTP knows
        self.headers = headers or {}


def status_of(error: EdgeError) -> int:
    """Return the HTTP status of an error."""
    return error.status if isinstance(error, HttpRefusal) else STATUS.get(error.code, HTTPStatus.INTERNAL_SERVER_ERROR)


def json_bytes(payload: Any) -> bytes:
    """Return JSON in UTF-8, on one line."""
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8", "replace")


def json_reply(payload: Any, status: int = HTTPStatus.OK, headers: Mapping[str, str] | None = None) -> Response:
    """Return a JSON response."""
    return Response(json_bytes(payload), status, dict(headers or {}), JSON)


def error_reply(error: EdgeError, path: str, text: str = "") -> Response:
    """Return an error as the client of this path expects it; `text` replaces its sentence."""
    body = error_body(error, text)
    headers = dict(error.headers) if isinstance(error, HttpRefusal) else {}
    if "retry_after_s" in body:
        headers["Retry-After"] = str(max(1, math.ceil(body["retry_after_s"])))
    return json_reply(shaped(body, path), status_of(error), headers)


def error_body(error: EdgeError, text: str = "") -> ErrorBody:
    """Return an error's fields. A sentence in the user's language stands alone: hints are English."""
    body = error_json(error, text)["error"]
    return {**body, "hint": ""} if text else body


def failed_reply(failed: Failed, body: TurnEvent) -> Response:
    """Return the ending of a turn that failed before anything of it was sent."""
    status = STATUS.get(failed.code, HTTPStatus.INTERNAL_SERVER_ERROR)
    headers = {"Retry-After": str(max(1, math.ceil(failed.retry_after_s)))} if failed.retry_after_s else {}
    return json_reply(body, status, headers)


def shaped(body: ErrorBody, path: str) -> dict[str, Any]:
    """Return an error's JSON: our own shape, Ollama's (`error` is a sentence) or OpenAI's (`error` has a message)."""
    if path.startswith(("/memory/", "/events", "/health", "/metrics")):
        return {"error": body}
    rest = {key: value for key, value in body.items() if key not in {"text", "hint"}}
    sentence = f"{body['text']}; {body['hint']}" if body["hint"] else body["text"]
    if path.startswith("/v1/"):
        return {"error": {"message": sentence, "type": body["code"], **rest}}
    return {"error": sentence, **rest}
