"""The way to the language models: an ordered list of servers, one of them serving."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from claudemem_edge.errors import BackendUnreachable, EdgeError, ModelMissing
from claudemem_edge.model.backend import Backend, ServerLost, json_object, lines, refusal
from claudemem_edge.model.choice import ChosenModel, choose, listed_models
from claudemem_edge.model.profiles import named_profile, profile_for

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence

    import httpx

    from claudemem_edge.model.prompt import Message
    from claudemem_edge.shapes.options import ModelOptions
    from claudemem_edge.shapes.status import ModelStatus

log = logging.getLogger(__name__)

CHOICE_HOLDS_S = 60.0
SUGGESTED = "qwen2.5:1.5b"
"""Small, and at home in Chinese and English: for those whose server has no chat model yet."""
RELAYED_HEADERS = frozenset({"content-type", "accept", "user-agent"})
ANSWERED_HEADERS = frozenset({"content-type", "content-length", "retry-after"})


@dataclass(slots=True)
class Relay:
    """A server's reply, its bytes untouched. Read `chunks`, then `aclose`, whatever happened in between."""

    status: int
    headers: dict[str, str]
    chunks: AsyncGenerator[bytes, None]
    _response: httpx.Response

    async def aclose(self) -> None:
        """Close the connection unless the reply was complete."""
        await self.chunks.aclose()
        await self._response.aclose()


class ModelClient:
    """Finds the model, asks it, and passes requests on. Built without any I/O; `aclose` ends every connection."""

    def __init__(self, options: ModelOptions) -> None:
        self._options = options
        self._backends = [Backend(url, options) for url in options.urls]
        self._chosen: ChosenModel | None = None
        self._chosen_at_s = 0.0
        self._choosing = asyncio.Lock()
        self._last_error = ""
        self._is_lost = False
        self._last_counts: dict[str, int] = {}

    async def chosen(self) -> ChosenModel:
        """Return the model that answers now: of the first server that answers and has one.

        Asked again after a failure, or after a minute. Raises BackendUnreachable or ModelMissing.
        """
        async with self._choosing:
            now_s = asyncio.get_running_loop().time()
            if self._chosen is None or now_s - self._chosen_at_s > CHOICE_HOLDS_S:
                with self._noting_failure(answers=False):
                    found = await self._choose()
                if self._chosen is None or (found.name, found.url) != (self._chosen.name, self._chosen.url):
                    log.info("model %s at %s, profile %s", found.name, found.url, found.profile.name)
                self._chosen, self._chosen_at_s = found, now_s
            return self._chosen

    async def look(self) -> ChosenModel:
        """See whether the model is still there, so that health tells the truth unasked. Raises as `chosen` does."""
        if self._chosen is not None:
            with self._noting_failure(answers=False):
                await self._backend(self._chosen.url).json("/api/version")
        return await self.chosen()

    async def _choose(self) -> ChosenModel:
        failure: EdgeError = BackendUnreachable("no server of language models is set", hint="set model.urls")
        for backend in self._backends:
            try:
                await backend.json("/api/version")
                listed = listed_models(await backend.json("/api/tags"))
                loaded = [model.name for model in listed_models(await backend.json("/api/ps"))]
            except BackendUnreachable as error:
                failure = failure if isinstance(failure, ModelMissing) else error
                continue
            model = choose(listed, loaded, self._options.name)
            if model is not None:
                named = self._options.profile
                profile = named_profile(named) if named else profile_for(model.name, model.family)
                return ChosenModel(model.name, model.digest, backend.url, profile, model.size_bytes)
            name = self._options.name
            failure = ModelMissing(
                f"the server at {backend.url} has no {f'model {name}' if name else 'chat model'}",
                hint=f"ollama pull {name or SUGGESTED}",
            )
        raise failure

    async def stream(
        self, messages: Sequence[Message], chosen: ChosenModel, deadline_s: float
    ) -> AsyncGenerator[str, None]:
        """Yield the answer piece by piece; ending normally means complete. `deadline_s` is on the loop's clock.

        Closing the generator closes the connection, which stops the model. Raises EdgeError.
        """
        path, body = question_body(messages, chosen, self._options.keep_alive)
        with self._noting_failure():
            backend = self._backend(chosen.url)
            first_s, next_s = self._options.first_token_timeout_s, self._options.token_timeout_s
            headers = {"Content-Type": "application/json"}
            response = await backend.open("POST", path, body, headers, quiet_s=first_s, deadline_s=deadline_s)
            try:
                if response.status_code != 200:
                    raise refusal(response.status_code, chosen.name, response.headers.get("retry-after", ""))
                chunks = backend.chunks(response, quiet_s=next_s, deadline_s=deadline_s)
                async with contextlib.aclosing(lines(chunks)) as rows:
                    async for line in rows:
                        row = json_object(line)
                        if piece := _piece(row):
                            yield piece
                        if row.get("done") is True:
                            self._last_counts = counts_of(row)
                            return
                raise ServerLost("the model's server ended before the answer did")
            finally:
                await response.aclose()

    async def relay(
        self, method: str, path: str, body: bytes, headers: Mapping[str, str], deadline_s: float | None = None
    ) -> Relay:
        """Pass a request on as it is and return the reply as it comes. The server is free to take until the deadline.

        Only headers that describe the body go along: no token, cookie or origin of our own doors leaves this process.
        """
        passed = {name: value for name, value in headers.items() if name.lower() in RELAYED_HEADERS}
        with self._noting_failure():
            was_chosen = self._chosen is not None
            backend = await self._serving()
            try:
                response = await backend.open(method, path, body or None, passed, quiet_s=None, deadline_s=deadline_s)
            except BackendUnreachable:
                self._chosen = None
                if not was_chosen:
                    raise
                backend = await self._serving()
                response = await backend.open(method, path, body or None, passed, quiet_s=None, deadline_s=deadline_s)
            answered = {name: value for name, value in response.headers.items() if name.lower() in ANSWERED_HEADERS}
            chunks = self._noted(backend.chunks(response, quiet_s=None, deadline_s=deadline_s))
            return Relay(response.status_code, answered, chunks, response)

    async def _noted(self, chunks: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
        """Yield a reply, and note for health how it ended."""
        with self._noting_failure():
            async with contextlib.aclosing(chunks):
                async for chunk in chunks:
                    yield chunk

    def status(self) -> ModelStatus:
        """Return what health tells about the model."""
        chosen = self._chosen
        return {
            "name": chosen.name if chosen else "",
            "digest": chosen.digest if chosen else "",
            "url": chosen.url if chosen else "",
            "profile": chosen.profile.name if chosen else "",
            "last_error": self._last_error,
            "last_answer": self._last_counts,
        }

    async def aclose(self) -> None:
        """Close every connection."""
        for backend in self._backends:
            await backend.aclose()

    def _backend(self, url: str) -> Backend:
        return next(backend for backend in self._backends if backend.url == url)

    async def _serving(self) -> Backend:
        """Return the server of the chosen model, else the first that answers: one without models is served too."""
        if self._chosen is not None:
            return self._backend(self._chosen.url)
        failure: EdgeError = BackendUnreachable("no server of language models is set", hint="set model.urls")
        for backend in self._backends:
            try:
                await backend.json("/api/version")
            except BackendUnreachable as error:
                failure = error
            else:
                return backend
        raise failure

    @contextlib.contextmanager
    def _noting_failure(self, *, answers: bool = True) -> Iterator[None]:
        """Keep the code of a failure for health; have the model chosen anew after one of the server's.

        What is no answer of the model only proves that a server that was lost is there again.
        """
        try:
            yield
        except EdgeError as error:
            self._last_error = error.code
            self._is_lost = isinstance(error, (ServerLost, ModelMissing))
            if isinstance(error, (BackendUnreachable, ModelMissing)):
                self._chosen = None
            raise
        else:
            if answers or self._is_lost:
                self._last_error = ""


def question_body(messages: Sequence[Message], chosen: ChosenModel, keep_alive: str = "") -> tuple[str, bytes]:
    """Return path and body of a question. A plain template sends its one message as a raw prompt."""
    profile = chosen.profile
    body: dict[str, Any] = {"model": chosen.name, "stream": True, **profile.request}
    if keep_alive:
        body["keep_alive"] = keep_alive
    if profile.options:
        body["options"] = dict(profile.options)
    if profile.template == "plain":
        return "/api/generate", _encoded(body | {"prompt": messages[-1]["content"], "raw": True})
    return "/api/chat", _encoded(body | {"messages": list(messages)})


def counts_of(row: dict[str, Any]) -> dict[str, int]:
    """Return what an answer cost: prompt and answer tokens, their milliseconds, and the prompt tokens really read.

    Ollama counts the whole prompt; only the embedded engine tells how much of it came from the prefix cache.
    """
    timings = row.get("timings")
    read = timings.get("prompt_n") if isinstance(timings, dict) else None
    values = {
        "prompt_tokens": row.get("prompt_eval_count"),
        "answer_tokens": row.get("eval_count"),
        "prompt_ms": _milliseconds(row.get("prompt_eval_duration")),
        "answer_ms": _milliseconds(row.get("eval_duration")),
        "prompt_tokens_read": read,
    }
    return {key: int(value) for key, value in values.items() if isinstance(value, (int, float))}


def _milliseconds(nanoseconds: object) -> float | None:
    return nanoseconds / 1e6 if isinstance(nanoseconds, (int, float)) else None


def _encoded(body: dict[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _piece(row: dict[str, Any]) -> str:
    """Return the text in a line of a stream. Raises BackendUnreachable on a line that says what went wrong."""
    if "error" in row:
        raise BackendUnreachable("the model's server failed in the middle of the answer", hint="its own log says why")
    message = row.get("message")
    piece = message.get("content", "") if isinstance(message, dict) else row.get("response", "")
    return piece if isinstance(piece, str) else ""
