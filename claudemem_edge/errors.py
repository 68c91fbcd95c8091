"""Every error a caller may see, in one tree, each class with a stable code.

EdgeError
├── BadRequest        bad_request          the request cannot be read or makes no sense
├── TooLong           too_long             the text is longer than this door takes
├── Forbidden         forbidden            the caller may not do this
├── UnknownScope      unknown_scope        no such memory, or a name that cannot be one
├── Full              full                 no room for another scope, claim or item
├── Busy              busy                 the language model has no place left in its queue
├── Expired           expired              too late for it: its own deadline has gone by, or what it rests on is gone
├── TimedOut          timeout              the answer was not complete when the deadline came
├── BackendUnreachable backend_unreachable the language model's server does not answer
├── ModelMissing      model_missing        the server answers, but has no such model
├── Unsupported       unsupported          known, but not offered here
├── ShuttingDown      shutdown             the daemon is stopping
├── InternalError     internal             our fault
├── SettingsError     settings             one or more settings are wrong (all told at once)
└── PackError         pack                 a language or domain pack cannot be used

No message may contain words a user said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable

CODES = (
    "bad_request",
    "too_long",
    "forbidden",
    "unknown_scope",
    "full",
    "busy",
    "expired",
    "timeout",
    "backend_unreachable",
    "model_missing",
    "unsupported",
    "shutdown",
    "internal",
)
"""What goes over the wire. Settings and packs are wrong before there is one."""


class EdgeError(Exception):
    """Base of all. `code` is stable and goes over the wire; `hint` says what to do next."""

    code: ClassVar[str] = "internal"

    def __init__(self, message: str, *, hint: str = "", heard: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.heard = heard
        """True when the user's words were learned before the refusal."""


class BadRequest(EdgeError):
    """The request cannot be read or makes no sense."""

    code = "bad_request"


class TooLong(EdgeError):
    """The text is longer than this door takes."""

    code = "too_long"


class Forbidden(EdgeError):
    """The caller may not do this."""

    code = "forbidden"


class UnknownScope(EdgeError):
    """There is no such memory, or the name cannot be one."""

    code = "unknown_scope"


class Full(EdgeError):
    """There is no room for another scope, or in a scope for another claim or item."""

    code = "full"


class Busy(EdgeError):
    """The language model has no place left in its queue."""

    code = "busy"

    def __init__(self, message: str, *, retry_after_s: float, hint: str = "", heard: bool = False) -> None:
        super().__init__(message, hint=hint, heard=heard)
        self.retry_after_s = retry_after_s


class Expired(EdgeError):
    """Too late: the request's own deadline has gone by, or what its answer rests on is forgotten."""

    code = "expired"


class TimedOut(EdgeError):
    """The answer was not complete when the deadline came."""

    code = "timeout"


class BackendUnreachable(EdgeError):
    """The language model's server does not answer, or broke off in the middle."""

    code = "backend_unreachable"


class ModelMissing(EdgeError):
    """The server answers, but has no such model."""

    code = "model_missing"


class Unsupported(EdgeError):
    """Known, but not offered here."""

    code = "unsupported"


class ShuttingDown(EdgeError):
    """The daemon is stopping."""

    code = "shutdown"


class InternalError(EdgeError):
    """Our fault."""

    code = "internal"


class SettingsError(EdgeError):
    """One or more settings are wrong; `problems` names them all."""

    code = "settings"

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class PackError(EdgeError):
    """A language or domain pack cannot be used; the message names file and rule."""

    code = "pack"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the end of a sentence on a wrong name: "; did you mean …?", or "" when no known name is near."""
    import difflib  # noqa: PLC0415  only mistakes need it

    close = difflib.get_close_matches(name, [one for one in known if one != name], 1)
    return f"; did you mean {close[0]}?" if close else ""
