"""What clients that cannot run here send, request by request: only the question changes on its way to the model.

Each file under recorded/ is one session of a client, in one scope. A request with `asks` holds somebody's question:
these words are learned, unless they come `again`. With `block` the question is put together with what is remembered;
without, the request goes on byte for byte. `spelled` is how the client writes JSON.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from clients.conftest import Desk
    from fakes.fake_ollama_wire import Recorded

pytestmark = pytest.mark.asyncio(loop_scope="module")

JSON = "application/json"
FILES = sorted((Path(__file__).parent / "recorded").glob("*.json"))
SESSIONS = {path.stem.replace("_", "-"): json.loads(path.read_text(encoding="utf-8")) for path in FILES}


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _go(value: Any) -> str:
    escaped = _compact(value)
    for letter in "<>&":
        escaped = escaped.replace(letter, f"\\u{ord(letter):04x}")
    return escaped


SPELLED: dict[str, Callable[[Any], str]] = {"compact": _compact, "spaced": json.dumps, "go": _go}


class Replay:
    """Plays one file through the daemon and watches what reaches the model's server."""

    def __init__(self, desk: Desk, scope: str, spelled: str) -> None:
        self._desk, self._scope, self._spell = desk, scope, SPELLED[spelled]
        self._asked: list[str] = []
        self._put: dict[str, str] = {}

    async def play(self, client: httpx.AsyncClient, request: dict[str, Any]) -> None:
        """Send one request and check all that is said of it."""
        body = self._spell(request["body"]).encode() if "body" in request else b""
        self._desk.fake.requests.clear()
        reply = await client.request(
            request["method"], f"/u/{self._scope}{request['path']}", content=body, headers={"Content-Type": JSON}
        )
        assert reply.status_code == request.get("status", 200), reply.text
        if reply.status_code == 404:
            _refused(request, reply)
            assert self._desk.fake.requests == []
        else:
            came = [one.body for one in self._desk.fake.requests if _what(one) == (request["method"], request["path"])]
            assert came, "the daemon asks the server on its own account too: this was not among it"
            self._check(request, body, came[-1])
        if "asks" in request and not request.get("again"):
            self._asked.append(_bare(request["asks"]))
        said = await self._desk.said(self._scope, "user")
        assert [_bare(text) for text in said] == self._asked

    def _check(self, request: dict[str, Any], body: bytes, sent: bytes) -> None:
        if "block" not in request:
            assert sent == body
            return
        before, question, after = body.rpartition(self._spell(request["asks"]).encode())
        assert question, "the question is in the request"
        assert sent.startswith(before)
        assert sent.endswith(after)
        put = json.loads(sent[len(before) : len(sent) - len(after)])
        assert request["asks"] in put
        assert request["block"] in put.replace(request["asks"], "")
        assert not request.get("again") or put == self._put[request["asks"]]
        self._put[request["asks"]] = put


def _bare(text: str) -> str:
    """Return a text without the mark that ends it, as statements are kept."""
    return text.rstrip(".?。？")


def _what(request: Recorded) -> tuple[str, str]:
    return request.method, request.path


def _refused(request: dict[str, Any], reply: httpx.Response) -> None:
    assert reply.headers["content-type"] == JSON
    if request["method"] != "HEAD":
        error = reply.json()["error"]
        assert isinstance(error["message"] if request["path"].startswith("/v1/") else error, str)


@pytest.mark.parametrize("name", SESSIONS)
async def test_only_the_question_changes_and_chores_teach_nothing(desk: Desk, name: str) -> None:
    session = SESSIONS[name]
    replay = Replay(desk, name, session["spelled"])
    async with httpx.AsyncClient(base_url=desk.url, trust_env=False) as client:
        for request in session["requests"]:
            try:
                await replay.play(client, request)
            except AssertionError as error:
                error.add_note(request["why"])
                raise
