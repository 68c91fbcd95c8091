from __future__ import annotations

import asyncio

import pytest

from claudemem_edge.memory import Memory
from claudemem_edge.transport import ollama_repeats
from claudemem_edge.transport.ollama_repeats import Kept, Repeats


async def test_eight_are_kept_and_the_oldest_goes() -> None:
    repeats, memory = Repeats(), Memory()
    for number in range(9):
        repeats.keep("kim", memory, bytes([number]), Kept(str(number), number))
    found = [repeats.find("kim", memory, bytes([number]), newest=False) for number in range(9)]
    assert [kept.text if kept else None for kept in found] == [None, *map(str, range(1, 9))]


async def test_a_retry_is_of_the_newest_alone() -> None:
    repeats, memory = Repeats(), Memory()
    for name in (b"a", b"b"):
        repeats.keep("kim", memory, name, Kept("", 1))
    assert repeats.find("kim", memory, b"a", newest=True) is None
    assert repeats.find("kim", memory, b"b", newest=True) is not None


async def test_scopes_share_nothing() -> None:
    repeats, memory = Repeats(), Memory()
    repeats.keep("kim", memory, b"a", Kept("", 1))
    assert repeats.find("ann", memory, b"a", newest=False) is None


@pytest.mark.parametrize("how", ["forget", "another memory"])
async def test_nothing_outlives_a_forget_or_its_memory(how: str) -> None:
    repeats, memory = Repeats(), Memory()
    memory.observe("user", "The key is under the blue pot.")
    repeats.keep("kim", memory, b"a", Kept("", 1))
    if how == "forget":
        memory.command("forget_all", "confirmed")
    else:
        memory = Memory()
    assert repeats.find("kim", memory, b"a", newest=False) is None


async def test_after_a_while_they_go_by_themselves_and_use_gives_them_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ollama_repeats, "KEPT_S", 0.02)
    repeats, memory = Repeats(), Memory()
    kept = Kept("", 1)
    repeats.keep("kim", memory, b"a", kept)
    shelf = repeats._scopes["kim"]
    monkeypatch.setattr(ollama_repeats, "KEPT_S", 60.0)
    assert repeats.find("kim", memory, b"a", newest=False) is kept
    repeats.keep("kim", memory, b"b", Kept("", 2))
    monkeypatch.setattr(ollama_repeats, "KEPT_S", 0.02)
    shelf.touch(b"b")
    async with asyncio.timeout(20):
        while b"b" in shelf.kept:  # noqa: ASYNC110 (the timer is the loop's own)
            await asyncio.sleep(0.01)
    assert list(shelf.kept) == [b"a"]
    shelf.drop(b"a")
    assert repeats._scopes == {}
