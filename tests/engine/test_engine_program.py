from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import httpx
import ollama
import pytest

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

pytestmark = pytest.mark.real_model

MODEL = "smollm2:135m"
GREEDY: dict[str, Any] = {"temperature": 0, "num_predict": 16}
CAPITAL = "The capital of France is Paris. What is the capital of France?"


@pytest.fixture
async def official(smollm2: Path) -> AsyncIterator[ollama.AsyncClient]:
    transport = httpx.AsyncHTTPTransport(uds=str(smollm2))
    async with ollama.AsyncClient(host="http://engine", transport=transport, timeout=60) as client:
        yield client


@pytest.fixture
async def raw(smollm2: Path) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.AsyncHTTPTransport(uds=str(smollm2))
    async with httpx.AsyncClient(base_url="http://engine", transport=transport, timeout=60) as client:
        yield client


def said(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


async def test_it_lists_its_one_model(official: ollama.AsyncClient) -> None:
    (row,) = (await official.list()).models
    assert (row.model, row.size) == (MODEL, 98_362_432)
    assert row.digest == "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
    (loaded,) = (await official.ps()).models
    assert (loaded.model, loaded.context_length) == (MODEL, 1024)
    shown = await official.show(MODEL)
    assert shown.capabilities == ["completion"]
    assert shown.details is not None
    assert (shown.details.family, shown.details.quantization_level) == ("llama", "Q4_1")


async def test_it_answers_whole_and_in_pieces_alike(official: ollama.AsyncClient) -> None:
    question = said(CAPITAL)
    whole = await official.chat(MODEL, question, options=GREEDY)
    parts = [part async for part in await official.chat(MODEL, question, options=GREEDY, stream=True)]
    assert "Paris" in (whole.message.content or "")
    assert "Paris" in "".join(part.message.content or "" for part in parts)
    assert [part.done for part in parts] == [False] * (len(parts) - 1) + [True]
    for last in (whole, parts[-1]):
        assert last.done_reason in {"stop", "length"}
        assert (last.prompt_eval_count or 0) > 20
        assert 0 < (last.eval_count or 0) <= 16


async def test_it_continues_a_raw_prompt(official: ollama.AsyncClient) -> None:
    raw = await official.generate(MODEL, "The capital of France is", raw=True, options=GREEDY | {"num_predict": 2})
    assert str(raw.response).startswith(" Paris")
    asked = await official.generate(MODEL, CAPITAL, system="Be brief.", options=GREEDY)
    assert "Paris" in str(asked.response)


async def test_it_keeps_to_a_format(official: ollama.AsyncClient) -> None:
    schema = {"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"]}
    answer = await official.chat(MODEL, said("A person of 22"), format=schema, options=GREEDY | {"num_predict": 40})
    assert '"age"' in (answer.message.content or "")


async def test_an_empty_question_only_wants_it_loaded(official: ollama.AsyncClient) -> None:
    assert (await official.chat(MODEL, [])).done_reason == "load"
    assert (await official.generate(MODEL)).done_reason == "load"


@pytest.mark.parametrize(
    ("call", "arguments", "status", "error"),
    [
        ("chat", {"model": "nobody", "messages": said("Hi")}, 404, "model 'nobody' not found"),
        ("show", {"model": "nobody"}, 404, "model 'nobody' not found"),
        ("chat", {"model": MODEL, "messages": said("word " * 2000)}, 400, "exceeds the available context size"),
        ("chat", {"model": MODEL, "messages": said("Hi"), "options": {"top_k": "warm"}}, 400, "type must be number"),
        ("chat", {"model": MODEL, "messages": said("Hi"), "think": True}, 400, "does not support thinking"),
        ("embed", {"model": MODEL, "input": "Hi"}, 501, "makes no embeddings"),
    ],
)
async def test_what_it_cannot_do_it_says(
    call: str, arguments: dict[str, Any], status: int, error: str, official: ollama.AsyncClient
) -> None:
    with pytest.raises(ollama.ResponseError, match=error) as refused:
        await getattr(official, call)(**arguments)
    assert refused.value.status_code == status


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/api/chat", b"", 400),
        ("POST", "/api/chat", b"{", 400),
        ("POST", "/api/chat", b"\xff", 400),
        ("POST", "/api/chat", b"[" * 100_000, 400),
        ("POST", "/api/chat", b"[]", 400),
        ("POST", "/api/chat", b"{}", 400),
        ("POST", "/api/chat", b"x" * (5 << 20), 413),
        ("DELETE", "/api/delete", b"", 404),
        ("HEAD", "/", b"", 200),
        ("GET", "/api/version", b"", 200),
        ("GET", "/v1/models", b"", 200),
    ],
)
async def test_bad_requests_get_an_answer(
    method: str, path: str, body: bytes, status: int, raw: httpx.AsyncClient
) -> None:
    answer = await raw.request(method, path, content=body)
    assert answer.status_code == status
    assert status == 200 or answer.json()["error"]


async def test_openai_clients_are_served_too(raw: httpx.AsyncClient) -> None:
    body = {"model": MODEL, "messages": said(CAPITAL), "max_tokens": 12, "temperature": 0}
    whole = (await raw.post("/v1/chat/completions", json=body)).json()
    assert "Paris" in whole["choices"][0]["message"]["content"]
    assert whole["usage"]["completion_tokens"] <= 12
    events = (await raw.post("/v1/chat/completions", json={**body, "stream": True})).text.strip().split("\n\n")
    assert events[-1] == "data: [DONE]"
    assert all(event.startswith("data: {") for event in events[:-1])


@pytest.mark.parametrize("stream", [True, False])
async def test_when_the_caller_leaves_the_model_stops(stream: bool, raw: httpx.AsyncClient) -> None:  # noqa: FBT001
    story = {"model": MODEL, "messages": said("Tell me a very long story."), "stream": stream}
    story["options"] = {"num_predict": 900, "seed": 1}
    if stream:
        async with raw.stream("POST", "/api/chat", json=story) as answer:
            await anext(answer.aiter_raw())
    else:
        with pytest.raises(httpx.ReadTimeout):
            await raw.post("/api/chat", json=story, timeout=0.5)
    # Nine hundred tokens take half a minute here; this waits until the model is free again, and no longer.
    short = {"model": MODEL, "messages": said("Hi"), "stream": False, "options": {"num_predict": 1}}
    assert (await raw.post("/api/chat", json=short, timeout=20)).json()["done"]


async def test_what_was_read_once_is_not_read_again(raw: httpx.AsyncClient) -> None:
    messages = [{"role": "system", "content": "You are a helpful assistant. " * 12}, *said("Good morning.")]
    first = await _timings(raw, messages)
    messages += [{"role": "assistant", "content": "Good morning."}, *said("How are you?")]
    second = await _timings(raw, messages)
    assert first["cache_n"] + first["prompt_n"] > 80
    assert second["prompt_n"] < 40
    assert second["cache_n"] > 60


async def _timings(raw: httpx.AsyncClient, messages: list[dict[str, str]]) -> dict[str, int]:
    body = {"model": MODEL, "messages": messages, "stream": False, "options": {"num_predict": 1, "temperature": 0}}
    timings: dict[str, int] = (await raw.post("/api/chat", json=body)).json()["timings"]
    return timings


def test_only_the_owner_may_use_the_socket(smollm2: Path) -> None:
    assert stat.S_IMODE(smollm2.stat().st_mode) == 0o600


def run_engine(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "claudemem_edge.engine", "--threads", "1", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)


def test_a_socket_that_is_taken_is_left_alone(smollm2: Path) -> None:
    ended = run_engine("--socket", str(smollm2), "--context-tokens", "256")
    assert ended.returncode == 78
    assert "another program serves there" in ended.stderr
    assert smollm2.exists()


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("nothing.gguf", "there is no model file"),
        ("phi4", "no model phi4 is known here. give a file.gguf, or one of smollm2:135m"),
        (__file__ + ".gguf", "there is no model file"),
    ],
)
def test_without_a_model_it_says_what_to_do(model: str, words: str, tmp_path: Path) -> None:
    ended = run_engine("--socket", str(tmp_path / "e.sock"), "--model", model)
    assert ended.returncode == 78
    assert words in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("end", ["terminate", "parent"])
def test_it_ends_when_it_is_told_to_or_its_parent_ends(end: str, tmp_path: Path) -> None:
    socket = tmp_path / "e.sock"
    command = [sys.executable, "-m", "claudemem_edge.engine", "--threads", "1", "--context-tokens", "256"]
    child = subprocess.Popen(
        [*command, "--socket", str(socket), "--with-parent"], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdin is not None
    assert child.stderr is not None
    assert any("serving" in line for line in child.stderr)
    os.kill(child.pid, signal.SIGINT)  # Ctrl-C at the parent's terminal is not for it
    if end == "terminate":
        child.terminate()
    else:
        child.stdin.close()
    assert child.wait(30) == 0
    child.stderr.close()
    child.stdin.close()
    assert not socket.exists()
