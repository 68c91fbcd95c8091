from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claudemem_edge.errors import BackendUnreachable
from claudemem_edge.transport import ollama_stream
from claudemem_edge.transport.ollama_stream import Tap, whole_lines, without_blank_lines

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable


def _line(**fields: Any) -> bytes:
    return json.dumps(fields, ensure_ascii=False).encode()


async def _chunks(chunks: Iterable[bytes]) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


STREAM = b"".join(
    line + b"\n"
    for line in (
        _line(message={"role": "assistant", "content": "你好"}, done=False),
        _line(message={"role": "assistant", "content": ", Ada"}, done=False),
        _line(message={"role": "assistant", "content": ""}, done=True),
    )
)


@settings(deadline=None)
@given(st.lists(st.integers(0, len(STREAM)), max_size=12))
async def test_wherever_the_network_cuts_lines_come_whole(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(STREAM)]
    parts = [STREAM[start:end] for start, end in itertools.pairwise(edges)]
    got = [lines async for lines in whole_lines(_chunks(parts))]
    assert b"".join(got) == STREAM
    assert all(lines.endswith(b"\n") for lines in got)
    tap = Tap(2000)
    for line in b"".join(got).splitlines():
        tap.hear(line)
    assert (tap.text, tap.complete) == ("你好, Ada", True)


async def test_half_a_line_is_never_passed_on() -> None:
    got = whole_lines(_chunks([b'{"a":1}\n{"b"', b":2"]))
    assert await anext(got) == b'{"a":1}\n'
    with pytest.raises(BackendUnreachable):
        await anext(got)


async def test_a_last_line_without_its_end_is_still_a_line() -> None:
    got = [lines async for lines in whole_lines(_chunks([b'{"a":1}\n{"b"', b":2}"]))]
    assert got == [b'{"a":1}\n', b'{"b":2}\n']


async def test_a_last_event_without_its_end_is_still_an_event() -> None:
    got = [lines async for lines in whole_lines(_chunks([b'data: {"a":1}\n\ndata: [DO', b"NE]"]))]
    assert got == [b'data: {"a":1}\n\n', b"data: [DONE]\n"]


async def test_a_line_without_an_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ollama_stream, "LINE_MOST_BYTES", 100)
    with pytest.raises(BackendUnreachable):
        [lines async for lines in whole_lines(_chunks([b"x" * 60, b"x" * 60]))]


@pytest.mark.parametrize(
    ("lines", "text", "complete"),
    [
        ([_line(message={"content": "Hi", "tool_calls": []}, done=True)], "Hi", True),
        ([_line(response="Hi", done=False), _line(response=" Ada", done=True)], "Hi Ada", True),
        ([_line(message={"content": "Hi"}, done=False)], "Hi", False),
        ([_line(message={"content": "", "thinking": "hmm"}, done=True)], "", True),
        ([_line(choices=[{"message": {"content": "Hi"}, "finish_reason": "stop"}])], "Hi", True),
        ([b"{never json", b"17", b"[]", b'{"message":17}', b'{"choices":[17]}', b'{"choices":{}}'], "", False),
        ([b"[" * 100_000], "", False),
    ],
)
def test_the_tap_hears_words_and_the_end(lines: list[bytes], text: str, *, complete: bool) -> None:
    tap = Tap(2000)
    for line in lines:
        tap.hear(line)
    assert (tap.text, tap.complete, tap.failed) == (text, complete, False)


def _event(*choices: dict[str, Any], **more: Any) -> bytes:
    return b"data: " + _line(choices=choices, **more)


DONE = b"data: [DONE]"


@pytest.mark.parametrize(
    ("lines", "text", "complete"),
    [
        ([_event({"delta": {"content": "Hi"}}), b"", DONE], "Hi", True),
        ([_event({"delta": {"content": "Hi"}, "finish_reason": "stop"})], "Hi", False),
        ([_event({"delta": {"content": "Hi"}}), _event(usage={"total_tokens": 3}), DONE], "Hi", True),
        ([b": ping", b"event: message", _event({"index": 0, "delta": {"content": "Hi"}}), DONE], "Hi", True),
        (
            [
                _event({"index": 1, "delta": {"content": "No"}}),
                _event({"index": 0, "delta": {"content": "Hi"}}, {"index": 1, "delta": {"content": "!"}}),
                DONE,
            ],
            "Hi",
            True,
        ),
        ([_line(error="out of memory"), _line(message={"content": "Hi"}, done=True)], "", False),
    ],
    ids=["plain", "no end", "usage last", "other fields", "two choices", "no events"],
)
def test_the_tap_hears_events(lines: list[bytes], text: str, *, complete: bool) -> None:
    tap = Tap(2000, events=True)
    for line in lines:
        tap.hear(line)
    assert (tap.text, tap.complete, tap.failed) == (text, complete, False)


def test_of_a_document_with_two_choices_the_first_is_heard() -> None:
    tap = Tap(2000)
    end = {"finish_reason": "stop"}
    choices = [{"index": 1, "message": {"content": "No"}, **end}, {"index": 0, "message": {"content": "Hi"}, **end}]
    tap.hear(_line(choices=choices))
    assert (tap.text, tap.complete) == ("Hi", True)


@pytest.mark.parametrize(
    ("events", "line"), [(False, _line(error="gone")), (True, b"data: " + _line(error={"message": "gone"}))]
)
def test_the_tap_hears_of_failures(line: bytes, *, events: bool) -> None:
    tap = Tap(2000, events=events)
    tap.hear(line)
    assert (tap.failed, tap.complete) == (True, False)


def test_the_tap_keeps_no_more_than_a_memory_takes() -> None:
    tap = Tap(10)
    for _ in range(100):
        tap.hear(_line(message={"content": "abcdef"}, done=False))
    assert tap.text == "abcdefabcd"


@given(st.lists(st.sampled_from([b"a\n", b"\n", b"\r\n", b"b\r\n", b" \n"])))
def test_blank_lines_go_and_the_others_stay_as_they_are(lines: list[bytes]) -> None:
    kept = [line for line in without_blank_lines(b"".join(lines)).splitlines(keepends=True) if line.strip()]
    assert kept == [line for line in lines if line.strip()]
    assert b"\n\n" not in without_blank_lines(b"".join(lines))
