"""What clients call an API key is a token of ours, and opens the scope it is tied to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ollama
import openai
import pytest
from clients.step import MODEL
from fakes.fake_ollama import FakeOllama
from fakes.http_house import House, open_house, plain

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

KEY = "The spare key is under the blue pot."
CHAT: dict[str, Any] = {"model": MODEL, "messages": [{"role": "user", "content": KEY}]}


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with FakeOllama() as fake, open_house(tmp_path, fake, tokens=(("key-of-kim", ("kim",)),)) as opened:
        yield opened


async def test_openais_client(house: House) -> None:
    async with openai.AsyncOpenAI(base_url=f"{house.url}/v1", api_key="wrong", max_retries=0) as client:
        asking: Any = client.chat.completions
        with pytest.raises(openai.AuthenticationError, match="token"):
            await asking.create(**CHAT)
        client.api_key = "key-of-kim"
        await asking.create(**CHAT)
    assert house.said("user", "kim") == [plain(KEY)]
    assert house.sessions.scopes() == ("kim",)


async def test_ollamas_client(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    async with ollama.AsyncClient(house.url, trust_env=False) as stranger:
        with pytest.raises(ollama.ResponseError, match="token"):
            await stranger.chat(**CHAT)
    monkeypatch.setenv("OLLAMA_API_KEY", "key-of-kim")
    async with ollama.AsyncClient(house.url, trust_env=False) as member:
        await member.chat(**CHAT)
    assert house.said("user", "kim") == [plain(KEY)]
