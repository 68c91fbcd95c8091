"""What reports expect of memory and of the block."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from replay.judge import expects, unless

if TYPE_CHECKING:
    from replay.play import Play

HAN = re.compile(r"[\d\u3400-\u9fff]*[\u3400-\u9fff][\d\u3400-\u9fff]*")
SAME = {"allergy": "过敏|allerg"}
"""A word of a report → how it stands in the conversation."""
SMALL = frozenset({"the", "a", "an", "of", "is", "to", "in", "that", "and"})
LIMIT_CHARS = 220
NOTHING_LIKE_IT = re.compile(r"没有|找不到|no (?:such|reminder|item)|not |nothing|don't", re.IGNORECASE)


def _stems(words: str) -> list[str]:
    return [word.lower().removesuffix("s") for word in re.findall(r"[A-Za-z]+", words) if word.lower() not in SMALL]


def _wanted(phrase: str) -> list[str]:
    """Return what of a phrase must stand in a text: its Chinese words, else all of its words."""
    return HAN.findall(phrase) or _stems(phrase)


@expects(r"text keeps (.+)")
async def keeps(play: Play, found: re.Match[str]) -> str:
    texts = " ".join(row["text"] for row in await play.items())
    return unless(all(one in texts for one in HAN.findall(found[1])), f"items say {texts!r}")


@expects(r"the (\w+) is in the block once")
async def once_in_block(play: Play, found: re.Match[str]) -> str:
    block = await play.block()
    return unless(len(re.findall(SAME.get(found[1], found[1]), block)) == 1, f"the block is {block!r}")


@expects(r"^(\S+) once(?:, (\S+) once)?$")
async def each_once(play: Play, found: re.Match[str]) -> str:
    block = await play.block()
    return unless(all(block.count(one) == 1 for one in found.groups() if one), f"the block is {block!r}")


@expects(r"it does not say (\w+)|(?:block|reply) (?:does not|never) (?:say|hold|contain)s? (.+)")
async def not_in_block(play: Play, found: re.Match[str]) -> str:
    block = (await play.block()).lower()
    return unless(not all(one in block for one in _wanted(found[1] or found[2])), f"the block is {block!r}")


@expects(r"block (?:says|holds|has|contains|shows) (.+?)(?: in Chinese characters.*)?$")
async def in_block(play: Play, found: re.Match[str]) -> str:
    block = await play.block()
    low = block.lower()
    return unless(all(one in low for one in _wanted(found[1])), f"the block is {block!r}")


@expects(r"only the exact id (\S+) sees (\S+)")
async def only_exact(play: Play, found: re.Match[str]) -> str:
    seen = {
        turn.scope
        for turn in play.turns
        if any(found[2] in prompt.text for prompt in turn.prompts) or found[2] in turn.said
    }
    mine = found[2] in json.dumps(await play.view(found[1]), ensure_ascii=False)
    return unless(mine and seen <= {found[1]}, f"seen by {seen}, kept: {mine}")


@expects(r"odd ids are refused or are separate")
async def odd_ids(play: Play, found: re.Match[str]) -> str:
    odd = [turn for turn in play.turns if not re.fullmatch(r"[a-z0-9_-]{1,64}", turn.scope)]
    return unless(all(turn.status == 404 for turn in odd), f"answered: {[turn.scope for turn in odd]}")


@expects(r"no (\w+) is attributed to the user")
async def not_claimed(play: Play, found: re.Match[str]) -> str:
    words = re.compile(SAME.get(found[1], found[1]))
    view = await play.view()
    rows = [json.dumps(row, ensure_ascii=False) for row in view["claims"]]
    rows += [row["text"] for row in view["statements"] if row["speaker"] == "user"]
    return unless(not any(words.search(row) for row in rows), f"kept: {rows}")


@expects(r"^(\S+) nowhere in (?:the )?(?:block|export|prompt)")
async def nowhere(play: Play, found: re.Match[str]) -> str:
    export = json.dumps(await play.view(), ensure_ascii=False) + await play.block()
    export += "".join(prompt.text for prompt in play.last.prompts)
    return unless(found[1] not in export, f"found in {export}")


@expects(r"^(\S+) still knows (\S+)")
async def still_knows(play: Play, found: re.Match[str]) -> str:
    told = "".join(prompt.text for prompt in play.last.prompts) + play.last.said
    return unless(found[2] in told, f"the model was told {told!r}")


@expects(r"^(\S+) found though it touches Han")
async def found_among_han(play: Play, found: re.Match[str]) -> str:
    block = await play.block()
    return unless(found[1].lower() in block.lower(), f"the block is {block!r}")


@expects(r"not found inside a longer Latin word such as (\S+)")
async def whole_words(play: Play, found: re.Match[str]) -> str:
    await play.say("longer", f"I bought {found[1]} and a sofa yesterday.")
    for number in range(40):
        await play.say("longer", f"The bus number {number} was late again.")
    block = await play.block(found[1][:-1], "longer")
    return unless(found[1] not in block, f"the block is {block!r}")


@expects(r"not in the instruction part of the prompt")
async def not_instructed(play: Play, found: re.Match[str]) -> str:
    systems = [
        message["content"]
        for turn in play.turns
        for prompt in turn.prompts
        for message in prompt.json.get("messages", [])
        if message["role"] == "system"
    ]
    said = [turn.text for turn in play.turns]
    return unless(not any(text in system for text in said for system in systems), "it stands in the system prompt")


@expects(r"only as quoted data of this user, length-capped|block (?:is )?(?:at most|no longer than) (?:220|\d+)")
async def capped(play: Play, found: re.Match[str]) -> str:
    block = await play.block()
    prompts = [prompt.json["messages"][-1]["content"] for prompt in play.last.prompts]
    long = [one for one in prompts if len(one) > LIMIT_CHARS + len(play.last.text) + 40]
    return unless(len(block) <= LIMIT_CHARS and not long, f"the block is {block!r}")


@expects(r"(\S+) resolves to (\S+)")
async def resolves(play: Play, found: re.Match[str]) -> str:
    told = await play.block() + "".join(prompt.text for prompt in play.last.prompts)
    return unless(found[2] in told, f"the model was told {told!r}")


@expects(r"an unclear (\S+) lists both or asks")
async def unclear(play: Play, found: re.Match[str]) -> str:
    turn = next(one for one in play.turns if found[1] in one.text)
    told = "".join(prompt.text for prompt in turn.prompts) + turn.said
    names = {name for one in play.turns[: play.turns.index(turn)] for name in re.findall(r".(?:医生|护士)", one.text)}
    shown = {name for name in names if name in told}
    return unless(len(shown) != 1 or "?" in turn.said or "？" in turn.said, f"the model was told {told!r}")


@expects(r"nothing is (cancelled|deleted|removed)")
async def nothing_lost(play: Play, found: re.Match[str]) -> str:
    rows = [row for scope in play.scopes() for row in (await play.view(scope))["items"]]
    return unless(rows and all(row["state"] in {"pending", "triggered"} for row in rows), f"items {rows}")


@expects(r"client is told that there is no such item")
async def told_of_none(play: Play, found: re.Match[str]) -> str:
    return unless(NOTHING_LIKE_IT.search(play.last.said), f"told {play.last.said!r}")
