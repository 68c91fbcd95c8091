"""A model server's reply on its way to a client that memory has no part in, and the shapes failures take on the way."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from claudemem_edge.errors import BackendUnreachable, EdgeError
from claudemem_edge.transport.ollama_stream import whole_lines, without_blank_lines
from claudemem_edge.transport.replies import JSON, NDJSON, error_body, json_bytes, shaped

if TYPE_CHECKING:
    from claudemem_edge.model.client import Relay
    from claudemem_edge.transport.live import Outlet

DOCUMENT_MOST_BYTES = 16 << 20
UPSTREAM_CODES = {404: "model_missing", 413: "too_long", 429: "busy", 503: "busy"}
OPENAI = "/v1/"


async def pass_back(outlet: Outlet, relay: Relay, method: str, path: str) -> None:
    """Send a reply on as it is: a refusal in the client's shape, lines whole, anything else byte for byte.

    Raises EdgeError when the server breaks off, after lines with their ending given.
    """
    content_type = relay.headers.get("content-type", JSON)
    if relay.status >= 400 and method != "HEAD":
        await refuse(outlet, relay, path, {})
        return
    await outlet.begin(content_type, relay.status, _sized(relay, content_type))
    if not content_type.startswith(NDJSON):
        async for chunk in relay.chunks:
            await outlet.write(chunk)
        await outlet.end()
        return
    try:
        async for lines in whole_lines(relay.chunks):
            await outlet.write(without_blank_lines(lines))
        await outlet.end()
    except EdgeError as error:
        await outlet.end(error_line(error, path))
        raise


async def refuse(outlet: Outlet, relay: Relay, path: str, headers: dict[str, str]) -> None:
    """Send a server's refusal on in the shape the client of this path reads."""
    retry = {"Retry-After": relay.headers["retry-after"]} if "retry-after" in relay.headers else {}
    body = with_code(await collected(relay), relay.status, path)
    await outlet.whole(body, JSON, relay.status, {**headers, **retry})


async def collected(relay: Relay) -> bytes:
    """Return a whole document. Raises BackendUnreachable when it is longer than any answer can be."""
    body = bytearray()
    async for chunk in relay.chunks:
        body += chunk
        if len(body) > DOCUMENT_MOST_BYTES:
            raise BackendUnreachable("the model's server sent more than any answer can be")
    return bytes(body)


def with_code(body: bytes, status: int, path: str) -> bytes:
    """Return a server's refusal as the client of this path reads one, with a stable code where it has none."""
    try:
        told: Any = json.loads(body)
    except (ValueError, RecursionError):
        told = None
    refusal = told if isinstance(told, dict) else {}
    error = refusal.get("error")
    known = UPSTREAM_CODES.get(status, "bad_request" if status < 500 else "backend_unreachable")
    if isinstance(error, dict) and path.startswith(OPENAI):
        return json_bytes({**refusal, "error": {**error, "code": error.get("code") or known}})
    sentence = error.get("message") if isinstance(error, dict) else error
    if not isinstance(sentence, str):
        sentence = f"the model's server failed with status {status}"
    if path.startswith(OPENAI):
        return json_bytes({"error": {"message": sentence, "type": known, "code": known}})
    return json_bytes({"code": known, **refusal, "error": sentence})


def error_line(error: EdgeError, path: str, text: str = "") -> bytes:
    """Return what ends a stream that failed: a line, or an event apart from half of another."""
    line = json_bytes(shaped(error_body(error, text), path))
    return b"\ndata: " + line + b"\n\n" if path.startswith(OPENAI) else line + b"\n"


def _sized(relay: Relay, content_type: str) -> dict[str, str]:
    """Return the headers to send on; lines may become fewer bytes than were announced."""
    dropped = {"content-type", "content-length"} if content_type.startswith(NDJSON) else {"content-type"}
    return {name: value for name, value in relay.headers.items() if name not in dropped}
