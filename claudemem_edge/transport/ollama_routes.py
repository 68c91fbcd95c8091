"""Ollama's API: chat, generate and completions with memory; what lists and describes models is passed on."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.routing import Route

from claudemem_edge.errors import BadRequest, Forbidden, Unsupported
from claudemem_edge.transport.guards import caller
from claudemem_edge.transport.live import Live, Outlet
from claudemem_edge.transport.ollama_answer import Conversation, Plan
from claudemem_edge.transport.ollama_prompt import is_chore, read_chat, read_generate
from claudemem_edge.transport.ollama_relay import pass_back
from claudemem_edge.transport.ollama_say import say_chat, say_completion, say_generated
from claudemem_edge.transport.replies import JSON

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request
    from starlette.responses import Response

    from claudemem_edge.model.client import ModelClient
    from claudemem_edge.sessions import Sessions
    from claudemem_edge.transport.ollama_prompt import Question
    from claudemem_edge.transport.ollama_say import Say

RELAYED = (
    ("/", ("GET",)),
    ("/api/version", ("GET",)),
    ("/api/tags", ("GET",)),
    ("/api/ps", ("GET",)),
    ("/api/show", ("POST",)),
    ("/api/embed", ("POST",)),
    ("/api/embeddings", ("POST",)),
    ("/v1/embeddings", ("POST",)),
    ("/v1/models", ("GET",)),
    ("/v1/models/{model:path}", ("GET",)),
)
ADMIN = (
    ("/api/pull", ("POST",)),
    ("/api/push", ("POST",)),
    ("/api/create", ("POST",)),
    ("/api/copy", ("POST",)),
    ("/api/delete", ("DELETE",)),
    ("/api/blobs/{digest}", ("HEAD", "POST")),
)
MEMORY_HEADER = "x-claudemem-memory"
OFF = "off"
PATH_MOST_CHARS = 8192


class OllamaRoutes:
    """The handlers. A scope comes from the header, from the base path /u/<scope>, or is the default one."""

    def __init__(
        self, sessions: Sessions, model: ModelClient, *, relay_admin: bool, note_error: Callable[[str], None]
    ) -> None:
        self._sessions = sessions
        self._model = model
        self._relay_admin = relay_admin
        self._conversation = Conversation(sessions, model, note_error)
        is_chore("")  # reads its data now, so that no request has to wait for a file

    def routes(self) -> list[Route]:
        """Return the routes."""
        admin = ADMIN if self._relay_admin else ()
        return [
            Route("/api/chat", self.chat, methods=["POST"]),
            Route("/api/generate", self.generate, methods=["POST"]),
            Route("/v1/chat/completions", self.completions, methods=["POST"]),
            *(Route(path, self.relay, methods=list(methods)) for path, methods in RELAYED),
            *(Route(path, self.administer, methods=list(methods)) for path, methods in admin),
        ]

    async def chat(self, request: Request) -> Response:
        """Answer a chat."""
        return await self._converse(request, read_chat, say_chat)

    async def generate(self, request: Request) -> Response:
        """Answer a prompt."""
        return await self._converse(request, read_generate, say_generated)

    async def completions(self, request: Request) -> Response:
        """Answer a chat in OpenAI's shape."""
        return await self._converse(request, lambda body: read_chat(body, streams=False), say_completion)

    async def administer(self, request: Request) -> Response:
        """Pass on what changes the server's models: they are everybody's."""
        if caller(request.scope).scopes is not None:
            raise Forbidden("this token opens some scopes; models belong to all", hint="send one that opens *")
        return await self.relay(request)

    async def relay(self, request: Request) -> Response:
        """Pass a request on as it is."""
        body = await request.body()
        query = request.scope["query_string"].decode("latin-1")
        named: str = request.scope["path"]
        if any(step in {".", ".."} for step in named.split("/")):
            raise Unsupported("a path with . or .. is not passed on")
        path = quote(named, safe="/:@") + (f"?{query}" if query else "")
        if len(path) > PATH_MOST_CHARS:
            raise BadRequest("this path is too long to be passed on")
        return Live(lambda outlet: self._pass_on(outlet, request.method, path, body, dict(request.headers)))

    async def _pass_on(self, outlet: Outlet, method: str, path: str, body: bytes, headers: dict[str, str]) -> None:
        if body:
            headers["content-type"] = JSON
        relay = await self._model.relay(method, path, body, headers)
        try:
            await pass_back(outlet, relay, method, path)
        finally:
            await relay.aclose()

    async def _converse(self, request: Request, read: Callable[[bytes], Question | None], say: Say) -> Response:
        body = await request.body()
        who = caller(request.scope)
        scope, path = who.scope(), request.scope["path"]
        question = read(body)
        off = request.headers.get(MEMORY_HEADER, "").strip().lower() == OFF
        if question is None or off or len(question.text) > self._sessions.max_text_chars:
            plan = Plan(path, body, scope)
            return Live(lambda outlet: self._conversation.pass_on(outlet, plan))
        plan = self._conversation.plan(path, scope, question, may_say=who.by_path and not question.tools)
        if plan.kept is not None and plan.kept.say:
            return say(question, plan.kept.say, plan.headers)
        return Live(lambda outlet: self._conversation.pass_on(outlet, plan))
