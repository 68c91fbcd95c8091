"""How the daemon is, and what it understands: for people, for Prometheus, and for whoever writes a client."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import Response

from claudemem_edge.transport.operations import STATUS_OPERATIONS, routes
from claudemem_edge.transport.replies import JSON, json_reply
from claudemem_edge.transport.schema import schema_bytes

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.routing import Route

    from claudemem_edge.transport.health import Health


class StatusRoutes:
    """The handlers of /health, /metrics and the schemas."""

    def __init__(self, health: Health) -> None:
        self._health = health

    def routes(self) -> list[Route]:
        """Return the routes."""
        return routes(STATUS_OPERATIONS, self)

    async def health(self, request: Request) -> Response:
        """Tell how the daemon is."""
        del request
        return json_reply(self._health.report())

    async def metrics(self, request: Request) -> Response:
        """Tell the numbers, for Prometheus."""
        del request
        return Response(self._health.metrics(), media_type="text/plain; version=0.0.4")

    async def openapi(self, request: Request) -> Response:
        """Describe the HTTP routes."""
        del request
        return Response(schema_bytes("openapi"), media_type=JSON)

    async def asyncapi(self, request: Request) -> Response:
        """Describe the MQTT topics."""
        del request
        return Response(schema_bytes("asyncapi"), media_type=JSON)
