"""How the daemon is, in a line for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fakes.house import make_sessions

from claudemem_edge.counters import Counters
from claudemem_edge.model.echo import EchoModel
from claudemem_edge.transport.health import Health
from claudemem_edge.transport.mqtt import NOT_STARTED

if TYPE_CHECKING:
    from claudemem_edge.shapes.status import LinkStatus

CONNECTED: LinkStatus = {**NOT_STARTED, "connected": True}


@pytest.mark.parametrize(
    ("link", "wanted"), [(None, ""), (NOT_STARTED, ", MQTT: no broker"), (CONNECTED, ", MQTT: connected")]
)
async def test_the_line_for_systemctl_status(link: LinkStatus | None, wanted: str) -> None:
    sessions = make_sessions("http://127.0.0.1:9")
    sessions.observe("anna", "user", "My dog is called Biscuit.")
    health = Health(sessions, EchoModel(), Counters())
    if link is not None:
        health.mqtt = lambda: link
    assert health.line() == f"1 scope(s), {sessions.size_bytes() // 1000} kB, model: echo{wanted}"
