"""A stand-in for a language model: it answers with what it was given, for trying things out without one."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from claudemem_edge.errors import TimedOut, Unsupported
from claudemem_edge.model.choice import ChosenModel
from claudemem_edge.model.profiles import profile_for

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping, Sequence

    from claudemem_edge.model.client import Relay
    from claudemem_edge.model.prompt import Message
    from claudemem_edge.shapes.status import ModelStatus

PIECE = re.compile(r"\s*\S{1,8}\s*")


class EchoModel:
    """Has the face of ModelClient and needs no server."""

    async def chosen(self) -> ChosenModel:
        """Return itself, with the default profile less its instructions: an echo needs none."""
        profile = replace(profile_for("echo"), closing=MappingProxyType({}), system=MappingProxyType({}))
        return ChosenModel("echo", "", "echo:", profile, speaks=False)

    async def look(self) -> ChosenModel:
        """Return itself."""
        return await self.chosen()

    async def stream(
        self, messages: Sequence[Message], chosen: ChosenModel, deadline_s: float
    ) -> AsyncGenerator[str, None]:
        """Yield the last message in pieces: the block and the question."""
        del chosen
        for piece in PIECE.findall(messages[-1]["content"]):
            await asyncio.sleep(0)
            if asyncio.get_running_loop().time() >= deadline_s:
                raise TimedOut("the answer was not complete in time")
            yield piece

    async def relay(
        self, method: str, path: str, body: bytes, headers: Mapping[str, str], deadline_s: float | None = None
    ) -> Relay:
        """Refuse: there is no server behind the echo."""
        del method, body, headers, deadline_s
        raise Unsupported(f"{path} needs a language model; this daemon runs with the echo")

    def status(self) -> ModelStatus:
        """Return what health tells about the model."""
        return {"name": "echo", "digest": "", "url": "echo:", "profile": "default", "last_error": "", "last_answer": {}}

    async def aclose(self) -> None:
        """Nothing to close."""
