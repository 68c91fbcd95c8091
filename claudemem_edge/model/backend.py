"""One server of language models: a connection pool of its own, and every failure as one of our errors."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import TYPE_CHECKING, Any

from claudemem_edge.errors import BackendUnreachable, BadRequest, Busy, EdgeError, ModelMissing, TimedOut

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Mapping
    from typing import TypeVar

    import httpx

    from claudemem_edge.shapes.options import ModelOptions

    T = TypeVar("T")

MAX_LINE_BYTES = 1 << 20
MAX_LISTING_BYTES = 4 << 20
RETRY_AFTER_S = 3.0


class ServerLost(BackendUnreachable):
    """The server itself is away or broke off: not one that is there and says that it failed."""


class Backend:
    """A server at `http://host:port` or `unix:/path`. The HTTP library is loaded with the first request."""

    def __init__(self, url: str, options: ModelOptions) -> None:
        self.url = url
        self._options = options
        self._http: httpx.AsyncClient | None = None

    def _client(self) -> httpx.AsyncClient:
        if self._http is None:
            import httpx  # noqa: PLC0415  weighs more than all of our own modules; many processes never ask a model

            path = self.url.removeprefix("unix:")
            limits = httpx.Limits(max_connections=256, max_keepalive_connections=4)
            tls = self.url.startswith("https:")  # elsewhere the 5 MB of certificates would lie idle
            self._http = httpx.AsyncClient(
                base_url=self.url if path == self.url else "http://localhost",
                transport=httpx.AsyncHTTPTransport(uds=None if path == self.url else path, limits=limits, verify=tls),
                timeout=httpx.Timeout(None, connect=self._options.connect_timeout_s),
                follow_redirects=False,
                trust_env=False,
            )
        return self._http

    async def open(
        self,
        method: str,
        path: str,
        body: bytes | None,
        headers: Mapping[str, str],
        *,
        quiet_s: float | None,
        deadline_s: float | None,
    ) -> httpx.Response:
        """Send a request and return the response with its body unread. The caller closes it, whatever happens.

        `quiet_s` is how long the server may say nothing. Redirects are refused: the words stay with this server.
        """
        client = self._client()
        request = client.build_request(method, path, content=body, headers={"Accept-Encoding": "identity", **headers})
        response = await self.guarded(client.send(request, stream=True), quiet_s=quiet_s, deadline_s=deadline_s)
        if 300 <= response.status_code < 400:
            await response.aclose()
            raise ServerLost("the model's server answered with a redirect, which is never followed")
        return response

    async def json(self, path: str) -> dict[str, Any]:
        """Return a short JSON document of the server."""
        deadline_s = asyncio.get_running_loop().time() + self._options.connect_timeout_s
        try:
            response = await self.open("GET", path, None, {}, quiet_s=None, deadline_s=deadline_s)
            try:
                body = b""
                async with contextlib.aclosing(self.chunks(response, quiet_s=None, deadline_s=deadline_s)) as chunks:
                    async for chunk in chunks:
                        body += chunk
                        if len(body) > MAX_LISTING_BYTES:
                            raise ServerLost("the model's server never stops listing")
                if response.status_code != 200:
                    raise ServerLost(f"the model's server answered {path} with status {response.status_code}")
            finally:
                await response.aclose()
        except TimedOut:
            raise ServerLost("the model's server does not answer") from None
        return json_object(body)

    async def chunks(
        self, response: httpx.Response, *, quiet_s: float | None, deadline_s: float | None
    ) -> AsyncGenerator[bytes, None]:
        """Yield the body as it comes."""
        parts = response.aiter_raw()
        while (part := await self.guarded(anext(parts, None), quiet_s=quiet_s, deadline_s=deadline_s)) is not None:
            yield part

    async def guarded(self, step: Awaitable[T], *, quiet_s: float | None, deadline_s: float | None) -> T:
        """Take one step with the server, in time, with its failures as ours."""
        import httpx  # noqa: PLC0415  loaded already by `_client`

        limits = [deadline_s] if deadline_s is not None else []
        if quiet_s is not None:
            limits.append(asyncio.get_running_loop().time() + quiet_s)
        try:
            async with asyncio.timeout_at(min(limits, default=None)):
                return await step
        except TimeoutError:
            if deadline_s is not None and asyncio.get_running_loop().time() >= deadline_s:
                raise TimedOut("the answer was not complete in time") from None
            raise ServerLost(f"the model's server was silent for {quiet_s:g} s") from None
        except (httpx.ConnectError, httpx.ConnectTimeout):
            raise ServerLost(f"no server of language models answers at {self.url}", hint=HINT_START) from None
        except httpx.HTTPError as error:
            raise ServerLost(f"the model's server broke off ({type(error).__name__})") from None

    async def aclose(self) -> None:
        """Close every connection."""
        if self._http is not None:
            http, self._http = self._http, None
            await http.aclose()


HINT_START = "start Ollama, or the embedded engine, and ask again"


def json_object(text: bytes) -> dict[str, Any]:
    """Return the JSON object in a line or document of the server. Raises BackendUnreachable, without the text."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise BackendUnreachable("the model's server sent something that is no JSON object")
    return value


def refusal(status: int, model: str, retry_after: str = "") -> EdgeError:
    """Return our error for a status of the server. Its own words stay out: they may quote the question."""
    match status:
        case 404:
            return ModelMissing(f"the model's server has no model {model}", hint=f"ollama pull {model}")
        case 429 | 503:
            wait_s = float(retry_after) if retry_after.isdecimal() else RETRY_AFTER_S
            return Busy("the language model has too many questions waiting", retry_after_s=wait_s)
        case 400 | 413 | 422:
            return BadRequest(f"the model's server refused the question (status {status})")
    return BackendUnreachable(f"the model's server failed with status {status}", hint="its own log says why")


async def lines(chunks: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    """Yield the lines of a stream of bytes, without empty ones; a last line may lack its end.

    Raises BackendUnreachable on a line that is longer than any answer can be.
    """
    rest = b""
    async with contextlib.aclosing(chunks):
        async for chunk in chunks:
            *whole, rest = (rest + chunk).split(b"\n")
            for line in whole:
                if line.strip():
                    yield line
            if len(rest) > MAX_LINE_BYTES:
                raise BackendUnreachable("the model's server sent a line without an end")
    if rest.strip():
        yield rest
