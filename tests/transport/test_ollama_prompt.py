from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claudemem_edge.errors import BadRequest
from claudemem_edge.transport.ollama_prompt import Question, is_chore, read_chat, read_generate

U = {"role": "user", "content": "Where is the key?"}
SYSTEM = {"role": "system", "content": "Current time is 10:00:00."}
CALL = {"id": "call_1", "function": {"index": 0, "name": "light", "arguments": {"on": True, "level": 4096.0}}}
TOOL_CALL = {"role": "assistant", "content": "", "tool_calls": [CALL]}
TOOL = {"role": "tool", "tool_name": "light", "tool_call_id": "call_1", "content": "done"}
ANSWER = {"role": "assistant", "content": "It is in the hall."}


def _chat(messages: Any, **more: Any) -> bytes:
    return json.dumps({"model": "llama3.2:1b", "messages": messages, **more}).encode()


def _question(body: bytes) -> Question:
    question = read_chat(body)
    assert question is not None
    return question


@pytest.mark.parametrize(
    ("messages", "text", "answered"),
    [
        ([U], "Where is the key?", 0),
        ([SYSTEM, U], "Where is the key?", 0),
        ([U, ANSWER, {"role": "user", "content": "And now?"}], "And now?", 0),
        ([U, TOOL_CALL, TOOL], "Where is the key?", 2),
        ([TOOL, U], "Where is the key?", 0),
        ([U, ANSWER], "Where is the key?", 1),
        ([U, SYSTEM], "Where is the key?", 0),
        ([U, {"role": "user", "content": "b"}], "b", 0),
    ],
)
def test_the_newest_user_message_is_the_question(messages: list[Any], text: str, answered: int) -> None:
    question = _question(_chat(messages))
    assert (question.text, question.answered) == (text, answered)


@pytest.mark.parametrize(
    "body",
    [
        _chat([]),
        _chat(None),
        json.dumps({"model": "m"}).encode(),
        _chat([SYSTEM]),
        _chat([ANSWER]),
        _chat([U], format="json"),
        _chat([U], format={"type": "object"}),
        _chat([U], response_format={"type": "json_object"}),
        _chat([{"role": "user", "content": ""}]),
        _chat([{"role": "user", "content": None, "images": ["aGk="]}]),
        _chat([{"role": "user"}]),
        _chat([{"role": "user", "content": 17}]),
        _chat([{"role": "user", "content": "\ud800"}]),
        _chat([{"role": "user", "content": [{"type": "image_url", "image_url": "x"}]}]),
    ],
)
def test_what_asks_nothing_is_left_alone(body: bytes) -> None:
    assert read_chat(body) is None


@pytest.mark.parametrize("empty", ["", None])
def test_an_empty_format_means_none(empty: str | None) -> None:
    assert _question(_chat([U], format=empty)).text == U["content"]


def test_only_the_words_of_the_question_change() -> None:
    body = (
        '{ "model":"m" , "options": {"num_ctx": 4096.0, "x": 1E+2}, "keep_alive":"-1.0s","shift":false,\n'
        ' "messages":[{"role":"assistant","content":"","tool_calls":[{"id":"call_1"}],"weird":[1,2.50]},'
        '{"role":"tool","tool_call_id":"call_1","content":"\\u5317"},'
        ' {"images":["aGk="], "content" : "Where?" , "role":"user"} ], "tools":[]}'
    )
    changed = _question(body.encode()).with_text("你好\nWhere?")
    assert changed == body.replace('"Where?"', '"你好\\nWhere?"').encode()


def test_the_same_words_again_are_the_same_bytes() -> None:
    body = b'{"messages": [{"role": "user", "content": "\\u4f60\\u597d"}]}'
    assert _question(body).with_text("你好") == body


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), st.text(st.characters(exclude_categories=["Cs"])))
def test_any_words_come_and_go_unharmed(asked: str, put: str) -> None:
    body = _chat([SYSTEM, {"role": "user", "content": asked}])
    question = read_chat(body)
    if question is None:
        assert not asked.strip() or is_chore(asked)
        return
    assert json.loads(question.with_text(put))["messages"] == [SYSTEM, {"role": "user", "content": put}]


def test_the_digest_stands_for_the_conversation_up_to_the_question() -> None:
    digest = _question(_chat([U])).digest
    assert _question(_chat([U, TOOL_CALL, TOOL])).digest == digest
    assert _question(_chat([SYSTEM, U], model="other")).digest == digest, (
        "a system prompt tells the time anew each round"
    )
    assert _question(_chat([U, ANSWER, U])).digest != digest
    assert _question(_chat([{**U, "images": ["aGk="]}])).digest != digest


def test_what_else_the_client_says_is_known() -> None:
    question = _question(_chat([SYSTEM, U, ANSWER, {"role": "user", "content": "And now?"}]))
    assert question.others == (SYSTEM["content"], U["content"], ANSWER["content"])


def test_a_question_in_parts_gets_its_block_into_the_last_text() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "Where?"}, {"type": "image_url", "image_url": "x"}]
    question = _question(_chat([{"role": "user", "content": parts}]))
    changed = json.loads(question.with_text("block\nWhere?"))["messages"][0]["content"]
    assert changed == [parts[0], {"type": "text", "text": "block\nWhere?"}, parts[2]]


@pytest.mark.parametrize(
    ("more", "stream"), [({}, True), ({"stream": False}, False), ({"stream": True}, True), ({"stream": None}, True)]
)
def test_ollama_streams_unless_told_otherwise(more: dict[str, Any], *, stream: bool) -> None:
    assert _question(_chat([U], **more)).stream is stream


@pytest.mark.parametrize("tools", [[], None, [{"type": "function"}]])
def test_tools_are_seen(tools: list[Any] | None) -> None:
    assert _question(_chat([U], tools=tools)).tools is bool(tools)


@pytest.mark.parametrize(
    "body",
    [b"", b"\xff", b"{", b"[]", b"17", b"[" * 100_000, b'{"messages": 17}', b'{"messages": [17]}', b'{"a":1}{"b":2}'],
)
def test_what_is_no_request_is_refused(body: bytes) -> None:
    with pytest.raises(BadRequest):
        read_chat(body)


_names = st.sampled_from(("model", "messages", "role", "content", "type", "text", "prompt", "format", "tools"))
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12) | st.just("user"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_names, inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None)
@given(st.dictionaries(_names, _json, max_size=5))
def test_any_json_is_a_question_or_none_or_refused(fields: dict[str, Any]) -> None:
    body = json.dumps(fields).encode()
    for read in (read_chat, read_generate):
        with contextlib.suppress(BadRequest):
            question = read(body)
            if question is not None:
                assert question.with_text(question.text) == body
                assert isinstance(json.loads(question.with_text("block")), dict)


def test_a_prompt_is_the_question_of_a_generate_request() -> None:
    body = b'{"model":"m", "prompt": "Where?", "options":{"num_ctx":4096.0}, "context":[1,2], "template":"x"}'
    question = read_generate(body)
    assert question is not None
    assert question.with_text("b\nWhere?") == body.replace(b'"Where?"', b'"b\\nWhere?"')


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"prompt": ""},
        {"prompt": None},
        {"prompt": "def f(", "suffix": "return x"},
        {"prompt": "Q: where?\nA:", "raw": True},
        {"prompt": "Where?", "format": "json"},
    ],
)
def test_prompts_that_are_no_questions_are_left_alone(fields: dict[str, Any]) -> None:
    assert read_generate(json.dumps({"model": "m", **fields}).encode()) is None


CHORES = [
    "### Task:\nGenerate a concise, 3-5 word title.\n### Chat History:\n<chat_history>\nUSER: hi\n</chat_history>",
    "### Task:\nErstelle drei Schlagworte.",
    "Name this.\n<conversation>\nhi\n</conversation>",
    "Sum this up:\nUser: hi\nAssistant: hello\nUser: bye",
    "为下面的对话起一个标题。\n\nuser: 你好\nassistant: 你好呀",
    "A title for this, please:\n\nUser: hi\nAI: hello",
    "Query: What time is it?",
    'Query: History:\nUSER: """hi"""\nQuery: What time is it?',
    'History:\nUSER: """hi"""\nQuery: What time is it?',
    "Your task is to reflect the speaker with an emoji.\n\nMessage: ```hi```",
    'You have been provided with a set of responses from various models to "hi".',
]


@pytest.mark.parametrize("text", CHORES)
def test_texts_that_carry_a_conversation_are_chores(text: str) -> None:
    assert is_chore(text)
    assert read_chat(_chat([{"role": "user", "content": text}])) is None
    assert read_generate(json.dumps({"prompt": text}).encode()) is None


@pytest.mark.parametrize(
    "text",
    [
        "What is a task?",
        "User: who is that?",
        "What does a query do?",
        "Query the list of keys.",
        "Give me a title for my talk.",
        "给我的演讲起个标题",
        "1 < 2 and 3 > 2",
    ],
)
def test_somebodys_own_words_are_no_chore(text: str) -> None:
    assert not is_chore(text)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("In the hall.", ("In the hall.",)),
        ([{"type": "text", "text": "In the hall."}, {"type": "image_url"}, "odd", {"text": 3}], ("In the hall.",)),
        (None, ()),
        ({"text": "odd"}, ()),
    ],
)
def test_what_others_said_is_read_from_texts_and_parts(content: object, said: tuple[str, ...]) -> None:
    assert _question(_chat([{"role": "assistant", "content": content}, U])).others == said
