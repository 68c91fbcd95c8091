"""MQTT QoS 1 round trip of a request that needs no model, beside the broker's own echo, in turns in one run."""

from __future__ import annotations

import json
import socket
import time

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.subscribeoptions import SubscribeOptions

from benchmarks._daemon import broker, daemon
from benchmarks._measure import quantiles_ms

ROUNDS = 1000
WARM_UP = 50
GOAL_P50_MS = 1.0
QUESTIONS = ("What time is it?", "现在几点了？")
REQUEST = "claudemem/home/chat/bench/request"
REPLY = "claudemem/home/chat/bench/reply"
STATUS = "claudemem/home/status"
ECHO = "bench/echo"
TIMEOUT_S = 20.0


class _Caller:
    """A client that publishes and waits for one message, in one thread and without Nagle's delay."""

    def __init__(self, port: int) -> None:
        self._came: list[paho.MQTTMessage] = []
        self._client = paho.Client(CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
        self._client.on_message = lambda _client, _userdata, message: self._came.append(message)
        self._client.connect("127.0.0.1", port)
        connection = self._client.socket()
        assert isinstance(connection, socket.socket)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def listen(self, *topics: str) -> None:
        while not self._client.is_connected():
            self._client.loop(0.1)
        self._client.subscribe([(topic, SubscribeOptions(qos=1)) for topic in topics])

    def wait(self, topic: str, part: bytes = b"") -> bytes:
        """Return the payload of the next message on a topic that holds `part`."""
        end_s = time.monotonic() + TIMEOUT_S
        while time.monotonic() < end_s:
            for message in self._came:
                if message.topic == topic and part in message.payload:
                    self._came.clear()
                    return bytes(message.payload)
            self._client.loop(1.0)
        raise TimeoutError(topic)

    def round_trip_s(self, there: str, payload: bytes, back: str, part: bytes) -> tuple[float, bytes]:
        begun = time.perf_counter()
        self._client.publish(there, payload, qos=1)
        answer = self.wait(back, part)
        return time.perf_counter() - begun, answer

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop(0.1)


def run(arguments: list[str]) -> dict[str, object]:
    """Return the quantiles of both, in milliseconds of wall time. Arguments: number of rounds."""
    rounds = int(arguments[0]) if arguments else ROUNDS
    requests_s: list[float] = []
    echoes_s: list[float] = []
    with broker() as port, daemon("--model", "echo", mqtt_port=port):
        caller = _Caller(port)
        caller.listen(REPLY, STATUS, ECHO)
        caller.wait(STATUS, b"online")
        for number in range(WARM_UP + rounds):
            name = f"r-{number}".encode()
            payload = json.dumps({"id": name.decode(), "text": QUESTIONS[number % 2]}, ensure_ascii=False).encode()
            echo_s, _ = caller.round_trip_s(ECHO, payload, ECHO, name)
            request_s, answer = caller.round_trip_s(REQUEST, payload, REPLY, b'"' + name + b'"')
            reply = json.loads(answer)
            if not reply["ok"] or reply["model"]:
                raise RuntimeError("the question was not answered without a model")
            if number >= WARM_UP:
                echoes_s.append(echo_s)
                requests_s.append(request_s)
        caller.close()
    request, echo = quantiles_ms(requests_s), quantiles_ms(echoes_s)
    return {
        "goal_p50_ms": GOAL_P50_MS,
        "rounds": rounds,
        "request_ms": request,
        "broker_echo_ms": echo,
        "ratio_p50": round(request["p50"] / echo["p50"], 2),
    }
