"""Due items, handed to whoever listens for their scope. A slow listener loses the oldest and is told how many."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable

    from claudemem_edge.shapes.turn import Notice

EVERY_SCOPE = "*"
QUEUE_MOST = 64


class Subscription:
    """An async iterator over the notices of one scope, or of all. `lost` counts what a slow reader missed.

    `ended` tells that it is over because the visit is: whoever has the name next is somebody else.
    """

    def __init__(self, notices: Notices, scope: str) -> None:
        self.scope = scope
        self.lost = 0
        self.ended = False
        self._notices = notices
        self._waiting: deque[Notice] = deque()
        self._wake = asyncio.Event()
        self._closed = False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Notice:
        while not self._waiting:
            if self._closed:
                raise StopAsyncIteration
            self._wake.clear()
            await self._wake.wait()
        return self._waiting.popleft()

    def put(self, notice: Notice) -> None:
        """Take a notice in; the oldest goes when there is no room."""
        if len(self._waiting) >= QUEUE_MOST:
            self._waiting.popleft()
            self.lost += 1
        self._waiting.append(notice)
        self._wake.set()

    def withdraw(self, stands: Callable[[Notice], bool]) -> None:
        """Take back what waits and stands no longer."""
        self._waiting = deque(filter(stands, self._waiting))

    def end(self) -> None:
        """End the iteration now; nobody reads any more what waits."""
        self.ended = True
        self._waiting.clear()
        self.close()

    def close(self) -> None:
        """End the iteration once what waits has been read; no more notices come in."""
        self._closed = True
        self._wake.set()
        self._notices.drop(self)


class Notices:
    """Bounded fan-out from the alarm to the doors."""

    def __init__(self) -> None:
        self._subscriptions: list[Subscription] = []

    def subscribe(self, scope: str = EVERY_SCOPE) -> Subscription:
        """Return a new subscription to one scope, or to all; close it when done."""
        subscription = Subscription(self, scope)
        self._subscriptions.append(subscription)
        return subscription

    def publish(self, notice: Notice) -> int:
        """Hand a notice to all who listen for its scope, and return how many did. Never waits."""
        listening = [one for one in self._subscriptions if one.scope in {notice.scope, EVERY_SCOPE}]
        for subscription in listening:
            subscription.put(notice)
        return len(listening)

    def withdraw(self, stands: Callable[[Notice], bool]) -> None:
        """Take back, wherever it waits, what stands no longer: it was answered, or forgotten."""
        for subscription in self._subscriptions:
            subscription.withdraw(stands)

    def end(self, scope: str) -> None:
        """End the subscriptions to a visit that is over."""
        for subscription in tuple(self._subscriptions):
            if subscription.scope == scope:
                subscription.end()

    def listeners(self, scope: str) -> int:
        """Return how many listen for a scope, those who listen for all included."""
        return sum(one.scope in {scope, EVERY_SCOPE} for one in self._subscriptions)

    def drop(self, subscription: Subscription) -> None:
        """Forget a closed subscription."""
        if subscription in self._subscriptions:
            self._subscriptions.remove(subscription)

    def close(self) -> None:
        """Close every subscription."""
        for subscription in tuple(self._subscriptions):
            subscription.close()
