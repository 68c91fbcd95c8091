from __future__ import annotations

import dataclasses
import re
import tomllib
from importlib import resources
from typing import TYPE_CHECKING

import pytest

from claudemem_edge.errors import SettingsError
from claudemem_edge.settings import SECTIONS, Settings, read_settings

if TYPE_CHECKING:
    from pathlib import Path

DEFAULTS = (resources.files("claudemem_edge") / "defaults.toml").read_text(encoding="utf-8")


def test_defaults_file_and_option_classes_say_the_same() -> None:
    assert read_settings({"HOME": "/nonexistent"}) == Settings()


def test_every_option_stands_in_the_defaults_file() -> None:
    tables = tomllib.loads(DEFAULTS)
    for section, options in SECTIONS.items():
        assert set(tables[section]) == {field.name for field in dataclasses.fields(options)}


def test_every_line_of_the_defaults_file_says_what_it_does() -> None:
    for line in DEFAULTS.splitlines():
        if re.match(r"\w+ =", line):
            assert re.search(r"\s# \S.+\.$", line), line


def test_later_sources_win(tmp_path: Path) -> None:
    folder = tmp_path / "claudemem-edge"
    folder.mkdir()
    (folder / "a.toml").write_text('[model]\nname = "from-file"\n[memory]\nlimit_chars = 300\n')
    environment = {"XDG_CONFIG_HOME": str(tmp_path), "CLAUDEMEM_MODEL__NAME": "from-environment"}
    settings = read_settings(environment, {"turn": {"deadline_s": 5}})
    assert settings.model.name == "from-environment"
    assert settings.memory.limit_chars == 300
    assert settings.turn.deadline_s == 5


def test_environment_lists_and_truth_values() -> None:
    settings = read_settings(
        {
            "HOME": "/nonexistent",
            "CLAUDEMEM_MODEL__URLS": "unix:/run/a.sock, http://127.0.0.1:1",
            "CLAUDEMEM_MQTT__ENABLED": "true",
            "CLAUDEMEM_SOCKET": "/somewhere",
        }
    )
    assert settings.model.urls == ("unix:/run/a.sock", "http://127.0.0.1:1")
    assert settings.mqtt.enabled is True


def test_tokens_come_from_a_file_or_the_environment_alike(tmp_path: Path) -> None:
    folder = tmp_path / "claudemem-edge"
    folder.mkdir()
    table = '{ "schlüssel" = ["grandma", "visit-*"], other = ["*"] }'
    (folder / "a.toml").write_text(f"[http]\ntokens = {table}\n")
    wanted = (("schlüssel", ("grandma", "visit-*")), ("other", ("*",)))
    assert read_settings({"XDG_CONFIG_HOME": str(tmp_path)}).http.tokens == wanted
    assert read_settings({"HOME": "/nonexistent", "CLAUDEMEM_HTTP__TOKENS": table}).http.tokens == wanted
    assert read_settings({"XDG_CONFIG_HOME": str(tmp_path), "CLAUDEMEM_HTTP__TOKENS": ""}).http.tokens == ()


def test_a_door_to_everybody_has_long_tokens_and_named_scopes() -> None:
    http = {"tcp_host": "0.0.0.0", "tokens": {"x" * 16: ["grandma"]}, "require_scope": True}
    assert read_settings({"HOME": "/nonexistent"}, {"http": http}).http.tokens == (("x" * 16, ("grandma",)),)


SPOILED = "sesame"
WISH = 'write it like { "a-long-secret" = ["grandma", "visit-*"] }'


@pytest.mark.parametrize(
    ("table", "wanted"),
    [
        (f"{SPOILED}=anna", WISH),
        (f'{{ {SPOILED} = ["anna" }}', WISH),
        (f'["{SPOILED}"]', WISH),
        (f'{{ {SPOILED} = "anna" }}', WISH),
        (f"{{ {SPOILED} = [] }}", "token 1 needs names of scopes"),
        (f'{{ good = ["*"], {SPOILED} = ["Anna"] }}', "token 2 needs names of scopes"),
        (f'{{ good = ["*"], {SPOILED} = [3] }}', "token 2 needs names of scopes"),
        ('{ "" = ["*"] }', "token 1 is empty"),
        (f'{{ "{SPOILED} {SPOILED}" = ["*"] }}', "token 1 is empty or holds a space"),
    ],
)
def test_what_cannot_be_tokens_is_told_with_what_to_type_and_without_them(table: str, wanted: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read_settings({"HOME": "/nonexistent", "CLAUDEMEM_HTTP__TOKENS": table})
    assert len(caught.value.problems) == 1
    assert wanted in str(caught.value)
    assert SPOILED not in str(caught.value)


@pytest.mark.parametrize(
    ("environment", "overrides", "wanted"),
    [
        ({"CLAUDEMEM_MODEL__NAEM": "x"}, {}, "did you mean name?"),
        ({"CLAUDEMEM_MODLE__NAME": "x"}, {}, "did you mean model?"),
        ({"CLAUDEMEM_NONSENSE": "x"}, {}, "CLAUDEMEM_SECTION__KEY"),
        ({"CLAUDEMEM_HTTP__TCP_PORT": "abc"}, {}, "tcp_port"),
        ({}, {"turn": 3}, "section of its own"),
        ({}, {"turn": {"history": "some"}}, "none, grow, slide"),
        ({}, {"turn": {"deadline_s": -1}}, "not below zero"),
        ({}, {"language": {"zone": "Mars/Olympus"}}, "no such time zone"),
        ({}, {"http": {"tcp_host": "0.0.0.0"}}, "only with tokens"),
        (
            {},
            {"http": {"tcp_host": "::", "tokens": {"x" * 15: ["*"]}, "require_scope": True}},
            "16 characters at least",
        ),
        ({}, {"alarm": {"quiet": "late"}}, "22:00-07:00"),
        ({}, {"model": {"keep_alive": "long"}}, '"-1s" for ever'),
    ],
)
def test_mistakes_are_told(environment: dict[str, str], overrides: dict[str, object], wanted: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read_settings({"HOME": "/nonexistent", **environment}, overrides)
    assert wanted in str(caught.value)


def test_all_mistakes_are_told_at_once_and_no_value_is_printed() -> None:
    environment = {"HOME": "/nonexistent", "CLAUDEMEM_A__B": "secret-1", "CLAUDEMEM_HTTP__TCP_PORT": "secret-2"}
    with pytest.raises(SettingsError) as caught:
        read_settings(environment)
    assert len(caught.value.problems) == 2
    assert "secret" not in str(caught.value)


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "claudemem-edge"
    folder.mkdir()
    (folder / "mine.toml").write_text("[model\n")
    with pytest.raises(SettingsError, match=r"mine\.toml"):
        read_settings({"XDG_CONFIG_HOME": str(tmp_path)})
