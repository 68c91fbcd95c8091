"""One round: a neighbour dies before, during or after an answer, and comes back."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from neighbours.asks import LONG_QUESTION, SHORT, WAYS, Answer, Asking
from neighbours.house import BrokerNeighbour, seconds_until

if TYPE_CHECKING:
    from neighbours.house import House, Neighbour

MOMENTS = ("before", "during", "after")
HTTP = ("say", "chat")
ALL = tuple(WAYS)
TOLD_WITHIN_S = 5.0
"""Looks are half a second apart here, and what changed goes to the broker within a second."""


@dataclass
class Round:
    """What came of it. `wrong` names each promise that was broken, `lies` what health said that was not so."""

    endings: Counter[str] = field(default_factory=Counter)
    recovery_s: float = 0.0
    wrong: list[str] = field(default_factory=list)
    lies: list[str] = field(default_factory=list)


class Play:
    """Plays rounds with one neighbour."""

    def __init__(self, house: House, neighbour: Neighbour) -> None:
        self._house = house
        self._neighbour = neighbour
        self._is_broker = isinstance(neighbour, BrokerNeighbour)
        self._known = neighbour.name != "engine"
        self._round = Round()
        self._back_s = 0.0

    async def play(self, moment: str, number: int) -> Round:
        """Play one round."""
        self._round = Round()
        name = f"{self._neighbour.name}-{moment}-{number}"
        if self._is_broker:
            await self._observe(name)
        match moment:
            case "before":
                await self._before(name)
            case "during":
                await self._during(name)
            case _:
                await self._after(name)
        recovered_s = await self._recover(name)
        self._round.recovery_s = self._round.recovery_s or recovered_s
        await self._says("up")
        if self._is_broker:
            await self._repeat(name)
        return self._round

    async def _before(self, name: str) -> None:
        await self._neighbour.kill()
        await self._take(Asking(self._house, name, SHORT, HTTP if self._is_broker else ALL))
        await self._says("down")
        await self._come_back()

    async def _during(self, name: str) -> None:
        asking = Asking(self._house, name, LONG_QUESTION, ("mqtt",) if self._is_broker else ALL)
        await asking.begins()
        await self._neighbour.kill()
        if self._is_broker:
            await self._take(Asking(self._house, f"{name}-meanwhile", SHORT, HTTP))
        else:
            await self._take(asking)
        await self._says("down")
        await self._come_back()
        if self._is_broker:
            await self._take(asking)

    async def _after(self, name: str) -> None:
        await self._take(Asking(self._house, f"{name}-well", SHORT, ALL))
        await self._neighbour.kill()
        await self._come_back()
        asking = Asking(self._house, name, SHORT, HTTP if self._is_broker else ALL)
        if not self._is_broker:
            await asking.begins()
            self._round.recovery_s = time.monotonic() - self._back_s
        await self._take(asking)

    async def _take(self, asking: Asking) -> list[Answer]:
        answers = await asking.all()
        for one in answers:
            self._round.endings.update(one.endings)
            self._round.wrong += one.wrong(known=self._known)
        return answers

    async def _come_back(self) -> None:
        await self._neighbour.start()
        self._back_s = time.monotonic()

    async def _recover(self, name: str) -> float:
        """Ask until an answer comes whole at every door; return how long after the neighbour's return that was."""
        tries = 0

        async def works() -> bool:
            nonlocal tries
            tries += 1
            again = f"{name}-again-{tries}"
            if not self._known:
                return all([await self._begins(again, door) for door in HTTP])
            return all(one.endings == ["final"] for one in await Asking(self._house, again, SHORT, HTTP).all())

        async def is_heard() -> bool:
            nonlocal tries
            tries += 1
            scope = f"{name}-again-{tries}"
            await self._house.publish(f"chat/{scope}/request", {"id": scope, "text": "What time is it?"})

            async def answered() -> bool:
                return bool(self._house.heard(f"chat/{scope}/reply"))

            return await seconds_until(answered, 0.2) is not None

        for met in (works, is_heard):
            if await seconds_until(met) is None:
                self._round.wrong.append(f"{met.__name__}: never again")
        return time.monotonic() - self._back_s

    async def _begins(self, name: str, door: str) -> bool:
        """Tell whether an answer begins, and leave: how long a real model talks is its own affair."""
        asking = Asking(self._house, name, SHORT, (door,))
        begun = await asking.begins()
        await asking.leave()
        return begun

    async def _says(self, wanted: str) -> None:
        """See that health says by HTTP and at the broker how the neighbour is."""
        broker = self._is_broker

        async def by_http() -> bool:
            told = await self._house.health()
            is_well = told["mqtt"]["connected"] if broker else told["backend"] == "ok"
            return bool(is_well) == (wanted == "up")

        async def by_mqtt() -> bool:
            told = self._house.heard("health")[-1]
            return bool(told["mqtt"]["connected"]) if broker else (told["backend"] == "ok") == (wanted == "up")

        for met in (by_http,) if broker and wanted == "down" else (by_http, by_mqtt):
            if await seconds_until(met, TOLD_WITHIN_S) is None:
                self._round.lies.append(f"{met.__name__}: never told that it is {wanted}")

    async def _observe(self, name: str) -> None:
        """Have something learned under an id that comes again later."""
        await self._house.publish(f"memory/{name}/observe", {"id": name, "text": f"My boat is called {name}."})

        async def learned() -> bool:
            return bool(self._house.heard(f"memory/{name}/observed"))

        assert await seconds_until(learned) is not None

    async def _repeat(self, name: str) -> None:
        """Send it again, and a request that the broker keeps: neither may have an effect."""
        house, replies = self._house, len(self._house.heard(f"memory/{name}/observed"))
        await house.publish(f"memory/{name}/observe", {"id": name, "text": f"My boat is called {name}."})

        async def answered() -> bool:
            return len(house.heard(f"memory/{name}/observed")) > replies

        await seconds_until(answered)
        learned = (await house.unix.get(f"/memory/{name}")).json()["statements"]
        if len(learned) != 1:
            self._round.wrong.append(f"a repeated request had {len(learned)} effects")
        await self._retained(f"{name}-kept")

    async def _retained(self, scope: str) -> None:
        house = self._house
        await house.gate.shut()

        async def away() -> bool:
            return not (await house.health())["mqtt"]["connected"]

        async def back() -> bool:
            return bool((await house.health())["mqtt"]["connected"])

        await seconds_until(away)
        await house.publish(f"chat/{scope}/request", {"text": "Remember me."}, retain=True)
        await house.gate.open()
        await seconds_until(back)
        await self._recover(scope)
        if (await house.unix.get(f"/memory/{scope}")).status_code != 404:
            self._round.wrong.append("a retained request had an effect")
