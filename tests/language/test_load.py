from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from claudemem_edge.errors import PackError
from claudemem_edge.language.load import known_packs, load

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from claudemem_edge.language.pack import Language

ABOUT = 'language = "en"\ntitle = "Kitchen"\nscript = "latin"\njoined = false\nowner = "me"\nlicence = "MIT"\n'
RULE = '[[rule]]\nname = "stir"\nneeds = ["stir"]\ncommand = "repeat"\npattern = "stir"\n'


def ruled(pattern: str) -> str:
    """Return the rule with another pattern."""
    return RULE.replace('pattern = "stir"', f"pattern = '{pattern}'")


@pytest.fixture
def pack(tmp_path: Path) -> Callable[..., str]:
    """Write the files of an owner's pack `en/kitchen` and return its root."""

    def write(**files: str) -> str:
        folder = tmp_path / "en" / "kitchen"
        (folder / "words").mkdir(parents=True, exist_ok=True)
        (folder / "pack.toml").write_text(files.pop("pack", ABOUT))
        for name, content in files.items():
            stem, _, kind = name.rpartition("_")
            path = folder / "words" / f"{stem}.txt" if kind == "txt" else folder / f"{name}.toml"
            path.write_text(content, encoding="utf-8")
        return str(tmp_path)

    return write


def english(folder: str) -> Language:
    return load(("en",), ("core", "kitchen"), (folder,)).languages["en"]


def test_an_owner_adds_rules_words_phrases_and_tables(pack: Callable[..., str]) -> None:
    folder = pack(
        commands=RULE + "[extra]\nsalt = 1\n",
        utensils_txt="Ladle\tladle # soup\n# nothing\nwok\n",
        phrases='hot = "It is hot, {name}."',
    )
    language = english(folder)
    assert language.rules["commands"]["kitchen.commands.stir"].needs == ("stir",)
    assert "core.commands.forget_last" in language.rules["commands"]
    assert language.words["utensils"] == {"ladle": "ladle", "wok": "wok"}
    assert language.say("hot", name="{x}") == "It is hot, {x}."
    assert language.tables["commands"]["extra"] == {"salt": 1}
    assert ("en", "kitchen", "Kitchen") in known_packs((folder,))


def test_an_owner_replaces_a_rule_by_its_id_and_its_place_stays(tmp_path: Path) -> None:
    folder = tmp_path / "en" / "core"
    folder.mkdir(parents=True)
    (folder / "pack.toml").write_text(ABOUT)
    (folder / "commands.toml").write_text(RULE.replace("stir", "repeat"))
    ours = load(("en",)).languages["en"].rules["commands"]["core.commands.repeat"]
    theirs = load(("en",), ("core",), (str(tmp_path),)).languages["en"].rules["commands"]["core.commands.repeat"]
    assert theirs.source == "repeat"
    assert theirs.order == ours.order


def test_an_owners_patterns_run_with_a_time_limit(pack: Callable[..., str]) -> None:
    language = english(pack(commands=ruled(r"^(?:\w|[a-z]){0,400}\d$")))
    rule = language.rules["commands"]["kitchen.commands.stir"]
    assert rule.engine == "regex"
    assert rule.pattern.search("a" * 60) is None


def test_pieces_stand_for_parts_and_for_short_word_lists(pack: Callable[..., str]) -> None:
    rule = ruled("{verb} with {utensils}")
    folder = pack(
        commands=f"[pieces]\nverb = 'stir|{{mix}}'\n{rule}", pieces="mix = 'mix'", utensils_txt="wok\nbig wok\n"
    )
    source = english(folder).rules["commands"]["kitchen.commands.stir"].source
    assert source == r"(?:stir|(?:mix)) with (?:big\ wok|wok)"


def test_needs_may_name_a_word_list(pack: Callable[..., str]) -> None:
    rule = RULE.replace('needs = ["stir"]', 'needs = ["{utensils}", "Stir"]')
    language = english(pack(commands=rule, utensils_txt="wok\nladle\n"))
    assert language.rules["commands"]["kitchen.commands.stir"].needs == ("wok", "ladle", "stir")


def test_needs_may_name_a_piece_of_plain_words(pack: Callable[..., str]) -> None:
    rule = RULE.replace('needs = ["stir"]', 'needs = ["{tool}", "{utensils}s"]')
    language = english(
        pack(commands=f"[pieces]\ntool = 'spoons?|{{long}} fork'\n{rule}", utensils_txt="wok\n", pieces="long = 'long'")
    )
    assert language.rules["commands"]["kitchen.commands.stir"].needs == ("long fork", "spoon", "spoons", "woks")


def test_a_pattern_may_stand_on_many_lines(pack: Callable[..., str]) -> None:
    folder = pack(commands=RULE.replace('pattern = "stir"', "pattern = '''\n  stir\n    (?:\\sit)?\n  '''"))
    assert english(folder).rules["commands"]["kitchen.commands.stir"].source == r"stir(?:\sit)?"


@pytest.mark.parametrize(
    ("commands", "told"),
    [
        (RULE.replace("name", "nmae"), "name is missing; did you mean nmae?"),
        (RULE.replace("pattern", "patern"), "pattern is missing; did you mean patern?"),
        (RULE.replace("command =", "comand ="), "command is missing; did you mean comand?"),
        (RULE + 'argumant = "x"\n', "has no argumant; did you mean argument?"),
        (RULE.replace('"repeat"', '"repaet"'), "command is no repaet; did you mean repeat?"),
        (RULE + 'alone = "yes"\n', "alone is of the wrong kind"),
        (ruled("stir.*"), "* has no upper bound"),
        (ruled(r"a\s+b"), "+ has no upper bound"),
        (ruled("a{2,}"), "{2,} has no upper bound"),
        (ruled("{utensil}"), "no piece utensil; did you mean utensils?"),
        (RULE.replace('"stir"]', '"{utensil}"]'), "no word list utensil; did you mean utensils?"),
        (ruled("(stir"), "missing )"),
        (RULE.replace('needs = ["stir"]', 'needs = "stir"'), "needs is a list"),
        (
            "[pieces]\nany = 'a.b'\n" + RULE.replace('["stir"]', '["{any}"]'),
            "any is no need: more than plain words at 1",
        ),
        (RULE.replace('name = "stir"', 'name = "Stir it"'), "a name is made of"),
        (RULE + 'engine = "grep"\n', "engine is re or regex"),
        ("rule = 3", "rules are [[rule]] tables"),
        ("rule = [", "commands.toml"),
        ("[pieces]\na = '{a}b'\n" + ruled("{a}"), "nest deeper"),
    ],
)
def test_a_mistake_is_told_with_file_rule_and_what_was_meant(
    pack: Callable[..., str], commands: str, told: str
) -> None:
    with pytest.raises(PackError, match=r"commands\.toml") as raised:
        english(pack(commands=commands, utensils_txt="wok\n"))
    assert told in str(raised.value)


def test_a_file_nobody_reads_is_told(pack: Callable[..., str]) -> None:
    with pytest.raises(PackError, match=r"no reader takes rules from comands\.toml; did you mean commands\?"):
        english(pack(comands=RULE))


@pytest.mark.parametrize(
    ("about", "told"),
    [
        (ABOUT.replace("title", "titel"), "title is missing or not of the right kind; did you mean titel?"),
        (ABOUT.replace("joined = false", 'joined = "no"'), "joined is missing or not of the right kind"),
        (ABOUT.replace("latin", "cyrillic"), "script is one of han, latin"),
        (ABOUT.replace('"en"', '"fr"'), "language is en here"),
    ],
)
def test_a_pack_that_says_too_little_of_itself_is_told(pack: Callable[..., str], about: str, told: str) -> None:
    with pytest.raises(PackError) as raised:
        english(pack(pack=about))
    assert told in str(raised.value)


def test_a_table_of_traditional_characters_is_one_to_one(pack: Callable[..., str]) -> None:
    with pytest.raises(PackError, match="one character, a tab, one character"):
        english(pack(traditional_txt="說話\t说话\n"))


def test_a_list_that_is_not_utf_8_is_told(pack: Callable[..., str], tmp_path: Path) -> None:
    folder = pack()
    (tmp_path / "en" / "kitchen" / "words" / "bad.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(PackError, match=r"bad\.txt"):
        english(folder)


def test_languages_without_a_pack_are_told_with_those_that_have_one() -> None:
    with pytest.raises(PackError, match="no pack for fr; there are packs for en, zh"):
        load(("fr",))


def test_a_language_may_lack_a_pack_other_than_core(pack: Callable[..., str]) -> None:
    lexicon = load(("zh", "en"), ("core", "kitchen"), (pack(commands=RULE),))
    assert set(lexicon.languages) == {"zh", "en"}
