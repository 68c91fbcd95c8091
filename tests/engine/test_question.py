from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from claudemem_edge.engine.plain import plain_prompt
from claudemem_edge.engine.question import Refused, chat_job, check_model, generate_job, openai_job, read_json
from claudemem_edge.engine.weights import Weights

CHAT = Weights(Path("m.gguf"), "m:1b", "d", 1, "llama", "1B", "Q4_0", 2048, plain=False)
BASE = replace(CHAT, plain=True)
HI = [{"role": "user", "content": "Hi"}]


@pytest.mark.parametrize(
    ("asked", "request_"),
    [
        ({"messages": HI}, {"messages": HI}),
        (
            {"messages": HI, "options": {"num_predict": 5, "stop": ["x"], "num_ctx": 9, "seed": None, "strange": 1}},
            {"messages": HI, "max_tokens": 5, "stop": ["x"]},
        ),
        ({"messages": HI, "format": "json"}, {"messages": HI, "response_format": {"type": "json_object"}}),
        (
            {"messages": [{"role": "user", "content": None, "extra": 1}]},
            {"messages": [{"role": "user", "content": ""}]},
        ),
        ({"messages": HI, "tools": [], "think": False, "keep_alive": "5m"}, {"messages": HI}),
    ],
)
def test_a_chat_in_the_words_of_llama(asked: dict[str, Any], request_: dict[str, Any]) -> None:
    job = chat_job(asked, CHAT)
    assert job is not None
    assert (job.kind, job.request, job.chunked) == ("chat", request_, True)


def test_a_prompt_becomes_a_chat_unless_it_is_raw() -> None:
    job = generate_job({"prompt": "Hi", "system": "Be brief.", "stream": False}, CHAT)
    raw = generate_job({"prompt": "Hi", "raw": True, "options": {"stop": ["\n"]}}, CHAT)
    assert job is not None
    assert job.request["messages"] == [{"role": "system", "content": "Be brief."}, *HI]
    assert not job.chunked
    assert raw is not None
    assert (raw.kind, raw.request) == ("text", {"prompt": "Hi", "stop": ["\n"]})


def test_a_base_model_gets_one_plain_prompt() -> None:
    job = chat_job({"messages": HI, "options": {"stop": "END"}}, BASE)
    assert job is not None
    assert (job.kind, job.request["prompt"]) == ("text", "Question: Hi\nAnswer:")
    assert job.request["stop"] == ["\n\n", "\nQuestion:", "END"]


@pytest.mark.parametrize(
    ("said", "prompt"),
    [
        (
            ["Be kind.", "How old?", "74", "Where?"],
            "Be kind.\nQuestion: How old?\nAnswer: 74\nQuestion: Where?\nAnswer:",
        ),
        (["请亲切。", "几岁？", "七十四", "在哪？"], "请亲切。\n问题：几岁？\n回答：七十四\n问题：在哪？\n回答："),
    ],
)
def test_the_last_question_decides_the_language_of_a_plain_prompt(said: list[str], prompt: str) -> None:
    roles = ("system", "user", "assistant", "user")
    messages = [{"role": role, "content": text} for role, text in zip(roles, said, strict=True)]
    assert plain_prompt(messages)[0] == prompt


def test_an_empty_question_is_no_job() -> None:
    assert chat_job({"messages": []}, CHAT) is None
    assert generate_job({"prompt": ""}, CHAT) is None


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"messages": "Hi"}, "messages is a list"),
        ({"messages": ["Hi"]}, "messages is a list"),
        ({"messages": [{"content": "Hi"}]}, "a message has a role"),
        ({"messages": [{"role": "user", "content": [1]}]}, "content as text"),
        ({"messages": [{"role": "user", "content": "", "images": ["x"]}]}, "does not support images"),
        ({"messages": HI, "tools": [{"type": "function"}]}, "m:1b does not support tools"),
        ({"messages": HI, "think": "high"}, "m:1b does not support thinking"),
        ({"messages": HI, "options": [1]}, "options is an object"),
        ({"messages": HI, "format": "xml"}, "format is json or a JSON schema"),
    ],
)
def test_what_a_chat_may_not_hold(asked: dict[str, Any], error: str) -> None:
    with pytest.raises(Refused, match=error) as refused:
        chat_job(asked, CHAT)
    assert refused.value.status == 400


@pytest.mark.parametrize("asked", [{"prompt": 1}, {"prompt": "a", "system": []}, {"prompt": "a", "suffix": "b"}])
def test_what_a_prompt_may_not_be(asked: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        generate_job(asked, CHAT)


def test_an_openai_question_keeps_its_fields() -> None:
    job = openai_job({"messages": HI, "max_completion_tokens": 3, "user": "me", "top_p": 0.5, "stop": None}, CHAT)
    assert (job.request, job.chunked) == ({"messages": HI, "top_p": 0.5, "max_tokens": 3}, False)
    with pytest.raises(Refused, match="messages is empty"):
        openai_job({"messages": []}, CHAT)


@pytest.mark.parametrize(
    ("asked", "status"),
    [({"model": "m:1b"}, 0), ({"name": "m:1b"}, 0), ({}, 400), ({"model": 1}, 400), ({"model": "m"}, 404)],
)
def test_only_the_model_that_is_loaded_answers(asked: dict[str, Any], status: int) -> None:
    if not status:
        check_model(asked, CHAT)
        return
    with pytest.raises(Refused) as refused:
        check_model(asked, CHAT)
    assert refused.value.status == status


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b"[1]", b"null", b"[" * 100_000])
def test_a_body_that_is_no_object_is_refused(body: bytes) -> None:
    with pytest.raises(Refused) as refused:
        read_json(body)
    assert refused.value.status == 400
