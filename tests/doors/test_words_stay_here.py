"""No word leaves the machine by a way nobody named: redirects of the model's server, proxies of the environment."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from fakes.doors_house import open_doors
from fakes.fake_ollama import FakeOllama
from fakes.http_house import MODEL
from pydantic_core import ValidationError

from claudemem_edge.errors import BadRequest
from claudemem_edge.transport import wire
from claudemem_edge.transport.fields import WireModel, validator

if TYPE_CHECKING:
    from pathlib import Path

WORD = "zanzibarix"
CHAT = {"model": MODEL, "messages": [{"role": "user", "content": WORD}]}
ASKS: list[tuple[str, dict[str, Any] | None]] = [
    ("/memory/anna/say", {"text": WORD}),
    ("/u/anna/api/chat", CHAT),
    ("/api/generate", {"model": MODEL, "prompt": WORD}),
    ("/v1/chat/completions", CHAT),
    ("/api/embed", {"model": MODEL, "input": WORD}),
    ("/api/embeddings", {"model": MODEL, "prompt": WORD}),
    ("/api/show", {"model": WORD}),
    ("/api/tags", None),
    ("/v1/models", None),
]
MODELS = [wire.AskIn, wire.ObserveIn, wire.ForgetIn, wire.PendingIn, wire.ContextIn, wire.CancelIn]


@pytest.mark.broker
async def test_neither_a_redirect_nor_a_proxy_gets_a_word(tmp_path: Path) -> None:
    model = FakeOllama()
    async with FakeOllama() as trap:
        names = [f"{scheme}_PROXY" for scheme in ("HTTP", "HTTPS", "ALL")]
        proxies = dict.fromkeys([*names, *map(str.lower, names)], trap.url)
        async with open_doors(tmp_path, fake=model, **proxies, NO_PROXY="", no_proxy="") as doors:
            for path, body in ASKS:
                asked = len(model.requests)
                answered = await doors.unix.request("GET" if body is None else "POST", path, json=body)
                assert (path, answered.status_code < 500) == (path, True) or path == "/api/embeddings"
                assert len(model.requests) > asked, "or this would prove nothing"
            for path, body in ASKS:
                for place in (path.removeprefix("/u/anna"), "/api/chat", "/api/version", "/api/tags", "/api/ps"):
                    model.next("redirect", path=place, to=trap.url)
                refused = await doors.unix.request("GET" if body is None else "POST", path, json=body)
                assert WORD not in refused.headers.get("location", "")
                assert not 300 <= refused.status_code < 400
        assert trap.requests == []


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("value", [{WORD: WORD}, [WORD], 3, None, WORD + "\x00"])
def test_what_is_wrong_with_a_field_is_told_without_its_value(model: type[WireModel], value: object) -> None:
    names = [*model.__dataclass_fields__, WORD]
    for name in names:
        data = json.dumps({name: value, WORD: value}).encode()
        with pytest.raises(ValidationError) as caught:
            validator(model).validate_json(data)
        shown = str(caught.value).replace(f"\n{WORD}\n", "\n")  # a name that is no field's stands there alone
        assert WORD not in shown
        with pytest.raises(BadRequest) as told:
            wire.parse(model, data)
        assert WORD not in f"{told.value.message} {told.value.hint}"
