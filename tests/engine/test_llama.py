from __future__ import annotations

import asyncio
import threading
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

import pytest

from claudemem_edge.engine.llama import MAX_WAITING, Llama
from claudemem_edge.engine.question import Job, Refused

if TYPE_CHECKING:
    from collections.abc import Callable

JOB = Job("chat", {"messages": []}, chunked=True)
TEXT = Job("text", {"prompt": ""}, chunked=True)


def chat_chunk(text: str | None, reason: str | None = None) -> dict[str, Any]:
    return {"choices": [{"delta": {"content": text}, "finish_reason": reason}], "timings": {"prompt_n": 7}}


class ScriptedServer:
    """Calls back with each chunk in turn, from its own thread as llama.cpp does; notes whether it was stopped."""

    def __init__(self, *chunks: dict[str, Any], endless: bool = False, failure: Exception | None = None) -> None:
        self.chunks = chunks
        self.endless = endless
        self.failure = failure
        self.running = 0
        self.started = threading.Event()
        self.stopped = threading.Event()

    def handle_chat_completions(self, request: dict[str, Any], callback: Callable[[dict[str, Any]], bool], /) -> None:
        assert request["stream"] is True
        self.running += 1
        assert self.running == 1
        self.started.set()
        try:
            if self.failure is not None:
                raise self.failure
            for chunk in self.chunks:
                if callback(chunk):
                    self.stopped.set()
                    return
            while self.endless:
                self.stopped.wait(0.001)
                if callback({"prompt_progress": {}}):
                    self.stopped.set()
                    return
        finally:
            self.running -= 1

    handle_completions = handle_chat_completions


async def gathered(llama: Llama, job: Job = JOB) -> list[tuple[str, str]]:
    return [(piece.text, piece.reason) async for piece in llama.answer(job)]


async def test_progress_is_no_text_and_the_end_has_a_reason() -> None:
    chunks = (chat_chunk(None), chat_chunk("Hel"), chat_chunk("lo"), chat_chunk(None, "stop"))
    assert await gathered(Llama(ScriptedServer(*chunks))) == [("Hel", ""), ("lo", ""), ("", "stop")]
    text = {"choices": [{"text": "Hi", "finish_reason": "length"}], "timings": {"prompt_n": 1}}
    assert await gathered(Llama(ScriptedServer(text)), TEXT) == [("Hi", "length")]


async def test_closing_the_answer_stops_the_model_and_frees_the_slot() -> None:
    server = ScriptedServer(chat_chunk("Once"), endless=True)
    llama = Llama(server)
    async with aclosing(llama.answer(JOB)) as pieces:
        assert (await anext(pieces)).text == "Once"
        assert not server.stopped.is_set()
    assert server.stopped.is_set()
    server.endless = False
    assert await gathered(llama) == [("Once", "")]


async def test_a_cancelled_answer_stops_the_model_before_its_first_word() -> None:
    server = ScriptedServer(endless=True)
    llama = Llama(server)
    task = asyncio.create_task(gathered(llama))
    await asyncio.to_thread(server.started.wait)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert server.stopped.is_set()


async def test_one_answer_at_a_time_and_only_so_many_wait() -> None:
    server = ScriptedServer(chat_chunk("x", "stop"), endless=True)
    llama = Llama(server)
    first = llama.answer(JOB)
    await anext(first)
    waiting = [asyncio.create_task(gathered(llama)) for _ in range(MAX_WAITING)]
    await asyncio.sleep(0)
    with pytest.raises(Refused, match="server busy") as refused:
        await gathered(llama)
    assert refused.value.status == 503
    server.endless = False
    await first.aclose()
    assert await asyncio.gather(*waiting) == [[("x", "stop")]] * MAX_WAITING


@pytest.mark.parametrize(
    ("server", "status", "error"),
    [
        (ScriptedServer({"error": {"code": 400, "message": "too long"}}), 400, "too long"),
        (ScriptedServer({"error": {}}), 500, "the model failed"),
        (ScriptedServer(failure=ValueError("words of a user")), 400, "wrong option or message"),
        (ScriptedServer(failure=RuntimeError("words of a user")), 500, "the model failed"),
    ],
)
async def test_every_failure_is_a_refusal(server: ScriptedServer, status: int, error: str) -> None:
    llama = Llama(server)
    for _ in range(2):
        with pytest.raises(Refused, match=error) as refused:
            await gathered(llama)
        assert refused.value.status == status
        assert "words" not in refused.value.error
