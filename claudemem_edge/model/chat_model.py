"""What a turn needs of a language model: ModelClient is one, the echo another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from claudemem_edge.model.choice import ChosenModel
    from claudemem_edge.model.prompt import Message


class ChatModel(Protocol):
    """A way to ask a model and hear its answer piece by piece."""

    async def chosen(self) -> ChosenModel:
        """Return the model that answers now. Raises BackendUnreachable or ModelMissing."""

    def stream(self, messages: Sequence[Message], chosen: ChosenModel, deadline_s: float) -> AsyncGenerator[str, None]:
        """Yield the answer; ending normally means that it is whole. Raises EdgeError. Closing it stops the model."""
