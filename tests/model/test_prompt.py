from __future__ import annotations

from dataclasses import replace

import pytest

from claudemem_edge.model.profiles import load_profiles, named_profile
from claudemem_edge.model.prompt import messages_for, user_text
from claudemem_edge.shapes.context import Profile

PROFILE = Profile(system={"en": "Be kind.", "zh": "请亲切。"}, closing={"en": "Use the facts.", "zh": "用上事实。"})
HISTORY = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Good morning"}]


def test_block_and_question_stand_in_the_last_message() -> None:
    assert messages_for(PROFILE, "en", "He is 74.", "How old?", HISTORY) == [
        {"role": "system", "content": "Be kind."},
        *HISTORY,
        {"role": "user", "content": "He is 74.\nHow old?\nUse the facts."},
    ]


def test_without_a_block_the_question_stands_alone() -> None:
    assert messages_for(PROFILE, "zh", "", "几岁？")[-1] == {"role": "user", "content": "几岁？"}
    assert user_text(PROFILE, "zh", "七十四岁。", "几岁？") == "七十四岁。\n几岁？\n用上事实。"


@pytest.mark.parametrize("name", load_profiles())
@pytest.mark.parametrize("language", ["en", "zh"])
def test_nothing_before_the_last_message_changes_from_turn_to_turn(name: str, language: str) -> None:
    profile = named_profile(name)
    one = messages_for(profile, language, "One block", "One question?", HISTORY)
    other = messages_for(profile, language, "Another block", "Another question?", HISTORY)
    assert one[:-1] == other[:-1]
    before_block, block, _ = one[-1]["content"].partition("One block")
    assert block
    assert other[-1]["content"].startswith(before_block + "Another block")


def test_a_plain_prompt_is_one_message_that_ends_where_the_answer_begins() -> None:
    profile = named_profile("gemma3-base")
    (only,) = messages_for(profile, "en", "age: 74", "How old am I?", HISTORY)
    assert only["content"] == (
        f"{profile.system['en']}\nQuestion: Hello\nAnswer: Good morning\nage: 74\nQuestion: How old am I?\nAnswer:"
    )


def test_a_language_without_its_own_words_gets_the_english_ones() -> None:
    assert messages_for(PROFILE, "de", "Er ist 74.", "Wie alt?")[0]["content"] == "Be kind."
    assert messages_for(named_profile("gemma3-base"), "de", "", "Wie alt?")[0]["content"].endswith("\nAnswer:")


def test_a_profile_may_want_the_block_in_the_system_prompt() -> None:
    messages = messages_for(replace(PROFILE, role="system"), "en", "He is 74.", "How old?")
    assert messages == [{"role": "system", "content": "Be kind.\nHe is 74."}, {"role": "user", "content": "How old?"}]
