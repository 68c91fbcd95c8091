from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claudemem_edge.errors import BadRequest, Busy, TooLong
from claudemem_edge.shapes.context import Context, ContextLine
from claudemem_edge.shapes.outcome import Change
from claudemem_edge.shapes.turn import Accepted, Cancelled, Delta, Failed, Final, Said, TurnEvent
from claudemem_edge.transport import wire
from claudemem_edge.transport.render import error_json, event_json

if TYPE_CHECKING:
    from claudemem_edge.transport.fields import WireModel

MODELS: tuple[type[WireModel], ...] = (
    wire.AskIn,
    wire.ObserveIn,
    wire.ForgetIn,
    wire.PendingIn,
    wire.ContextIn,
    wire.CancelIn,
)
SECRET = "zebra-in-the-attic"

BAD: dict[str, tuple[type[WireModel], bytes, str]] = {
    "nothing": (wire.AskIn, b"", "JSON"),
    "not utf-8": (wire.AskIn, b'{"text":"\xff\xfe"}', "UTF-8"),
    "broken json": (wire.AskIn, b'{"text":"zebra-in-the-attic', "JSON"),
    "two documents": (wire.AskIn, b'{"text":"a"} {"text":"b"}', "JSON"),
    "100,000 deep": (wire.AskIn, b"[" * 100_000, "JSON"),
    "100,000 deep inside": (wire.AskIn, b'{"text":' + b'{"a":' * 100_000, "JSON"),
    "a lone surrogate": (wire.AskIn, b'{"text":"\\ud800"}', "JSON"),
    "a list": (wire.AskIn, b'["zebra-in-the-attic"]', "object"),
    "a number": (wire.AskIn, b"17", "object"),
    "null": (wire.AskIn, b"null", "object"),
    "no text": (wire.AskIn, b"{}", "text"),
    "an empty text": (wire.AskIn, b'{"text":" \\n"}', "text"),
    "a text that is a number": (wire.AskIn, b'{"text":17}', "text"),
    "a text that is an object": (wire.AskIn, b'{"text":{"zebra-in-the-attic":1}}', "text"),
    "a NUL": (wire.AskIn, b'{"text":"zebra-in-the-attic\\u0000"}', "text"),
    "an escape character": (wire.ObserveIn, b'{"text":"zebra-in-the-attic\\u001b[2J"}', "text"),
    "a time to live that is no number": (wire.AskIn, b'{"text":"a","ttl_s":NaN}', "ttl_s"),
    "an endless time to live": (wire.AskIn, b'{"text":"a","ttl_s":1e999}', "ttl_s"),
    "a negative time to live": (wire.AskIn, b'{"text":"a","ttl_s":-1}', "ttl_s"),
    "an id with a line break": (wire.AskIn, b'{"text":"a","id":"a\\nb"}', "id"),
    "an id too long": (wire.AskIn, json.dumps({"text": "a", "id": "i" * 129}).encode(), "id"),
    "a flag that is a word": (wire.AskIn, b'{"text":"a","stream":"yes"}', "stream"),
    "a speaker too long": (wire.ObserveIn, json.dumps({"text": "a", "speaker": SECRET * 9}).encode(), "speaker"),
    "something else to forget": (wire.ForgetIn, b'{"what":"zebra-in-the-attic"}', "what"),
    "an operation that is none": (wire.PendingIn, b'{"op":"explode"}', "op"),
    "a time without a zone": (wire.PendingIn, b'{"op":"add","due":"2026-03-12T10:00:00"}', "due"),
    "a time as a number, of seconds or else": (wire.PendingIn, b'{"op":"add","due":1893456000}', "due"),
    "a time in a year that is none elsewhere": (wire.PendingIn, b'{"due":"9999-12-31T23:00:00-08:00"}', "due"),
    "a snooze without a length": (wire.PendingIn, b'{"op":"snooze","id":"p1","for_s":null}', "for_s"),
    "a time that is none": (wire.PendingIn, b'{"op":"add","due":"zebra-in-the-attic"}', "due"),
    "half a character": (wire.ContextIn, b'{"query":"a","limit_chars":1.5}', "limit_chars"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_a_typed_error_that_names_the_field_and_not_the_input(case: str) -> None:
    model, data, named = BAD[case]
    with pytest.raises(BadRequest) as refused:
        wire.parse(model, data)
    assert named in refused.value.message
    assert refused.value.hint
    assert SECRET not in refused.value.message + refused.value.hint


def test_an_unknown_field_is_refused_with_the_nearest_known_one() -> None:
    with pytest.raises(BadRequest) as refused:
        wire.parse(wire.AskIn, b'{"text":"a","langauge":"zh"}')
    assert "language" in refused.value.hint


def test_an_unknown_field_that_may_be_somebodys_words_is_not_repeated() -> None:
    with pytest.raises(BadRequest) as refused:
        wire.parse(wire.AskIn, json.dumps({"text": "a", SECRET: 1}).encode())
    assert SECRET not in refused.value.message + refused.value.hint


def test_more_bytes_than_the_limit_are_too_long_before_they_are_read() -> None:
    with pytest.raises(TooLong):
        wire.parse(wire.AskIn, b'{"text":"abc"}', limit_bytes=13)
    assert wire.parse(wire.AskIn, b'{"text":"abc"}', limit_bytes=14).text == "abc"


def _parses_or_is_refused(model: type[WireModel], data: bytes) -> None:
    with contextlib.suppress(BadRequest, TooLong):
        assert isinstance(wire.parse(model, data), model)


@settings(deadline=None)
@given(st.sampled_from(MODELS), st.binary(max_size=200))
def test_any_bytes_make_a_model_or_a_typed_error(model: type[WireModel], data: bytes) -> None:
    _parses_or_is_refused(model, data)


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
_fields = st.sampled_from(["text", "id", "language", "lang", "what", "op", "due", "ttl_s", "query", "speaker", "key"])


@settings(deadline=None)
@given(st.sampled_from(MODELS), st.dictionaries(_fields, _json, max_size=4))
def test_any_json_makes_a_model_or_a_typed_error(model: type[WireModel], fields: dict[str, Any]) -> None:
    _parses_or_is_refused(model, json.dumps(fields).encode())


@given(st.text(min_size=1, max_size=50).filter(lambda text: text.isprintable() and bool(text.strip())))
def test_words_come_in_as_they_were_sent(text: str) -> None:
    assert wire.parse(wire.AskIn, json.dumps({"text": text}).encode()).text == text
    assert wire.parse(wire.AskIn, json.dumps({"text": text}, ensure_ascii=False).encode()).text == text


def test_the_short_names_of_other_clients_are_understood() -> None:
    ask = wire.parse(wire.AskIn, b'{"text":"a","lang":"zh-CN","ttl_s":30,"id":"r-17","user":"wang"}')
    assert (ask.language, ask.ttl_s, ask.id, ask.user) == ("zh-CN", 30, "r-17", "wang")
    assert wire.parse(wire.ObserveIn, b'{"text":"a","role":"assistant"}').speaker == "assistant"
    assert wire.parse(wire.ForgetIn, b'{"scope":"entity","key":"Tom"}').what == "entity"


def test_query_parameters_are_read_as_what_they_mean() -> None:
    query = wire.from_query(wire.ContextIn, {"query": "where", "limit_chars": "120"})
    assert (query.query, query.limit_chars) == ("where", 120)
    with pytest.raises(BadRequest, match="limit_chars"):
        wire.from_query(wire.ContextIn, {"query": "where", "limit_chars": "many"})
    with pytest.raises(BadRequest, match="query"):
        wire.from_query(wire.ContextIn, {})


CONTEXT = Context("a block", (ContextLine("claim", "a block", (1, 2), 0.123456),))
EVENTS: list[tuple[TurnEvent, dict[str, Any]]] = [
    (
        Accepted("r", 3, 1, (Change("stored", "item", "p1", (("text", "x"),)),)),
        {
            "event": "accepted",
            "id": "r",
            "turn": 3,
            "queue": 1,
            "changed": [{"kind": "stored", "record": "item", "id": "p1", "detail": {"text": "x"}}],
        },
    ),
    (Said("r", "x"), {"event": "said", "id": "r", "text": "x"}),
    (Delta("r", 0, "x"), {"event": "delta", "id": "r", "seq": 0, "text": "x"}),
    (
        Final("r", 3, "x", CONTEXT, "m", asks_back=True),
        {
            "event": "final",
            "id": "r",
            "turn": 3,
            "text": "x",
            "model": "m",
            "asks_back": True,
            "context": {
                "text": "a block",
                "lines": [{"kind": "claim", "text": "a block", "turns": [1, 2], "score": 0.1235}],
            },
        },
    ),
    (
        Failed("r", "busy", "x", 3, heard=True, retry_after_s=2.5),
        {
            "event": "failed",
            "id": "r",
            "turn": 3,
            "error": {"code": "busy", "text": "x", "hint": "", "retry_after_s": 2.5, "heard": True},
        },
    ),
    (Cancelled("r", "client", 3), {"event": "cancelled", "id": "r", "turn": 3, "reason": "client"}),
]


@pytest.mark.parametrize(("event", "expected"), EVENTS, ids=lambda value: type(value).__name__)
def test_events_go_out_as_plain_json(event: TurnEvent, expected: dict[str, Any]) -> None:
    assert event_json(event, "b") == {**expected, "boot_id": "b"}
    json.dumps(event_json(event, "b"), allow_nan=False)


def test_an_error_goes_out_with_code_sentence_and_hint() -> None:
    error = Busy("all places are taken", retry_after_s=3.0, hint="ask again", heard=True)
    body = {"code": "busy", "text": "all places are taken", "hint": "ask again", "retry_after_s": 3.0, "heard": True}
    assert error_json(error) == {"error": body}
    assert error_json(error, "spoken")["error"]["text"] == "spoken"
