"""What happened while a report was played, and ways to look at the daemon it was played on."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from fakes.fake_ollama_wire import Recorded
    from replay.stage import Stage

Step = dict[str, Any]
ENDINGS = frozenset({"final", "failed", "cancelled"})


@dataclass
class Turn:
    """One thing said: how it was answered, with what the model was asked meanwhile."""

    scope: str
    text: str
    status: int = 0
    events: list[dict[str, Any]] = field(default_factory=list)
    prompts: list[Recorded] = field(default_factory=list)
    lasted_s: float = 0.0
    at: datetime | None = None

    @property
    def ending(self) -> dict[str, Any]:
        return self.events[-1] if self.events and self.events[-1].get("event") in ENDINGS else {}

    @property
    def said(self) -> str:
        """Return what the user was told."""
        return str(self.ending.get("text", ""))

    @property
    def error(self) -> str:
        """Return the code of the error it ended with."""
        failed: dict[str, Any] = next((one["error"] for one in self.events if "error" in one), {})
        return str(failed.get("code", ""))


@dataclass
class Message:
    """One MQTT message of ours and what came back in its scope."""

    topic: str
    sent: Any
    replies: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class Play:
    """The evidence of one report."""

    stage: Stage
    turns: list[Turn] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    raw: list[bytes] = field(default_factory=list)
    blocks: list[str] = field(default_factory=list)
    rss_mb: list[float] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    scope: str = "s1"
    closed_after_s: float | None = None

    @property
    def last(self) -> Turn:
        return self.turns[-1]

    def scopes(self) -> list[str]:
        """Return the scopes that somebody spoke in, the odd names left out."""
        topics = [one.topic.split("/")[-2] for one in self.messages]
        known = {one.scope: None for one in self.turns if one.status != 404} | dict.fromkeys(topics)
        return list(known) or [self.scope]

    def spoken(self) -> str:
        """Return all that users were told."""
        return "\n".join(one.said for one in self.turns)

    async def get(self, scope: str, path: str = "", **query: Any) -> dict[str, Any]:
        """Return what the memory API tells of a scope."""
        reply = await self.stage.http.get(f"/memory/{quote(scope)}{path}", params=query)
        found: dict[str, Any] = reply.json()
        return found

    async def view(self, scope: str = "") -> dict[str, Any]:
        return await self.get(scope or self.scope)

    async def everything(self) -> str:
        """Return all that is remembered and all that was said and given to the model, as one text."""
        views = [json.dumps(await self.view(scope), ensure_ascii=False) for scope in self.scopes()]
        prompts = [prompt.text for turn in self.turns for prompt in turn.prompts]
        return "\n".join([*views, *prompts, self.spoken(), *self.blocks])

    async def items(self) -> list[dict[str, Any]]:
        """Return what is still to happen, of all scopes."""
        rows = [row for scope in self.scopes() for row in (await self.view(scope)).get("items", [])]
        return [row for row in rows if row["state"] in {"pending", "triggered"}]

    async def dues(self) -> list[datetime]:
        return sorted(datetime.fromisoformat(row["due"]) for row in await self.items() if row["due"])

    async def block(self, question: str = "", scope: str = "") -> str:
        """Return the block for a question, or the one for what was said last."""
        if not question and self.blocks:
            return self.blocks[-1]
        asked = question or self.last.text
        found = await self.get(scope or self.scope, "/context", query=asked)
        return str(found.get("text", ""))

    def about_me(self) -> str:
        """Return a question about everything, in the language spoken last."""
        return "What do you know about me?" if self.last.text.isascii() else "关于我你都知道什么？"

    def now(self) -> datetime:
        return self.stage.clock.wall if self.stage.clock is not None else datetime.now().astimezone()

    def resident_mb(self) -> float:
        """Return the resident memory of the daemon's process."""
        who = self.stage.child.process.pid if self.stage.child is not None else "self"
        rows = Path(f"/proc/{who}/status").read_text("ascii").splitlines()
        return next(int(row.split()[1]) / 1024 for row in rows if row.startswith("VmRSS"))

    async def say(self, scope: str, text: str, **fields: Any) -> Turn:
        """Say something and wait for the end of its turn."""
        turn = Turn(scope, text, at=self.now())
        self.turns.append(turn)
        before, begun = len(self.stage.fake.asked), time.perf_counter()
        body = {"text": text, "id": f"r-{len(self.turns)}", **fields}
        async with self.stage.http.stream("POST", f"/memory/{quote(scope)}/say", json=body) as reply:
            turn.status = reply.status_code
            async for line in reply.aiter_lines():
                turn.events.append(json.loads(line))
        turn.lasted_s = time.perf_counter() - begun
        turn.prompts = self.stage.fake.asked[before:]
        if turn.error == "internal":
            self.problems.append("the daemon failed inside")
        return turn
