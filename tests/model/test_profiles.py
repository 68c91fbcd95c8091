from __future__ import annotations

from typing import Any

import pytest

from claudemem_edge.errors import PackError
from claudemem_edge.model.profiles import check_profile, load_profiles, named_profile, profile_for
from claudemem_edge.shapes.context import Profile


@pytest.mark.parametrize(
    ("name", "family", "profile"),
    [
        ("smollm2:135m", "llama", "smollm2"),
        ("SmolLM2:1.7b-instruct-q4_K_M", "llama", "smollm2"),
        ("hf.co/bartowski/smollm2-360m-instruct-gguf:q8_0", "llama", "smollm2"),
        ("gemma3:270m-base", "gemma3", "gemma3-base"),
        ("gemma-3-270m-q4_k_m", "gemma3", "gemma3-base"),
        ("gemma3:1b", "gemma3", "gemma"),
        ("gemma3:270m-it-q8_0", "gemma3", "gemma"),
        ("qwen2.5:0.5b", "qwen2", "qwen"),
        ("grandma:latest", "qwen3", "qwen"),
        ("llama3.2:1b", "llama", "llama"),
        ("my-own:latest", "llama", "llama"),
        ("deepseek-r1:1.5b", "qwen2", "deepseek"),
        ("phi4-mini:latest", "phi3", "default"),
        ("", "", "default"),
    ],
)
def test_which_profile_a_model_gets(name: str, family: str, profile: str) -> None:
    assert profile_for(name, family).name == profile


def test_the_default_file_says_what_the_shape_says() -> None:
    default, shape = load_profiles()["default"], Profile()
    for field in ("style", "role", "template", "limit_chars", "limit_tokens", "history_tokens", "tokens_per_char"):
        assert getattr(default, field) == getattr(shape, field), field


@pytest.mark.parametrize("name", load_profiles())
def test_every_profile_speaks_both_languages(name: str) -> None:
    profile = load_profiles()[name]
    for texts in (profile.system, profile.closing, profile.tokens_per_char):
        assert set(texts) == {"en", "zh"}
    assert all(profile.system.values())
    assert profile.template == "chat" or set(profile.labels) == {"en", "zh"}
    assert name == "default" or profile.families


def test_a_profile_is_found_by_its_own_name() -> None:
    assert named_profile("qwen").request == {"think": False}
    with pytest.raises(PackError, match=r"no profile gwen; there are .*qwen"):
        named_profile("gwen")


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ({"stile": "tags"}, "p.toml: stile is not known; did you mean style?"),
        ({"style": "verse"}, "style is one of sentence, tags, key_value"),
        ({"limit_chars": 0}, "limit_chars is a whole number, at least 1"),
        ({"limit_tokens": "400"}, "limit_tokens is a whole number, at least 1"),
        ({"system": "You are"}, "system is a table"),
        ({"options": {"num_ctx": 4096, "seed": 1}}, "num_ctx would load the model anew"),
        ({"template": "plain"}, "a plain template needs labels"),
    ],
)
def test_a_wrong_profile_is_told_plainly(table: dict[str, Any], problem: str) -> None:
    with pytest.raises(PackError, match=problem.replace("?", r"\?")):
        check_profile(table, "p.toml")
