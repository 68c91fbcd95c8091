"""Sees now and then whether the language model is still there: nobody else does while nobody asks anything."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Protocol

from claudemem_edge.errors import EdgeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from claudemem_edge.model.choice import ChosenModel

log = logging.getLogger(__name__)


class CanBeLookedAt(Protocol):
    """The model client, or what stands in for it."""

    async def look(self) -> ChosenModel:
        """Return the model that answers now. Raises EdgeError."""


async def watch(model: CanBeLookedAt, every_s: float, is_busy: Callable[[], bool]) -> None:
    """Look now and then until cancelled, and log once why there is no model. An answer being given proves enough.

    With 0 it looks only once.
    """
    told = ""
    while True:
        if not is_busy():
            try:
                await model.look()
            except EdgeError as error:
                if error.code != told:
                    log.warning("no language model: %s. %s", error.message, error.hint)
                told = error.code
            else:
                told = ""
        if not every_s:
            return
        await asyncio.sleep(every_s)
