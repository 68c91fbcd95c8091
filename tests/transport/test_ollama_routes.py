from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from fakes.http_house import MODEL, House, chat, open_house, rows, user

if TYPE_CHECKING:
    from pathlib import Path

    from fakes.fake_ollama import FakeOllama
    from fakes.fake_ollama_modes import Piece

KEY = "The spare key is under the blue pot."
WHERE = "Where is the spare key?"


@pytest.mark.parametrize(
    ("path", "headers", "scope"),
    [
        ("/api/chat", {}, "default"),
        ("/api/chat", {"X-Claudemem-Scope": "kim"}, "kim"),
        ("/u/kim/api/chat", {}, "kim"),
        ("/u/kim/api/chat", {"X-Claudemem-Scope": "ann"}, "kim"),
    ],
)
async def test_the_scope_comes_from_path_or_header(
    house: House, path: str, headers: dict[str, str], scope: str
) -> None:
    async with house.client(headers=headers) as client:
        await client.post(path, json=chat(user(KEY)))
    assert house.sessions.scopes() == (scope,)
    assert house.fake.asked[-1].path == "/api/chat"


async def test_two_scopes_share_nothing(house: House) -> None:
    async with house.client() as client:
        await client.post("/u/kim/api/chat", json=chat(user(KEY)))
        await client.post("/u/ann/api/chat", json=chat(user(WHERE)))
    assert b"blue pot" not in house.fake.asked[-1].body


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/", None),
        ("HEAD", "/", None),
        ("GET", "/api/tags", None),
        ("HEAD", "/api/tags", None),
        ("GET", "/api/version", None),
        ("GET", "/api/ps", None),
        ("GET", "/u/kim/api/tags", None),
        ("GET", "/v1/models", None),
        ("POST", "/api/show", {"model": MODEL}),
        ("POST", "/api/embed", {"model": MODEL, "input": "x"}),
        ("POST", "/v1/embeddings", {"model": MODEL, "input": "x"}),
        ("HEAD", "/api/version", None),
    ],
)
async def test_what_lists_and_describes_is_passed_on(
    house: House, method: str, path: str, body: dict[str, Any] | None
) -> None:
    async with house.client() as client:
        reply = await client.request(method, path, json=body)
    assert reply.status_code == 200
    assert (reply.content == b"") is (method == "HEAD")
    assert house.fake.requests[-1].path == path.removeprefix("/u/kim")
    assert house.sessions.scopes() == ()


ADMIN = [
    ("POST", "/api/pull"),
    ("POST", "/api/push"),
    ("POST", "/api/create"),
    ("POST", "/api/copy"),
    ("DELETE", "/api/delete"),
    ("POST", "/api/blobs/sha256:00"),
]


@pytest.mark.parametrize(("method", "path"), ADMIN)
async def test_administration_is_not_there(house: House, method: str, path: str) -> None:
    async with house.client() as client:
        reply = await client.request(method, path, json={"model": MODEL})
    assert (reply.status_code, reply.json()["code"]) == (404, "unsupported")
    assert house.fake.requests == []


UNKNOWN = [("POST", "/api/unheard"), ("GET", "/v2/models"), ("HEAD", "/api/blobs/sha256:00"), ("GET", "/api/chat")]


@pytest.mark.parametrize(("method", "path"), [*UNKNOWN, *((m, f"/u/kim{p}") for m, p in UNKNOWN)])
async def test_what_is_not_there_is_told_as_json(house: House, method: str, path: str) -> None:
    async with house.client() as client:
        reply = await client.request(method, path)
    assert (reply.status_code in {404, 405}, reply.headers["content-type"]) == (True, "application/json")
    assert method == "HEAD" or isinstance(reply.json()["error"], str)


@pytest.mark.parametrize("path", ["/v1/completions", "/u/kim/v1/responses", "/v1/chat/completions/7"])
async def test_what_is_not_there_is_told_in_openais_shape(house: House, path: str) -> None:
    async with house.client() as client:
        error = (await client.post(path, json={})).json()["error"]
    assert (error["code"], error["type"], "no such route" in error["message"]) == ("unsupported", "unsupported", True)


@pytest.mark.parametrize(("method", "path"), [*ADMIN, ("HEAD", "/api/blobs/sha256:00")])
async def test_administration_is_passed_on_where_the_owner_wants_it(
    tmp_path: Path, fake: FakeOllama, method: str, path: str
) -> None:
    async with open_house(tmp_path, fake, relay_admin=True) as house, house.client() as client:
        await client.request(method, path, json={"model": MODEL})
    assert (fake.requests[-1].method, fake.requests[-1].path) == (method, path)
    assert json.loads(fake.requests[-1].body) == {"model": MODEL}


PULLED: list[Piece] = [{"status": "pulling manifest"}, {"status": "downloading", "completed": 7}, {"status": "success"}]


@pytest.mark.parametrize("mode", ["normal", "blank_lines", "reset", "half_line"])
async def test_a_pull_is_told_line_by_line_and_has_an_ending(tmp_path: Path, fake: FakeOllama, mode: str) -> None:
    fake.next(mode, path="/api/pull", pieces=PULLED, after=2)
    async with open_house(tmp_path, fake, relay_admin=True) as house, house.client() as client:
        got = rows(await client.post("/api/pull", json={"model": MODEL}))
    assert got[:2] == PULLED[:2]
    assert got[2:] == PULLED[2:] if mode in {"normal", "blank_lines"} else isinstance(got[-1]["error"], str)


@pytest.mark.parametrize("name", ["%00", "%0a", "a%20b", "%23", "a%3fb", "%ff", "hf.co/one/two:Q4", "a" * 4000])
async def test_whatever_a_model_is_called_its_path_is_passed_on_as_it_is(house: House, name: str) -> None:
    async with house.client() as client:
        await client.get(f"/v1/models/{name}")
    sent = house.fake.requests[-1].path
    assert sent.replace("%EF%BF%BD", "%ff").lower() == f"/v1/models/{name}".lower()


@pytest.mark.parametrize("name", ["..%2f..%2fapi%2fdelete", "a/../../../api/tags", "%2e%2e/x", "!" * 9000])
async def test_no_path_leads_to_a_route_that_is_not_offered(house: House, name: str) -> None:
    async with house.client() as client:
        target = client.build_request("GET", "/")
        target.extensions["target"] = f"/v1/models/{name}".encode()
        reply = await client.send(target)
    assert reply.json()["error"]["code"] in {"unsupported", "bad_request"}
    assert house.fake.requests == []
