"""Which scopes there are, and which goes when there is no room: the longest unused with nothing open, visits first."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from claudemem_edge.errors import Full, UnknownScope

if TYPE_CHECKING:
    from collections.abc import Callable

    from claudemem_edge.sessions.session import Session
    from claudemem_edge.shapes.options import SessionOptions


class Scopes:
    """The sessions by scope, the longest unused first. Creates and ends them.

    `new_session` makes an empty one; `visit_ended` hears of the visits that have ended, in whichever way.
    """

    def __init__(
        self, options: SessionOptions, new_session: Callable[[], Session], visit_ended: Callable[[str], None]
    ) -> None:
        self._options = options
        self._new_session = new_session
        self._visit_ended = visit_ended
        self._sessions: dict[str, Session] = {}

    def __contains__(self, scope: str) -> bool:
        return scope in self._sessions

    def names(self) -> tuple[str, ...]:
        """Return the scopes there are, the longest unused first."""
        return tuple(self._sessions)

    def all(self) -> tuple[Session, ...]:
        """Return every session."""
        return tuple(self._sessions.values())

    def find(self, scope: str) -> Session | None:
        """Return a scope's session, if there is one, without counting as use of it."""
        return self._sessions.get(scope)

    def peek(self, scope: str) -> Session:
        """Return a scope's session without counting as use of it. Raises UnknownScope."""
        if scope not in self._sessions:
            raise UnknownScope("nothing is remembered under this name")
        return self._sessions[scope]

    def open(self, scope: str, now_s: float, *, create: bool = True) -> Session:
        """Return a scope's session, used at `now_s`. Raises UnknownScope (when it may not be created) or Full."""
        if not create or scope in self._sessions:
            session = self.peek(scope)
            del self._sessions[scope]
        else:
            self._make_room()
            session = self._new_session()
        session.seen_boot_s = now_s
        self._sessions[scope] = session  # at the end: the order of the dict is the order of last use
        return session

    def end(self, scope: str) -> bool:
        """End a scope: its answers are ended and everything of it is gone. Tell whether there was one."""
        session = self._sessions.pop(scope, None)
        if session is not None:
            session.interrupt("ended")
            if self._is_visit(scope):
                self._visit_ended(scope)
        return session is not None

    def drop(self, scope: str) -> None:
        """Let go of a scope in which nothing has begun."""
        del self._sessions[scope]

    def silent_visits(self, now_s: float) -> list[str]:
        """Return the visits that have been silent for too long."""
        seen_before_s = now_s - self._options.visit_idle_s
        return [name for name, one in self._sessions.items() if self._is_silent_visit(name, one, seen_before_s)]

    def size_bytes(self) -> int:
        """Return the bytes of all memories together."""
        return sum(one.desk.memory.size_bytes() for one in self._sessions.values())

    def fit(self, keep: str) -> None:
        """Bring all memories together under their cap, as far as any but `keep` may go."""
        while self._too_large() and self._evict(keep):
            pass

    def cap_bytes(self) -> int | None:
        """Return each scope's share while scopes that may not go take all there is; None: its own cap is all."""
        return self._options.all_bytes // len(self._sessions) if self._too_large() else None

    def _too_large(self) -> bool:
        return self.size_bytes() > self._options.all_bytes

    def _make_room(self) -> None:
        while len(self._sessions) >= self._options.max_scopes or self._too_large():
            if not self._evict():
                raise Full("there is no room for another scope", hint="end one that is no longer needed")

    def _evict(self, keep: str = "") -> bool:
        """End a scope that may go. Tell whether there was one."""
        names = [name for name, one in self._sessions.items() if name != keep and one.may_go()]
        return bool(names) and self.end(next((name for name in names if self._is_visit(name)), names[0]))

    def _is_visit(self, scope: str) -> bool:
        return fnmatchcase(scope, self._options.visit_pattern)

    def _is_silent_visit(self, scope: str, session: Session, seen_before_s: float) -> bool:
        return self._is_visit(scope) and session.seen_boot_s < seen_before_s and session.may_go()
