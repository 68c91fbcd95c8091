"""The log: ids, sizes, kinds and places. What an exception says may be somebody's words, so it is never written.

Only an owner who sets `log.log_text` finds words here: utterances and blocks, at level debug.
"""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio
    from types import TracebackType

logger = logging.getLogger(__name__)
OWN = "claudemem_edge"
NEVER = logging.CRITICAL + 1
spoken = logging.getLogger(f"{__name__}.spoken")
spoken.setLevel(NEVER)
"""Takes what people say and what blocks hold. Closed unless `set_up_log` opens it."""
access = logging.getLogger(f"{__name__}.access")
access.setLevel(NEVER)
"""Takes a line for each HTTP request. Closed unless `set_up_log` opens it: who spoke when is private too."""


class WordlessFormatter(logging.Formatter):
    """Tells of an exception what it is and where it came from; whoever logs it cannot make it say more."""

    def formatException(self, ei: Any) -> str:  # noqa: N802 (the library's name)
        """Return kind and place of an exception."""
        return told(ei[1]) if ei[1] is not None else ""


def set_up_log(level: str, *, log_text: bool = False, log_access: bool = False) -> None:
    """Log to standard error, our own lines at `level`, the libraries' from warnings up.

    Words only with `log_text`, requests only with `log_access`.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(WordlessFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(
        level=max(logging.WARNING, logging.getLevelNamesMapping()[level.upper()]), handlers=[handler], force=True
    )
    logging.getLogger(OWN).setLevel(level.upper())
    spoken.setLevel(logging.NOTSET if log_text else NEVER)
    access.setLevel(logging.NOTSET if log_access else NEVER)
    if log_text:
        logger.warning("log.log_text is on: what people say is logged at level debug, for whoever reads the log")
    sys.unraisablehook = lambda unraisable: logger.error("an exception came too late: %s", told(unraisable.exc_value))


def log_failure(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Take what the event loop reports: its own way would print the exception with all that it says."""
    del loop
    error = context.get("exception")
    logger.error("%s: %s", context["message"].partition("\n")[0], told(error) if error is not None else "no exception")


def told(error: BaseException | None) -> str:
    """Return what may be told of an exception: its kind, and the file and line it came from."""
    trace: TracebackType | None = error.__traceback__ if error is not None else None
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f"{trace.tb_frame.f_code.co_filename.rpartition('/')[2]}:{trace.tb_lineno}" if trace is not None else "?"
    return f"{type(error).__name__} at {place}"
