from __future__ import annotations

from typing import Any

import pytest

from claudemem_edge.model.choice import ListedModel, choose, listed_models

SMALL = ListedModel("qwen3:0.6b", "d1", 500, "qwen3")
BIG = ListedModel("llama3.2:3b", "d2", 2000, "llama")
LATEST = ListedModel("mistral:latest", "d3", 4000, "llama")
EMBEDS = ListedModel("nomic-embed-text:latest", "d4", 100, "nomic-bert", chats=False)
REMOTE = ListedModel("gpt-oss:120b-cloud", "d5", 1, "gptoss", remote=True)
ALL = [EMBEDS, BIG, REMOTE, LATEST, SMALL]


@pytest.mark.parametrize(
    ("listed", "loaded", "name", "chosen"),
    [
        (ALL, [], "", SMALL),
        (ALL, ["llama3.2:3b"], "", BIG),
        (ALL, ["llama3.2:3b", "qwen3:0.6b"], "", SMALL),
        (ALL, ["nomic-embed-text:latest"], "", SMALL),
        (ALL, ["gpt-oss:120b-cloud"], "", SMALL),
        (ALL, ["qwen3:0.6b"], "mistral", LATEST),
        (ALL, [], "mistral:latest", LATEST),
        (ALL, [], "gpt-oss:120b-cloud", REMOTE),
        (ALL, ["qwen3:0.6b"], "phi4", None),
        ([EMBEDS, REMOTE], ["nomic-embed-text:latest"], "", None),
        ([], [], "", None),
    ],
)
def test_which_model_answers(
    listed: list[ListedModel], loaded: list[str], name: str, chosen: ListedModel | None
) -> None:
    assert choose(listed, loaded, name) == chosen


@pytest.mark.parametrize(
    ("row", "listed"),
    [
        ({"name": "a", "size": 7, "digest": "d", "details": {"family": "qwen3"}}, ListedModel("a", "d", 7, "qwen3")),
        ({"name": "a"}, ListedModel("a")),
        ({"name": "a", "details": None, "size": None, "digest": None}, ListedModel("a")),
        ({"name": "a", "capabilities": ["completion", "tools"]}, ListedModel("a")),
        ({"name": "a", "capabilities": ["embedding"]}, ListedModel("a", chats=False)),
        ({"name": "an-embedder", "capabilities": ["completion"]}, ListedModel("an-embedder")),
        ({"name": "mxbai-embed-large"}, ListedModel("mxbai-embed-large", chats=False)),
        ({"name": "a", "details": {"family": "nomic-bert"}}, ListedModel("a", family="nomic-bert", chats=False)),
        ({"name": "a", "remote_host": "https://ollama.com"}, ListedModel("a", remote=True)),
    ],
)
def test_how_a_listing_is_read(row: dict[str, Any], listed: ListedModel) -> None:
    assert listed_models({"models": [row]}) == [listed]


@pytest.mark.parametrize("payload", [{}, {"models": None}, {"models": "x"}, {"models": [1, None, {}, {"name": ""}]}])
def test_a_strange_listing_lists_nothing(payload: dict[str, Any]) -> None:
    assert listed_models(payload) == []
