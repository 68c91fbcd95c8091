from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

from claudemem_edge.errors import TimedOut, Unsupported
from claudemem_edge.model.echo import EchoModel
from claudemem_edge.model.prompt import messages_for


async def test_the_echo_answers_with_block_and_question() -> None:
    model = EchoModel()
    chosen = await model.chosen()
    messages = messages_for(chosen.profile, "zh", "姓名：王芳", "我叫什么名字？")
    deadline_s = asyncio.get_running_loop().time() + 60
    pieces = [piece async for piece in model.stream(messages, chosen, deadline_s)]
    assert len(pieces) > 1
    assert "".join(pieces) == messages[-1]["content"]
    assert model.status()["name"] == "echo"
    await model.aclose()


async def test_the_echo_keeps_its_deadline() -> None:
    model = EchoModel()
    with pytest.raises(TimedOut):
        _ = [piece async for piece in model.stream([{"role": "user", "content": "a b"}], await model.chosen(), 0)]


async def test_the_echo_relays_nothing() -> None:
    with pytest.raises(Unsupported, match="/api/embed"):
        await EchoModel().relay("POST", "/api/embed", b"", {})


def test_the_http_library_is_loaded_with_the_first_request_only() -> None:
    code = (
        "import sys; from claudemem_edge.model.client import ModelClient; import claudemem_edge.model.echo;"
        "from claudemem_edge.shapes.options import ModelOptions; ModelClient(ModelOptions());"
        "print(sorted({'httpx', 'ollama', 'pydantic', 'h11'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
