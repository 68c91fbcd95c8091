"""Real clients in front of a real daemon: what each of them can be asked, and what it gets to know of failures."""

from __future__ import annotations

import asyncio
import itertools
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
from clients.python_clients import chat_ollama, ollama_async, ollama_sync, openai_async
from clients.step import FOUND, MODEL, Ask, Heard, Step
from fakes.http_house import plain

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from clients.conftest import Desk
    from clients.node_clients import Node
    from fakes.fake_ollama_modes import Piece

pytestmark = pytest.mark.asyncio(loop_scope="module")

PYTHON: dict[str, Ask] = {
    "ollama-python": ollama_sync,
    "ollama-python-async": ollama_async,
    "openai-python": openai_async,
    "langchain-ollama": chat_ollama,
}
OPENAI = {"openai-python", "openai-npm"}
OLLAMA = ["ollama-python", "ollama-python-async", "ollama-npm"]
CLIENTS = [*PYTHON, "ollama-npm", "openai-npm"]
KEY = "The spare key is under the blue pot."
WHERE = "Where is the spare key?"
SCOPES = itertools.count()
KEPT = ["It", " is", " kept", "."]
CALL = {"name": "look", "arguments": {"room": "hall"}}
OPENAI_CALL = {"id": "call_7", "type": "function", "function": {"name": "look", "arguments": '{"room": "hall"}'}}

every_client = pytest.mark.parametrize("name", CLIENTS)


class Talk:
    """One client in a scope of its own."""

    def __init__(self, desk: Desk, ask: Ask, scope: str) -> None:
        self._desk, self._ask, self.scope = desk, ask, scope

    async def __call__(self, do: str, text: str = "", model: str = MODEL, **more: Any) -> Heard:
        async with asyncio.timeout(60):
            return await self._ask(Step(do, f"{self._desk.url}/u/{self.scope}", text, model, more))

    async def said(self, speaker: str) -> list[str]:
        return [plain(text) for text in await self._desk.said(self.scope, speaker)]


@pytest.fixture
def talk(desk: Desk, node: Node, name: str) -> Talk:
    ask = PYTHON.get(name) or {"ollama-npm": node.ollama, "openai-npm": node.openai}[name]
    desk.fake.requests.clear()
    desk.fake.closes.clear()
    return Talk(desk, ask, f"{name}-{next(SCOPES)}")


@every_client
async def test_what_is_told_in_one_call_is_in_the_block_of_the_next(desk: Desk, talk: Talk) -> None:
    told = await talk("chat", KEY)
    asked = await talk("stream", WHERE)
    assert (told.text, told.error) == ("It is kept.", "")
    assert (asked.pieces, asked.error) == (KEPT, "")
    last = desk.fake.asked[-1].json["messages"][-1]["content"]
    assert "blue pot" in last
    assert WHERE in last
    assert await talk.said("user") == [plain(KEY), plain(WHERE)]


@every_client
@pytest.mark.parametrize("do", ["chat", "stream"])
async def test_a_reminder_is_answered_without_a_model(desk: Desk, talk: Talk, do: str) -> None:
    heard = await talk(do, "Remind me to call Tom tomorrow at 10 am.")
    assert "call Tom" in heard.text
    assert (heard.error, desk.fake.requests) == ("", [])


@every_client
async def test_a_tool_round_asks_with_the_same_words_and_teaches_nothing(desk: Desk, talk: Talk, name: str) -> None:
    await talk("chat", KEY)
    call: list[Piece] = [{"content": "", "tool_calls": [OPENAI_CALL if name in OPENAI else {"function": CALL}]}]
    desk.fake.next("normal", pieces=call)
    heard = await talk("tools", WHERE)
    assert [(one["name"], one["room"]) for one in heard.calls] == [("look", "hall")]
    assert (heard.text, heard.error) == ("It is kept.", "")
    first, second = (request.json["messages"] for request in desk.fake.asked[-2:])
    assert "blue pot" in first[0]["content"]
    assert second[0] == first[0]
    assert second[-1]["content"] == FOUND
    assert await talk.said("user") == [plain(KEY), plain(WHERE)]
    if name in OPENAI:
        assert (heard.calls[0]["id"], second[-1]["tool_call_id"]) == ("call_7", "call_7")
        assert second[1]["tool_calls"][0]["id"] == "call_7"


@every_client
async def test_a_form_to_fill_in_goes_on_as_it_is_and_teaches_nothing(desk: Desk, talk: Talk, name: str) -> None:
    form = {"response_format": {"type": "json_object"}} if name in OPENAI else {"format": "json"}
    heard = await talk("chat", KEY, **form)
    assert (heard.text, heard.error) == ("It is kept.", "")
    asked = desk.fake.asked[-1].json
    assert (asked["messages"], {key: asked[key] for key in form}) == ([{"role": "user", "content": KEY}], form)
    assert await talk.said("user") == []


@every_client
async def test_words_come_whole_wherever_the_network_cuts(desk: Desk, talk: Talk) -> None:
    desk.fake.split_bytes = 3
    try:
        desk.fake.next("normal", pieces=["钥匙在", "蓝色花盆下面", "🙂"])
        heard = await talk("stream", "备用钥匙在哪里？")
    finally:
        desk.fake.split_bytes = 0
    assert (heard.pieces, heard.error) == (["钥匙在", "蓝色花盆下面", "🙂"], "")


@every_client
async def test_a_model_that_is_missing_is_told_as_such(talk: Talk) -> None:
    heard = await talk("chat", KEY, "nobody:7b")
    assert (heard.status, heard.text) == (404, "")
    assert "nobody:7b" in heard.error


@every_client
async def test_a_server_that_is_down_is_told_and_what_was_said_stays(desk: Desk, talk: Talk) -> None:
    await desk.fake.stop()
    try:
        heard = await talk("chat", KEY)
    finally:
        await desk.fake.start()
    assert heard.status == 502
    assert "language model" in heard.error
    assert await talk.said("user") == [plain(KEY)]
    assert (await talk("chat", WHERE)).error == ""
    assert "blue pot" in desk.fake.asked[-1].text


@asynccontextmanager
async def _busy(desk: Desk) -> AsyncIterator[None]:
    """Keep the one place of the model taken."""
    desk.fake.next("gated")
    body = {"model": MODEL, "messages": [{"role": "user", "content": "Tell me a story."}]}
    other = asyncio.ensure_future(desk.own.post("/u/other/api/chat", json=body))
    await desk.fake.wait_asked()
    yield
    desk.fake.release(4)
    assert (await other).status_code == 200


@every_client
async def test_a_model_that_has_all_it_can_do_is_told_in_the_clients_own_shape(desk: Desk, talk: Talk) -> None:
    async with _busy(desk):
        heard = await talk("stream", KEY)
    assert (heard.status, heard.pieces) == (503, [])
    assert "busy" in heard.error
    assert await talk.said("user") == [plain(KEY)]


@every_client
@pytest.mark.parametrize("mode", ["reset", "no_done", "half_line", "error_line"])
async def test_an_answer_that_breaks_off_is_an_error_and_is_not_remembered(desk: Desk, talk: Talk, mode: str) -> None:
    desk.fake.next(mode, after=2)
    heard = await talk("stream", KEY)
    assert heard.pieces == ["It", " is"]
    assert heard.error
    assert await talk.said("user") == [plain(KEY)]
    assert await talk.said("assistant") == []


@every_client
async def test_leaving_in_the_middle_stops_the_model(desk: Desk, talk: Talk) -> None:
    desk.fake.next("gated")
    desk.fake.release(1)
    heard = await talk("leave", KEY)
    assert (heard.pieces, heard.error) == (["It"], "")
    assert (await desk.fake.wait_closed()).pieces == 1
    assert await talk.said("assistant") == []


@pytest.mark.parametrize("name", OLLAMA)
async def test_ollamas_clients_list_show_embed_and_generate(desk: Desk, talk: Talk, name: str) -> None:
    assert (await talk("list")).names == [MODEL]
    assert (await talk("show")).names == ["completion"]
    assert (await talk("ps")).names == []
    assert (await talk("embed", KEY)).numbers == [0.1, 0.2]
    assert (await talk("generate", KEY)).text == "It is kept."
    assert (await talk("generate", WHERE)).text == "It is kept."
    assert "blue pot" in desk.fake.asked[-1].json["prompt"]
    assert await talk.said("user") == [plain(KEY), plain(WHERE)]
    if name == "ollama-npm":  # the only one that asks for it
        assert (await talk("version")).text == "0.12.6"


@pytest.mark.parametrize("name", sorted(OPENAI))
async def test_openais_clients_list_and_embed(talk: Talk) -> None:
    assert (await talk("list")).names == [MODEL]
    assert (await talk("embed", KEY)).numbers == [0.1, 0.2]


@pytest.mark.parametrize("name", sorted(OPENAI))
async def test_what_openais_clients_ask_for_besides_reaches_the_server(desk: Desk, talk: Talk) -> None:
    more: dict[str, Any] = {"n": 2, "stream_options": {"include_usage": True}, "seed": 7, "user": "kim"}
    heard = await talk("stream", KEY, **more)
    assert heard.pieces == KEPT
    asked = desk.fake.asked[-1].json
    assert {key: asked[key] for key in more} == more
