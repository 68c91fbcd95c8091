"""The routes are described, and they are as described."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from fakes.documents import Document
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from claudemem_edge.errors import BadRequest
from claudemem_edge.shapes.turn import Notice
from claudemem_edge.transport import wire
from claudemem_edge.transport.describe.__main__ import FOLDER, write
from claudemem_edge.transport.describe.openapi import openapi
from claudemem_edge.transport.describe.shapes import Components, document_text, request_schema
from claudemem_edge.transport.schema import schema_bytes

if TYPE_CHECKING:
    from pathlib import Path

    import httpx
    from fakes.http_house import House

    from claudemem_edge.transport.fields import WireModel

DOCUMENT = Document("openapi")
STORY = "Tell me a long story."
MEDICINE = "My doctor put me on amlodipine 5 mg because of my blood pressure."


def test_the_document_is_that_of_the_code() -> None:
    assert schema_bytes("openapi").decode() == document_text(openapi()), (
        "the shapes changed: run python -m claudemem_edge.transport.describe, and say in CHANGELOG.md what is new"
    )


def test_the_documents_are_written_where_the_daemon_reads_them(tmp_path: Path) -> None:
    write(tmp_path)
    assert {path.stem: path.read_bytes() for path in tmp_path.iterdir()} == {
        "openapi": schema_bytes("openapi"),
        "asyncapi": schema_bytes("asyncapi"),
    }
    assert [path.name for path in FOLDER.glob("openapi.*")] == ["openapi.json"]


@pytest.mark.parametrize("shape", [set[str], tuple[int, str], bytes])
def test_what_json_has_not_has_no_schema(shape: Any) -> None:
    with pytest.raises(TypeError, match="has no schema"):
        Components().answer(shape)


def test_the_document_is_openapi() -> None:
    validate(json.loads(schema_bytes("openapi")))


async def test_the_daemon_describes_itself(house: House) -> None:
    async with house.client() as client:
        described = await client.get("/openapi.json")
    assert described.headers["content-type"] == "application/json"
    assert described.content == schema_bytes("openapi")


class Described:
    """A client that holds every request and every answer against the document, and notes what was tried."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client
        self.tried: set[str] = set()

    async def call(self, name: str, scope: str = "kim", body: Any = None, **query: Any) -> Any:
        """Call an operation and return the answer; of a stream of notices two rows."""
        path, method, operation = next(
            (path, method, operation)
            for path, operations in DOCUMENT.content["paths"].items()
            for method, operation in operations.items()
            if operation["operationId"] == name
        )
        in_path = {name: query.pop(name, scope) for name in ("scope", "turn", "id") if f"{{{name}}}" in path}
        self.tried.add(name)
        sent = {"json": body} if body is not None else {}
        address = path.format(**in_path)
        async with self._client.stream(method.upper(), address, params=query, **sent) as reply:
            if name in {"events", "all_events"}:
                lines = reply.aiter_lines()
                return [self._checked(operation, reply, await anext(lines)) for _ in range(2)]
            await reply.aread()
        if reply.headers["content-type"] == "application/x-ndjson":
            return [self._checked(operation, reply, row) for row in reply.text.splitlines()]
        if reply.headers["content-type"].startswith("text/plain"):
            assert "text/plain" in operation["responses"]["200"]["content"]
            return reply.text
        if body is not None and reply.status_code < 300:
            DOCUMENT.check(operation["requestBody"]["content"]["application/json"]["schema"], body)
        return self._checked(operation, reply, reply.text)

    @staticmethod
    def _checked(operation: dict[str, Any], reply: httpx.Response, text: str) -> Any:
        responses = operation["responses"]
        described = responses.get(str(reply.status_code), responses["default"])
        if reply.status_code < 300:
            assert str(reply.status_code) in responses
        value = json.loads(text)
        DOCUMENT.check(described["content"][reply.headers["content-type"]].get("schema", {}), value)
        return value


async def test_every_operation_answers_as_described(house: House) -> None:
    async with house.client() as client:
        it = Described(client)
        assert (await it.call("health"))["api"] == 1
        assert "claudemem_turns_total" in await it.call("metrics")
        await it.call("openapi")
        await it.call("asyncapi")

        assert (await it.call("show"))["error"]["code"] == "unknown_scope"
        assert (await it.call("observe", body={"text": MEDICINE, "speaker": "user", "device": "hall"}))["turn"] == 1
        events = await it.call("say", body={"text": "Which medicine do I take?"})
        assert [events[0]["event"], events[-1]["event"]] == ["accepted", "final"]
        assert (await it.call("say", body={"text": "Remind me tomorrow at ten am to call Ann."}))[1]["event"] == "said"
        assert (await it.call("say", body={"text": "Hello.", "stream": False}))["event"] == "final"
        assert (await it.call("say", body={"text": " "}))["error"]["code"] == "bad_request"
        assert (await it.call("context", query="Which medicine?", limit_chars=100))["lines"]
        assert "amlodipine" in (await it.call("digest"))["text"]
        assert (await it.call("digest", day="2026-13-45"))["error"]["code"] == "bad_request"
        assert (await it.call("trace", turn=events[0]["turn"]))["context"] is not None
        assert (await it.call("trace", turn="one"))["error"]["code"] == "bad_request"

        added = await it.call("add_pending", body={"text": "buy milk", "due": "2099-01-01T10:00:00+08:00"})
        item = next(one["id"] for one in added["changed"] if one["record"] == "item")
        assert [one["text"] for one in (await it.call("pending"))["items"]] == ["call Ann", "buy milk"]
        assert (await it.call("change_pending", id=item, body={"op": "done"}))["changed"]
        view = await it.call("show")
        assert all(view[kind] for kind in ("claims", "items", "entities", "topics", "statements"))

        async def publish() -> None:
            while not house.notices.listeners("kim"):  # noqa: ASYNC110 - nobody tells when somebody listens
                await asyncio.sleep(0.01)
            house.notices.publish(Notice("kim", "p1", "due", "call Ann", "2030-01-01T10:00:00+08:00", "en", "http:"))

        for name in ("events", "all_events"):
            listening, _ = await asyncio.gather(it.call(name), publish())
            assert [row["event"] for row in listening] == ["listening", "due"]
            house.notices.close()

        house.fake.next("gated")
        asked_before = len(house.fake.asked)
        said = asyncio.create_task(it.call("say", body={"text": STORY, "id": "r-1"}))
        await house.fake.wait_asked(asked_before + 1)
        assert (await it.call("cancel", body={"id": "r-1"}))["cancelled"]
        assert (await said)[-1]["reason"] == "client"
        house.fake.next("400")
        assert (await it.call("say", body={"text": STORY}))[-1]["event"] == "failed"

        assert (await it.call("forget", body={"what": "last"}))["changed"]
        assert (await it.call("end"))["ended"]
    described = {one["operationId"] for path in DOCUMENT.content["paths"].values() for one in path.values()}
    assert it.tried == described


VALUES = st.sampled_from(
    ("", "a", "p7", "item", "all", "add", "x" * 300, "2030-01-01T10:00:00+00:00", 0, 1, -1, 0.5, 10**9)
) | st.sampled_from((True, False, None, [], {}))


@pytest.mark.parametrize(
    "model", [wire.AskIn, wire.ObserveIn, wire.ForgetIn, wire.PendingIn, wire.ContextIn, wire.CancelIn]
)
@given(data=st.data())
def test_a_schema_admits_what_its_route_takes(model: type[WireModel], data: st.DataObject) -> None:
    names = [*model.__dataclass_fields__, "colour"]
    body = data.draw(st.dictionaries(st.sampled_from(names), VALUES, max_size=4))
    admitted = Draft202012Validator(request_schema(model)).is_valid(body)
    try:
        wire.parse(model, json.dumps(body).encode())
    except BadRequest:
        taken = False
    else:
        taken = True
    # That words must not be blank, and what a time looks like, stands in the descriptions alone.
    beyond_schemas = "" in body.values() or isinstance(body.get("due"), str)
    assert admitted if beyond_schemas and taken else beyond_schemas or admitted == taken
