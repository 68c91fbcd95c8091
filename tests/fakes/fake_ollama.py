"""A scriptable Ollama on TCP or a Unix socket.

    async with FakeOllama() as fake:                  # or FakeOllama(socket=tmp_path / "ollama.sock")
        options = ModelOptions(urls=(fake.url,))
        fake.next("stall", after=2)                   # how the next question is answered; else `fake.default`
        ...
        fake.asked[-1].json["messages"]               # the questions; `fake.requests` holds every request
        close = await fake.wait_closed()              # the caller left in mid-reply: close.pieces had been sent

Modes: see fake_ollama_modes.py. A mode for another route: `fake.next("500", path="/api/tags")`.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from fakes.fake_ollama_modes import COUNTS, CREATED, MODES, Answer, Piece
from fakes.fake_ollama_wire import Recorded, Reply, WatchedReader, read_request

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ANSWERING = frozenset({"/api/chat", "/api/generate", "/v1/chat/completions"})
PIECES: tuple[Piece, ...] = ("It", " is", " kept", ".")


@dataclass(slots=True, frozen=True)
class FakeModel:
    """A model the fake says it has."""

    name: str
    size: int = 100_000_000
    family: str = "llama"
    capabilities: tuple[str, ...] = ("completion",)
    digest: str = "9077fe9d2ae1a4a41a868836b56b8163731a8fe16621397028c2c76f838c6907"

    def row(self) -> dict[str, Any]:
        """Return its row in /api/tags and /api/ps."""
        details = {"parent_model": "", "format": "gguf", "family": self.family, "families": [self.family]}
        return {
            "name": self.name,
            "model": self.name,
            "modified_at": CREATED,
            "size": self.size,
            "digest": self.digest,
            "details": details | {"parameter_size": "134.5M", "quantization_level": "Q4_1"},
            "capabilities": list(self.capabilities),
        }


@dataclass(slots=True, frozen=True)
class Close:
    """The caller went away before the reply was complete, after so many pieces."""

    request: Recorded
    pieces: int
    at_s: float


@dataclass(slots=True, frozen=True)
class _Planned:
    mode: str
    pieces: Sequence[Piece] | None
    after: int
    to: str
    token_s: float


class FakeOllama:
    """The server. Everything may be changed while it runs; `models` and `loaded` too."""

    def __init__(
        self,
        socket: Path | str | None = None,
        *,
        pieces: Sequence[Piece] | Callable[[Recorded], Sequence[Piece]] = PIECES,
        models: Sequence[FakeModel] = (FakeModel("llama3.2:1b"),),
        default: str = "normal",
        split_bytes: int = 0,
        token_s: float = 0.05,
    ) -> None:
        self.socket = Path(socket) if socket is not None else None
        self.pieces = pieces
        self.models = list(models)
        self.loaded: list[str] = []
        self.default = default
        self.split_bytes = split_bytes
        self.token_s = token_s
        self.requests: list[Recorded] = []
        self.closes: list[Close] = []
        self.url = ""
        self._planned: dict[str, deque[_Planned]] = {}
        self._gate = asyncio.Semaphore(0)
        self._changed = asyncio.Condition()
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    @property
    def asked(self) -> list[Recorded]:
        """The requests that ask the model something."""
        return [request for request in self.requests if request.path in ANSWERING]

    def next(
        self,
        mode: str,
        *,
        path: str = "",
        pieces: Sequence[Piece] | None = None,
        after: int = 1,
        to: str = "",
        token_s: float = 0.05,
    ) -> None:
        """Plan the answer to the next question, or to the next request of `path`. Plans queue up."""
        MODES[mode]
        self._planned.setdefault(path, deque()).append(_Planned(mode, pieces, after, to, token_s))

    def release(self, pieces: int = 1) -> None:
        """Let an answer of mode `gated` send so many pieces more."""
        for _ in range(pieces):
            self._gate.release()

    async def wait_asked(self, count: int = 1) -> Recorded:
        """Wait until so many questions have come; return the newest."""
        await self._wait(lambda: len(self.asked) >= count)
        return self.asked[-1]

    async def wait_closed(self, count: int = 1) -> Close:
        """Wait until callers have left so many replies; return the newest."""
        await self._wait(lambda: len(self.closes) >= count)
        return self.closes[-1]

    async def _wait(self, met: Callable[[], bool]) -> None:
        async with asyncio.timeout(20), self._changed:
            await self._changed.wait_for(met)

    async def start(self) -> None:
        """Listen. TCP takes a free port the first time and the same one again after `stop`."""
        loop = asyncio.get_running_loop()
        if self.socket is not None:
            self._server = await loop.create_unix_server(self._protocol, str(self.socket))
            self.url = f"unix:{self.socket}"
        else:
            port = int(self.url.rpartition(":")[2] or 0)
            self._server = await loop.create_server(self._protocol, "127.0.0.1", port)
            self.url = "http://127.0.0.1:{1}".format(*self._server.sockets[0].getsockname())

    async def stop(self) -> None:
        """Die: no listener, every connection broken off."""
        if self._server is not None:
            self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._server is not None:
            await self._server.wait_closed()
            self._server = None
        if self.socket is not None:
            self.socket.unlink(missing_ok=True)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    def _protocol(self) -> asyncio.StreamReaderProtocol:
        reader = WatchedReader()

        def connected(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.ensure_future(self._serve(reader, writer))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

        return asyncio.StreamReaderProtocol(reader, connected)

    async def _serve(self, reader: WatchedReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (request := await read_request(reader)) is not None:
                self.requests.append(request)
                await self._tell()
                reply = Reply(writer, request, self.split_bytes)
                if await self._left(reader, reply):
                    self.closes.append(Close(request, reply.pieces_sent, asyncio.get_running_loop().time()))
                    await self._tell()
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    async def _left(self, reader: WatchedReader, reply: Reply) -> bool:
        """Answer; tell whether the caller left before the end."""
        work = asyncio.ensure_future(self._answer(reply))
        gone = asyncio.ensure_future(reader.gone.wait())
        try:
            await asyncio.wait((work, gone), return_when=asyncio.FIRST_COMPLETED)
        finally:
            work.cancel()
            gone.cancel()
            results = await asyncio.gather(work, gone, return_exceptions=True)
        for result in results:
            if isinstance(result, Exception) and not isinstance(result, ConnectionError):
                raise result
        return not reply.finished

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def _answer(self, reply: Reply) -> None:
        request = reply.request
        asked = request.json if isinstance(request.json, dict) else {}
        plans = self._planned.get(request.path) or (self._planned.get("") if request.path in ANSWERING else None)
        if plans:
            await self._speak(reply, str(asked.get("model", "")), plans.popleft())
        elif request.path not in ANSWERING:
            await self._inform(reply, asked)
        elif request.body and not asked:
            await reply.refuse("invalid character in request body", 400)
        elif (model := self._model(asked)) is None:
            await reply.refuse(f"model '{asked.get('model')}' not found", 404)
        elif not asked.get("messages") and not asked.get("prompt"):
            await self._load(reply, model, unload=asked.get("keep_alive") == 0)
        else:
            await self._speak(reply, model.name, _Planned(self.default, None, 1, "", self.token_s))

    async def _speak(self, reply: Reply, model: str, plan: _Planned) -> None:
        pieces = plan.pieces
        if pieces is None:
            pieces = self.pieces(reply.request) if callable(self.pieces) else self.pieces
        await MODES[plan.mode](Answer(reply, pieces, model, plan.token_s, plan.after, plan.to, self._gate))

    async def _load(self, reply: Reply, model: FakeModel, *, unload: bool) -> None:
        self.loaded = [name for name in self.loaded if name != model.name] + ([] if unload else [model.name])
        reason = "unload" if unload else "load"
        body = (
            {"message": {"role": "assistant", "content": ""}} if reply.request.path == "/api/chat" else {"response": ""}
        )
        await reply.json({"model": model.name, "created_at": CREATED, **body, "done_reason": reason, "done": True})

    def _model(self, asked: dict[str, Any]) -> FakeModel | None:
        name = str(asked.get("model") or asked.get("name") or "")
        return next((model for model in self.models if model.name in {name, f"{name}:latest"}), None)

    async def _inform(self, reply: Reply, asked: dict[str, Any]) -> None:
        rows = [model.row() for model in self.models]
        match reply.request.path:
            case "/":
                await reply.whole(200, b"Ollama is running", "text/plain; charset=utf-8")
            case "/api/version":
                await reply.json({"version": "0.12.6"})
            case "/api/tags":
                await reply.json({"models": rows})
            case "/api/ps":
                more = {"expires_at": CREATED, "size_vram": 0, "context_length": 4096}
                await reply.json({"models": [row | more for row in rows if row["name"] in self.loaded]})
            case "/v1/models":
                data = [{"id": model.name, "object": "model", "owned_by": "library"} for model in self.models]
                await reply.json({"object": "list", "data": data})
            case "/api/show" | "/api/embed" | "/v1/embeddings" as path:
                await self._inform_of_model(reply, path, asked)
            case _:
                await reply.whole(404, b"404 page not found", "text/plain")

    async def _inform_of_model(self, reply: Reply, path: str, asked: dict[str, Any]) -> None:
        model = self._model(asked)
        if model is None:
            await reply.refuse(f"model '{asked.get('model')}' not found", 404)
        elif path == "/api/embed":
            await reply.json({"model": model.name, "embeddings": [[0.1, 0.2]], **COUNTS})
        elif path == "/v1/embeddings":
            row = {"object": "embedding", "index": 0, "embedding": [0.1, 0.2]}
            usage = {"prompt_tokens": 1, "total_tokens": 1}
            await reply.json({"object": "list", "model": model.name, "data": [row], "usage": usage})
        else:
            row = {key: model.row()[key] for key in ("details", "capabilities", "modified_at")}
            await reply.json({"modelfile": "", "template": "{{ .Prompt }}", "model_info": {}, **row})
