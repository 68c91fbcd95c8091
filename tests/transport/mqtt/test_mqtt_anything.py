"""Any bytes on any topic: one answer or none, never an exception; and nothing heavy before the door starts."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from typing import Any

from fakes.house import make_sessions
from hypothesis import given, settings
from hypothesis import strategies as st

from claudemem_edge.counters import Counters
from claudemem_edge.shapes.options import MqttOptions
from claudemem_edge.transport.mqtt_messages import Arrival, Letter
from claudemem_edge.transport.mqtt_requests import Requests
from claudemem_edge.transport.mqtt_topics import REPLY_TO, Topics

TOPICS = Topics("home")
FIELDS = ("id", "text", "query", "what", "scope", "key", "confirm", "op", "due", "for_s", "speaker", "limit_chars")
VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20),
    st.sampled_from(["all", "last", "entity", "add", "done", "snooze", "p1", "2030-01-01T10:00:00+00:00"]),
)  # fmt: skip
PAYLOADS = st.one_of(
    st.binary(max_size=60),
    st.text(max_size=60).map(lambda text: text.encode("utf-8", "replace")),
    st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=5).map(lambda body: json.dumps(body).encode()),
)
SEGMENTS = st.one_of(st.sampled_from(["anna", "bert"]), st.text(max_size=8).filter(lambda text: "/" not in text))
ARRIVALS = st.builds(
    lambda levels, segment, payload, flags, respond_to: Arrival(
        f"claudemem/home/{levels[0]}/{segment}/{levels[1]}", payload, flags[0], flags[0] and flags[1], respond_to
    ),
    st.sampled_from([levels for levels in REPLY_TO if levels != ("chat", "request")]),
    SEGMENTS,
    PAYLOADS,
    st.tuples(st.booleans(), st.booleans()),
    st.one_of(st.just(""), st.sampled_from(["nurse/answers", "claudemem/home/status"]), st.text(max_size=8)),
)


def make_requests(sent: list[Letter]) -> Requests:
    sessions = make_sessions("http://127.0.0.1:9")
    return Requests(MqttOptions(), TOPICS, sessions, Counters(), send=sent.append, deadline_s=5)


@settings(deadline=None)
@given(st.lists(ARRIVALS, max_size=20))
def test_each_request_has_one_answer_and_none_raises(arrivals: list[Arrival]) -> None:
    async def run() -> None:
        sent: list[Letter] = []
        requests = make_requests(sent)
        for arrival in arrivals:
            sent.clear()
            requests.take(arrival)
            silent = arrival.stored or (arrival.retained and not arrival.payload)
            assert len(sent) == (0 if silent else 1)
            for letter in sent:
                body: dict[str, Any] = json.loads(letter.payload)
                assert body["ok"] is (body["end"] == "final")
                assert body.get("error", {}).get("code") != "internal"
                assert TOPICS.call(letter.topic) is None
                assert not letter.retain

    asyncio.run(run())


@given(st.text(max_size=40), st.binary(max_size=20))
def test_other_topics_are_left_alone(topic: str, payload: bytes) -> None:
    sent: list[Letter] = []
    requests = make_requests(sent)
    requests.take(Arrival(topic, payload))
    requests.take(Arrival(f"claudemem/home/{topic}/reply", payload))
    assert sent == []


def test_a_door_that_is_not_started_loads_no_mqtt_library() -> None:
    program = (
        "import sys, claudemem_edge.transport.mqtt\n"
        "print([name for name in sys.modules if name.split('.')[0] in {'aiomqtt', 'paho'}])"
    )
    found = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert found.stdout.strip() == "[]"
