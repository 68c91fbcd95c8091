"""`doctor --model`: what a model is asked, what is made of its answers, and the profile that comes out."""

from __future__ import annotations

import asyncio
import json
import re
import tomllib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from fakes.fake_ollama import FakeModel, FakeOllama

from claudemem_edge.cli.doctor import doctor
from claudemem_edge.doctor.propose import Proposal, Row, as_toml, propose
from claudemem_edge.doctor.trial import Question, block_of, load_questions
from claudemem_edge.errors import ModelMissing
from claudemem_edge.model.profiles import check_profile, load_profiles
from claudemem_edge.shapes.context import KEYED
from claudemem_edge.shapes.options import ModelOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fakes.fake_ollama_wire import Recorded

STYLES = ("sentence", *KEYED)
ALL = load_questions(("zh", "en"))
UNKNOWN = FakeModel("walnut:1b", family="walnut")


def last(request: Recorded) -> str:
    asked = request.json
    return str(asked["prompt"] if "prompt" in asked else asked["messages"][-1]["content"])


def shown(request: Recorded) -> str:
    """Return all that the model sees of this turn: the system prompt and the last message."""
    opening = request.json.get("messages", [{"content": ""}])[0]["content"]
    return f"{opening}\n{last(request)}"


def knowing(when: Callable[[Recorded], bool]) -> Callable[[Recorded], Sequence[str]]:
    """Return a model that answers rightly where the prompt is as it likes it, and else says nothing of use."""

    def answer(request: Recorded) -> Sequence[str]:
        text = shown(request)
        asked = [one for one in ALL.questions if one.ask in last(request) and block_in(one, text)]
        return [asked[-1].reply if asked and when(request) else "Hm."]

    return answer


def block_in(question: Question, text: str) -> bool:
    """Tell whether the facts of a question stand in a prompt, in whatever style."""
    profiles = (replace(load_profiles()["default"], style=style) for style in STYLES)
    return any(all(line in text for line in block_of(question.facts, one).split("\n")) for one in profiles)


async def proposed(pieces: Callable[[Recorded], Sequence[str]], languages: tuple[str, ...] = ("zh", "en")) -> Proposal:
    rows: list[Row] = []
    async with FakeOllama(models=[UNKNOWN], pieces=pieces) as fake:
        found = await propose(ModelOptions(urls=(fake.url,), name=UNKNOWN.name), languages, rows.append)
        assert "num_ctx" not in json.dumps([request.json for request in fake.asked])
    assert rows == found.rows
    return found


def test_there_are_twenty_questions_of_every_kind() -> None:
    for language in ("zh", "en"):
        kinds = [one.kind for one in ALL.questions if one.language == language]
        assert len(kinds) == 10
        assert {"stands", "elliptical", "missing", "corrected"} == set(kinds)


@pytest.mark.parametrize("question", ALL.questions, ids=lambda one: one.ask)
def test_a_good_reply_is_right_and_the_block_alone_is_not_always(question: Question) -> None:
    assert question.answered_by(question.reply)
    assert not question.answered_by("Hm.")
    assert not question.answered_by("")
    if question.kind == "elliptical":
        assert len(question.before) == 2
        assert not question.answered_by(question.before[1])
    if question.kind != "missing":
        assert any(word.casefold() in fact[0].casefold() for fact in question.facts for word in question.right)


@pytest.mark.parametrize("question", ALL.questions, ids=lambda one: one.ask)
def test_every_style_holds_the_answer(question: Question) -> None:
    for style in STYLES:
        block = block_of(question.facts, replace(load_profiles()["default"], style=style))
        assert question.kind == "missing" or any(word.casefold() in block.casefold() for word in question.right)


LIKES: dict[str, Callable[[Recorded], bool]] = {
    "template = plain": lambda request: request.path == "/api/generate",
    "style = tags": lambda request: "【" in shown(request),
    "style = key_value": lambda request: re.search(r"(?<!Question): \w", last(request)) is not None,
    "role = system": lambda request: request.path == "/api/chat" and "\n" not in last(request),
    "closing = none": lambda request: (
        "\n" in last(request)
        and not last(request).endswith(tuple(load_profiles()["default"].closing.values()))
        and request.path == "/api/chat"
    ),
}


@pytest.mark.parametrize(
    ("liked", "wanted"),
    [
        ("template = plain", {"template": "plain"}),
        ("style = tags", {"style": "tags"}),
        ("style = key_value", {"style": "key_value"}),
        ("role = system", {"role": "system"}),
        ("closing = none", {}),
    ],
)
async def test_what_a_model_likes_is_proposed(liked: str, wanted: dict[str, str]) -> None:
    found = await proposed(knowing(LIKES[liked]))
    table = tomllib.loads(found.toml)
    check_profile(table, "proposal")
    assert {key: table.get(key) for key in ("style", "role", "template")} == {
        "style": None, "role": None, "template": None, **wanted,
    }  # fmt: skip
    assert next(row.total for row in found.rows if row.tried == liked) == found.best == 20
    assert table["families"] == ["walnut:1b*"]
    if liked == "closing = none":
        assert set(table["closing"].values()) == {""}


async def test_a_model_that_always_knows_keeps_the_default() -> None:
    found = await proposed(knowing(lambda _: True))
    table = tomllib.loads(found.toml)
    assert set(table) <= {"families", "options", "tokens_per_char"}
    assert table["options"] == {"temperature": 0}
    assert (found.best, found.present_right, found.present) == (20, 20, "default")


async def test_a_model_that_history_and_company_confuse() -> None:
    beside = {fact[0] for facts in ALL.beside.values() for fact in facts}
    alone = knowing(
        lambda request: len(request.json.get("messages", ())) < 3 and not any(fact in shown(request) for fact in beside)
    )
    table = tomllib.loads((await proposed(alone)).toml)
    assert (table["history_tokens"], table["limit_tokens"]) == (0, 60)


async def test_a_model_that_invents_and_spills_is_not_trusted() -> None:
    def babble(request: Recorded) -> Sequence[str]:
        text = shown(request)
        blocks = [one.facts for one in ALL.questions] + [one.facts for one in ALL.remarks]
        return ["".join(fact[0] for facts in blocks for fact in facts if fact[0] in text) or "Hm."]

    table = tomllib.loads((await proposed(babble)).toml)
    assert (table["trusted"], table["asks_only"]) == (False, True)


async def test_one_language_alone() -> None:
    found = await proposed(knowing(lambda _: True), ("en",))
    assert (dict(found.asked), found.best) == ({"en": 10}, 10)


async def test_a_model_that_is_not_there() -> None:
    async with FakeOllama(models=[]) as fake:
        with pytest.raises(ModelMissing):
            await propose(ModelOptions(urls=(fake.url,), name="walnut:1b"), ("en",), lambda _: None)


@pytest.mark.parametrize("name", list(load_profiles()))
def test_a_profile_written_as_toml_reads_the_same(name: str) -> None:
    profile = load_profiles()[name]
    table = tomllib.loads(as_toml("Shop/Walnut:latest", profile))
    check_profile(table, name)
    assert table["families"] == ["walnut*"]
    default = load_profiles()["default"]
    for key, value in table.items():
        if isinstance(value, dict):
            known: Any = getattr(default, key)
            assert {**known, **value} == {
                one: list(it) if isinstance(it, tuple) else it for one, it in getattr(profile, key).items()
            }
        elif key != "families":
            assert value == getattr(profile, key)


@pytest.mark.parametrize(("arguments", "wanted"), [((), "families = "), (("--json",), '"proposed"')])
async def test_what_is_printed(arguments: tuple[str, ...], wanted: str) -> None:
    async with FakeOllama(models=[UNKNOWN], pieces=knowing(LIKES["template = plain"])) as fake:
        options = ["--model", UNKNOWN.name, "--model-url", fake.url, *arguments]
        environment = {"HOME": "/nonexistent", "XDG_CONFIG_HOME": "/nonexistent", "LC_ALL": "C"}
        told = await asyncio.to_thread(CliRunner().invoke, doctor, options, env=environment)
    assert told.exit_code == 0, told.output
    assert wanted in told.output
    assert "walnut" in told.output
    if arguments:
        assert len(json.loads(told.output)["tried"]) >= 6


def test_a_missing_server_is_told_in_a_sentence() -> None:
    told = CliRunner().invoke(
        doctor, ["--model", "x", "--model-url", "http://127.0.0.1:9"], env={"HOME": "/nonexistent"}
    )
    assert told.exit_code == 1
    assert "no server of language models answers" in told.output


@pytest.mark.parametrize(("hard", "style"), [(1, None), (2, "tags")])
async def test_one_right_answer_more_is_no_reason_to_change(hard: int, style: str | None) -> None:
    questions = [one.ask for one in ALL.questions if one.kind == "stands"][:hard]

    def pleased(request: Recorded) -> bool:
        return "【" in last(request) or not any(ask in last(request) for ask in questions)

    assert tomllib.loads((await proposed(knowing(pleased))).toml).get("style") == style
