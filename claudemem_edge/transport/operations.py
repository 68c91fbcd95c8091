"""What can be asked for on our own HTTP routes: one table, for the router and for the schema."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from claudemem_edge.transport import answers, wire
from claudemem_edge.transport.replies import JSON

if TYPE_CHECKING:
    from claudemem_edge.transport.fields import WireModel

SCOPE = "/memory/{scope}"


@dataclass(slots=True, frozen=True)
class Operation:
    """One of them. `name` is that of its handler, whose docstring says what it does.

    `answer` is the shape of the answer as JSON; None where it is none of ours. `rows` is the shape of each line where
    the answer is a stream. `failure` is the shape of an answer that says why it was not carried out.
    """

    name: str
    method: str
    path: str
    answer: Any = None
    body: type[WireModel] | None = None
    query: type[WireModel] | None = None
    rows: Any = None
    failure: Any = answers.Refusal
    media_type: str = JSON
    status: int = HTTPStatus.OK


STATUS_OPERATIONS = (
    Operation("health", "GET", "/health", answers.HealthAnswer),
    Operation("metrics", "GET", "/metrics", media_type="text/plain"),
    Operation("openapi", "GET", "/openapi.json"),
    Operation("asyncapi", "GET", "/asyncapi.json"),
)
MEMORY_OPERATIONS = (
    Operation("show", "GET", SCOPE, answers.MemoryAnswer),
    Operation(
        "say",
        "POST",
        f"{SCOPE}/say",
        answers.Ending,
        wire.AskIn,
        rows=answers.TurnEvent,
        failure=answers.FailedEvent | answers.Refusal,
    ),
    Operation("cancel", "POST", f"{SCOPE}/cancel", answers.CancelledAnswer, wire.CancelIn),
    Operation("observe", "POST", f"{SCOPE}/observe", answers.OutcomeAnswer, wire.ObserveIn),
    Operation("forget", "POST", f"{SCOPE}/forget", answers.OutcomeAnswer, wire.ForgetIn),
    Operation("end", "POST", f"{SCOPE}/end", answers.EndedAnswer),
    Operation("context", "GET", f"{SCOPE}/context", answers.BlockAnswer, query=wire.ContextIn),
    Operation("digest", "GET", f"{SCOPE}/digest", answers.DigestAnswer, query=wire.DigestIn),
    Operation("trace", "GET", f"{SCOPE}/turns/{{turn}}", answers.Trace),
    Operation("pending", "GET", f"{SCOPE}/pending", answers.PendingAnswer),
    Operation(
        "add_pending", "POST", f"{SCOPE}/pending", answers.OutcomeAnswer, wire.PendingIn, status=HTTPStatus.CREATED
    ),
    Operation("change_pending", "PATCH", f"{SCOPE}/pending/{{id}}", answers.OutcomeAnswer, wire.PendingIn),
)
EVENT_OPERATIONS = (
    Operation("events", "GET", f"{SCOPE}/events", rows=answers.NoticeRow),
    Operation("all_events", "GET", "/events", rows=answers.NoticeRow),
)


def routes(operations: tuple[Operation, ...], handlers: object) -> list[Route]:
    """Return a route for each of these operations; `handlers` has a method of the name of each."""
    return [Route(one.path, getattr(handlers, one.name), methods=[one.method]) for one in operations]
