"""Requests seen lately: MQTT may deliver one twice, and a client may send it again after it lost the connection."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from claudemem_edge.transport.mqtt_messages import Address

Key = tuple[str, str, str]
"""Kind of request, scope, id."""

Epoch = tuple[int, int]
"""As of `Sessions.epoch`."""
MOST_REQUESTS = 1024
MOST_REPLY_BYTES = 1 << 18
MOST_ADDRESSES = 4


@dataclass(slots=True)
class Seen:
    """A request that came before. `reply` is None while it is worked on, and empty once it may no longer be told."""

    until_s: float
    addresses: list[Address] = field(default_factory=list)
    reply: bytes | None = None
    epoch: Epoch | None = None
    """That of the scope when the reply was made: another one means that something was forgotten since."""


class Repeats:
    """The requests of a while, bounded in number and in bytes, with the replies they got."""

    def __init__(self, window_s: float) -> None:
        self._window_s = window_s
        self._seen: OrderedDict[Key, Seen] = OrderedDict()
        self._reply_bytes = 0

    def __len__(self) -> int:
        return len(self._seen)

    def look(self, key: Key, address: Address, now_s: float) -> Seen | None:
        """Return what is known of a repeated request; None for a new one, which is seen from now on.

        A repeat of one that is still worked on is answered together with it, wherever it wants its reply.
        """
        self._drop_old(now_s)
        seen = self._seen.get(key)
        if seen is None:
            self._seen[key] = Seen(now_s + self._window_s, [address])
            return None
        if seen.reply is None and address not in seen.addresses and len(seen.addresses) < MOST_ADDRESSES:
            seen.addresses.append(address)
        return seen

    def answered(self, key: Key, reply: bytes, epoch: Epoch | None, *, keep: bool = True) -> tuple[Address, ...]:
        """Note the reply of a request, and return everywhere it goes; nowhere when the request is not known.

        Without `keep` the request counts as new when it comes again.
        """
        seen = self._seen.get(key) if keep else self._seen.pop(key, None)
        if seen is None:
            return ()
        if not keep:
            return tuple(seen.addresses)
        seen.reply, seen.epoch = reply, epoch
        self._reply_bytes += len(reply)
        self._drop_bytes()
        return tuple(seen.addresses)

    def forget(self, scope: str, epoch: Epoch | None) -> None:
        """Let go of what was replied in a scope before something was forgotten there; None: the scope is gone."""
        for key, seen in self._seen.items():
            if key[1] == scope and seen.reply and seen.epoch != epoch:
                self._empty(seen)

    def scopes(self) -> Iterator[str]:
        """Return the scopes with replies in here."""
        yield from {key[1] for key, seen in self._seen.items() if seen.reply}

    def _drop_old(self, now_s: float) -> None:
        while self._seen:
            key, seen = next(iter(self._seen.items()))
            if seen.until_s > now_s and len(self._seen) < MOST_REQUESTS:
                return
            self._empty(seen)
            del self._seen[key]

    def _drop_bytes(self) -> None:
        for seen in self._seen.values():
            if self._reply_bytes <= MOST_REPLY_BYTES:
                return
            self._empty(seen)

    def _empty(self, seen: Seen) -> None:
        if seen.reply:
            self._reply_bytes -= len(seen.reply)
            seen.reply = b""
