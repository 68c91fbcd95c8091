from __future__ import annotations

import pytest

from claudemem_edge.language.load import load
from claudemem_edge.language.pack import Language, Lexicon, Rule

LEXICON = load(("zh", "en"))


@pytest.mark.parametrize(
    ("folded", "hint", "code"),
    [
        ("你好", "", "zh"),
        ("hello", "", "en"),
        ("你好 bob", "", "zh"),
        ("吃 vitamin c", "en", "zh"),
        ("home assistant 怎么装", "", "zh"),
        ("remind me to call 小明 tomorrow", "", "en"),
        ("my name is 王小明", "", "en"),
        ("ok", "zh-CN", "en"),
        ("123", "", None),
        ("123", "zh-CN", "zh"),
        ("123", "en_GB", "en"),
        ("123", "fr", None),
        ("こんにちは", "", None),
        ("明日の天気は", "zh", None),
        ("秋刀鱼の味的电话是多少", "", "zh"),
        ("安娜・卡列尼娜", "", "zh"),
        ("안녕하세요", "", None),
        ("café", "", "en"),
        ("привет", "", None),
        ("", "", None),
    ],
)
def test_a_text_is_in_the_language_of_its_script(folded: str, hint: str, code: str | None) -> None:
    language = LEXICON.of(folded, hint)
    assert (language.code if language else None) == code


def test_a_language_is_found_by_its_code() -> None:
    assert LEXICON.get("en") is LEXICON.languages["en"]
    assert LEXICON.get("") is LEXICON.languages["zh"]
    assert LEXICON.get("fr") is None
    assert Lexicon({}).get("") is None


def small() -> Language:
    language = Language("en", "English", "latin", joined=False)
    language.words = {"tools": {"saw": "saw", "band saw": "band saw"}, "verbs": {"saw": "see"}}
    first = Rule("core.commands.first", "first", ("cut", "saw"), "cut", {}, order=0)
    second = Rule("core.commands.second", "second", (), "x", {}, order=1)
    third = Rule("core.commands.third", "third", ("cut",), "cut", {}, order=2)
    language.rules = {"commands": {rule.id: rule for rule in (first, second, third)}}
    language.fill_scanner()
    return language


def test_one_scan_finds_lists_and_rules() -> None:
    language = small()
    scan = language.scan("i saw the band saw")
    assert scan.spans("tools") == [(2, 5, "saw"), (10, 18, "band saw")]
    assert scan.spans("verbs") == [(2, 5, "see"), (15, 18, "see")]
    assert scan.spans("nothing") == []
    assert [rule.name for rule in language.candidates("commands", scan)] == ["first", "second"]


def test_rules_come_in_the_order_of_their_file() -> None:
    language = small()
    assert [rule.name for rule in language.candidates("commands", language.scan("cut"))] == ["first", "second", "third"]
    assert [rule.name for rule in language.candidates("commands", language.scan("carve"))] == ["second"]
    assert language.candidates("reminders", language.scan("cut")) == []


def test_a_pattern_is_compiled_once_and_on_first_use() -> None:
    rule = Rule("core.commands.x", "x", (), "a", {})
    assert rule.compiled is None
    assert rule.pattern is rule.pattern
