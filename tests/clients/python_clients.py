"""The clients written in Python, as their own documentation has them used."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import TYPE_CHECKING, Any

import ollama
import openai
from clients.step import FOUND, TOOL, Heard, Step
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_ollama import ChatOllama

if TYPE_CHECKING:
    from collections.abc import Iterator

    from langchain_core.messages import BaseMessage

NO_PROXY = {"trust_env": False}


@contextlib.contextmanager
def _told(heard: Heard) -> Iterator[None]:
    """Let an error of the client be part of what was heard."""
    try:
        yield
    except ollama.ResponseError as error:
        heard.error, heard.status = error.error, error.status_code
    except openai.APIStatusError as error:
        heard.error, heard.status = error.message, error.status_code
    except openai.APIError as error:
        heard.error = error.message


async def ollama_sync(step: Step) -> Heard:
    """`ollama.Client`, in a thread."""
    return await asyncio.to_thread(_ollama_sync, step)


def _ollama_sync(step: Step) -> Heard:
    heard, messages = Heard(), _user(step)
    with ollama.Client(step.url, **NO_PROXY) as client, _told(heard):
        match step.do:
            case "chat":
                heard.text = client.chat(step.model, messages, **step.more).message.content or ""
            case "stream" | "leave":
                for part in client.chat(step.model, messages, stream=True):
                    heard.piece(part.message.content)
                    if step.do == "leave":
                        break
            case "tools":
                heard.calls = _with_result(messages, client.chat(step.model, messages, tools=[TOOL]))
                heard.text = client.chat(step.model, messages, tools=[TOOL]).message.content or ""
            case "generate":
                heard.text = client.generate(step.model, step.text).response
            case _:
                _inform(client, step, heard)
    return heard


def _inform(client: ollama.Client, step: Step, heard: Heard) -> None:
    match step.do:
        case "embed":
            heard.numbers = list(client.embed(step.model, step.text).embeddings[0])
        case "list":
            heard.names = [model.model or "" for model in client.list().models]
        case "show":
            heard.names = list(client.show(step.model).capabilities or [])
        case "ps":
            heard.names = [model.model or "" for model in client.ps().models]


async def ollama_async(step: Step) -> Heard:
    """`ollama.AsyncClient`."""
    heard, messages = Heard(), _user(step)
    async with ollama.AsyncClient(step.url, **NO_PROXY) as client:
        with _told(heard):
            match step.do:
                case "chat":
                    heard.text = (await client.chat(step.model, messages, **step.more)).message.content or ""
                case "stream" | "leave":
                    async for part in await client.chat(step.model, messages, stream=True):
                        heard.piece(part.message.content)
                        if step.do == "leave":
                            break
                case "tools":
                    heard.calls = _with_result(messages, await client.chat(step.model, messages, tools=[TOOL]))
                    heard.text = (await client.chat(step.model, messages, tools=[TOOL])).message.content or ""
                case "generate":
                    async for piece in await client.generate(step.model, step.text, stream=True):
                        heard.piece(piece.response)
                case _:
                    await _inform_async(client, step, heard)
    return heard


async def _inform_async(client: ollama.AsyncClient, step: Step, heard: Heard) -> None:
    match step.do:
        case "embed":
            heard.numbers = list((await client.embed(step.model, step.text)).embeddings[0])
        case "list":
            heard.names = [model.model or "" for model in (await client.list()).models]
        case "show":
            heard.names = list((await client.show(step.model)).capabilities or [])
        case "ps":
            heard.names = [model.model or "" for model in (await client.ps()).models]


def _user(step: Step) -> list[Any]:
    return [{"role": "user", "content": step.text}]


def _with_result(messages: list[Any], answer: ollama.ChatResponse) -> list[dict[str, Any]]:
    """Add an answer and the result of each of its calls to the messages; return the calls."""
    calls = answer.message.tool_calls or []
    messages.append(answer.message)
    messages.extend({"role": "tool", "tool_name": call.function.name, "content": FOUND} for call in calls)
    return [{"name": call.function.name, **call.function.arguments} for call in calls]


async def openai_async(step: Step) -> Heard:
    """`openai.AsyncOpenAI`, without retries of its own."""
    heard, messages = Heard(), _user(step)
    async with openai.AsyncOpenAI(base_url=f"{step.url}/v1", api_key="none", max_retries=0) as client:
        asking: Any = client.chat.completions
        with _told(heard):
            match step.do:
                case "chat":
                    answer = await asking.create(model=step.model, messages=messages, **step.more)
                    heard.text = answer.choices[0].message.content or ""
                case "stream" | "leave":
                    async for part in await asking.create(
                        model=step.model, messages=messages, stream=True, **step.more
                    ):
                        heard.piece(part.choices[0].delta.content if part.choices else None)
                        heard.numbers = [part.usage.total_tokens] if part.usage else heard.numbers
                        if step.do == "leave":
                            break
                case "tools":
                    first = await asking.create(model=step.model, messages=messages, tools=[TOOL])
                    messages.append(first.choices[0].message)
                    for call in first.choices[0].message.tool_calls or []:
                        heard.calls.append({"id": call.id, "name": call.function.name, **_arguments(call)})
                        messages.append({"role": "tool", "tool_call_id": call.id, "content": FOUND})
                    last = await asking.create(model=step.model, messages=messages, tools=[TOOL])
                    heard.text = last.choices[0].message.content or ""
                case "embed":
                    found = await client.embeddings.create(model=step.model, input=step.text, encoding_format="float")
                    heard.numbers = list(found.data[0].embedding)
                case "list":
                    heard.names = [model.id async for model in client.models.list()]
    return heard


def _arguments(call: Any) -> dict[str, str]:
    arguments: dict[str, str] = json.loads(call.function.arguments)
    return arguments


async def chat_ollama(step: Step) -> Heard:
    """LangChain's `ChatOllama`."""
    heard = Heard()
    own: dict[str, Any] = {"sync_client_kwargs": NO_PROXY, "async_client_kwargs": NO_PROXY}
    model = ChatOllama(model=step.model, base_url=step.url, **own, **step.more)
    messages: list[BaseMessage] = [HumanMessage(step.text)]
    try:
        with _told(heard):
            match step.do:
                case "chat":
                    heard.text = str((await model.ainvoke(messages)).content)
                case "stream" | "leave":
                    async with contextlib.aclosing(model.astream(messages)) as stream:  # type: ignore[type-var] # a generator, declared as an iterator
                        async for part in stream:
                            heard.piece(str(part.content))
                            if step.do == "leave":
                                break
                case "tools":
                    bound = model.bind_tools([TOOL])
                    first = await bound.ainvoke(messages)
                    assert isinstance(first, AIMessage)
                    messages.append(first)
                    for call in first.tool_calls:
                        heard.calls.append({"name": call["name"], **call["args"]})
                        messages.append(ToolMessage(FOUND, tool_call_id=call["id"]))
                    heard.text = str((await bound.ainvoke(messages)).content)
    finally:
        model._client._client.close()
        await model._async_client._client.aclose()
    return heard
