"""Which model answers: the one named in the settings, else the one loaded, else the smallest chat model there is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from claudemem_edge.shapes.context import Profile

NO_CHAT = ("embed", "bert", "bge", "minilm", "rerank")
"""Parts of the names of models and families that answer no questions."""


@dataclass(slots=True, frozen=True)
class ChosenModel:
    """The model that answers, where it is, and how it wants its block."""

    name: str
    digest: str
    url: str
    profile: Profile
    size_bytes: int = 0
    speaks: bool = True
    """False for the echo: what it says is not worth remembering."""


@dataclass(slots=True, frozen=True)
class ListedModel:
    """A model as a server lists it."""

    name: str
    digest: str = ""
    size_bytes: int = 0
    family: str = ""
    chats: bool = True
    remote: bool = False
    """True for a model that the server only passes on to another machine."""


def listed_models(payload: dict[str, Any]) -> list[ListedModel]:
    """Read an answer of /api/tags or /api/ps; rows without a name are left out."""
    rows = payload.get("models")
    return [_listed(row) for row in rows if isinstance(row, dict) and row.get("name")] if isinstance(rows, list) else []


def choose(listed: Sequence[ListedModel], loaded: Iterable[str], name: str) -> ListedModel | None:
    """Return the model to use, or None.

    A model that sends the words to another machine is used only when it was named.
    """
    if name:
        return next((model for model in listed if model.name in {name, f"{name}:latest"}), None)
    usable = sorted((model for model in listed if model.chats and not model.remote), key=lambda it: it.size_bytes)
    in_memory = set(loaded)
    return next((model for model in usable if model.name in in_memory), usable[0] if usable else None)


def _listed(row: dict[str, Any]) -> ListedModel:
    details = row.get("details") if isinstance(row.get("details"), dict) else {}
    family = str(details.get("family") or "") if isinstance(details, dict) else ""
    name = str(row["name"])
    capabilities = row.get("capabilities")
    if isinstance(capabilities, list) and capabilities:
        chats = "completion" in capabilities
    else:
        chats = not any(part in f"{name} {family}".lower() for part in NO_CHAT)
    size = row.get("size")
    return ListedModel(
        name=name,
        digest=str(row.get("digest") or ""),
        size_bytes=size if isinstance(size, int) else 0,
        family=family,
        chats=chats,
        remote=bool(row.get("remote_host") or row.get("remote_model")),
    )
