"""The daemon's question to itself: whatever the languages, and whatever is broken."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from claudemem_edge.errors import InternalError
from claudemem_edge.memory import Memory
from claudemem_edge.sessions.self_test import self_test
from claudemem_edge.shapes.context import Context

if TYPE_CHECKING:
    from datetime import tzinfo

    from claudemem_edge.shapes.times import Moment


class Deaf(Memory):
    """Hears and keeps nothing, and says that all is well."""

    def context(self, *_: object, **__: object) -> Context:
        return Context()


def zone(now: Moment) -> tzinfo:
    found = now.wall.tzinfo
    assert found is not None
    return found


@pytest.mark.parametrize("languages", [("zh", "en"), ("en", "zh"), ("zh",), ("en",)], ids="+".join)
async def test_a_memory_that_works_passes(now: Moment, languages: tuple[str, ...]) -> None:
    await self_test(lambda: Memory(languages), zone(now))


async def test_a_memory_that_finds_nothing_again_fails(now: Moment) -> None:
    with pytest.raises(InternalError, match="what it had been told"):
        await self_test(Deaf, zone(now))
