"""llama.cpp in this process: one model, one answer at a time, stopped as soon as nobody wants it any more."""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from claudemem_edge.engine.question import Job, Refused
from claudemem_edge.errors import ModelMissing, Unsupported

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from claudemem_edge.engine.weights import Weights

MAX_WAITING = 8
BATCH_TOKENS = 128
"""An abandoned question is noticed after each batch of its prompt, so that a slow machine is not held up by it."""


@dataclass(slots=True, frozen=True)
class Piece:
    """A part of the answer, or its end: then `reason` is stop or length, and `timings` llama.cpp's own counts."""

    text: str = ""
    reason: str = ""
    timings: dict[str, float] = field(default_factory=dict)


OnChunk = Callable[[dict[str, Any]], bool]
"""What llama.cpp calls for each chunk; True stops the answer."""


class Server(Protocol):
    """The part of xllamacpp's server that is used."""

    def handle_chat_completions(self, request: dict[str, Any], callback: OnChunk, /) -> object:
        """Answer messages through the model's chat template."""

    def handle_completions(self, request: dict[str, Any], callback: OnChunk, /) -> object:
        """Continue a prompt."""


def load(weights: Weights, *, threads: int, context_tokens: int, prompt_cache_mib: int) -> Server:
    """Load the model; this holds the whole process up. Raises Unsupported or ModelMissing with what to do."""
    try:
        import xllamacpp  # noqa: PLC0415  an extra; the environment must be set before it loads its library
    except ImportError:
        hint = "pip install 'claudemem-edge[embedded]'; on Debian also: apt-get install libgomp1 libstdc++6"
        raise Unsupported(
            "the embedded engine needs xllamacpp, which is not installed or cannot load", hint=hint
        ) from None
    params = xllamacpp.CommonParams()
    params.model.path = str(weights.path)
    params.model_alias = {weights.name}
    params.n_ctx = context_tokens
    params.n_batch = params.n_ubatch = BATCH_TOKENS
    params.n_parallel = 1
    params.cache_ram_mib = prompt_cache_mib
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    # The library opens a port on the loopback by itself; nobody but us has the key to it.
    params.api_keys = [secrets.token_hex()]
    params.ui = params.endpoint_slots = params.endpoint_props = params.endpoint_metrics = False
    params.verbosity = 0
    try:
        server: Server = xllamacpp.Server(params)
    except RuntimeError:
        raise ModelMissing(f"the model file {weights.path.name} cannot be loaded") from None
    return server


class Llama:
    """Answers jobs one after another; up to `MAX_WAITING` wait their turn."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._slot = asyncio.Lock()
        self._waiting = 0
        self._pool = ThreadPoolExecutor(1, "llama")

    async def answer(self, job: Job) -> AsyncGenerator[Piece, None]:
        """Yield the answer piece by piece; the last one has a reason. Closing the generator stops the model.

        Raises Refused.
        """
        if self._waiting >= MAX_WAITING:
            raise Refused(503, "server busy, please try again.  maximum pending requests exceeded")
        self._waiting += 1
        try:
            await self._slot.acquire()
        finally:
            self._waiting -= 1
        try:
            chunks: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
            unwanted = threading.Event()
            work = self._start(job, chunks, unwanted)
            try:
                while (chunk := await chunks.get()) is not None:
                    if (piece := _piece(chunk)) is not None:
                        yield piece
                _raise_failure(work)
            finally:
                unwanted.set()
                await asyncio.wait([work])
        finally:
            self._slot.release()

    def _start(
        self, job: Job, chunks: asyncio.Queue[dict[str, Any] | None], unwanted: threading.Event
    ) -> asyncio.Future[object]:
        loop = asyncio.get_running_loop()

        def take(chunk: dict[str, Any]) -> bool:
            loop.call_soon_threadsafe(chunks.put_nowait, chunk)
            return unwanted.is_set()

        run = self._server.handle_chat_completions if job.kind == "chat" else self._server.handle_completions
        work = loop.run_in_executor(self._pool, run, {**job.request, "stream": True, "return_progress": True}, take)
        work.add_done_callback(lambda _: chunks.put_nowait(None))
        return work


def _raise_failure(work: asyncio.Future[object]) -> None:
    failure = work.exception()
    if isinstance(failure, ValueError):
        raise Refused(400, "the request has a wrong option or message")
    if failure is not None:
        raise Refused(500, f"the model failed ({type(failure).__name__})")


def _piece(chunk: dict[str, Any]) -> Piece | None:
    """Return what a chunk of llama.cpp holds, or None when it only tells of progress."""
    if isinstance(error := chunk.get("error"), dict):
        raise Refused(int(error.get("code", 500)), str(error.get("message", "the model failed")))
    for choice in chunk.get("choices") or ():
        text = choice.get("text") or (choice.get("delta") or {}).get("content") or ""
        if reason := choice.get("finish_reason"):
            return Piece(text, reason, chunk.get("timings") or {})
        if text:
            return Piece(text)
    return None
