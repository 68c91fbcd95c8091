from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from claudemem_edge.cli import main

EXAMPLES = Path(__file__).parent.parent.parent / "deploy" / "examples"
UNTOLD = """
small_talk = ["It rained again today."]

[[thing]]
told = "The press is an S7-1500."
direct = { ask = "Which model is the press?", held = "S7-1500" }
reverse = { ask = "Which medicine do I take?", held = "aspirin" }
"""


def run(*arguments: str) -> tuple[int, str]:
    ended = CliRunner().invoke(main, ["check-memory", *arguments])
    return ended.exit_code, ended.output


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_the_examples_tell_is_held_at_each_level(language: str) -> None:
    status, told = run(str(EXAMPLES / f"check_memory.{language}.toml"), "--least", "100", "--misses")
    assert status == 0, told
    assert told.count("100.0 %") == 15


def test_what_is_not_held_is_told_with_its_block(tmp_path: Path) -> None:
    file = tmp_path / "things.toml"
    file.write_text(UNTOLD, encoding="utf-8")
    status, told = run(str(file), "--after", "2", "--misses", "--least", "50")
    assert status == 1
    assert "100.0 %" in told
    assert "0.0 %" in told
    assert "after 2, reverse: Which medicine do I take?\n  wanted: aspirin\n" in told
    status, told = run(str(file), "--after", "0", "--after", "2", "--json")
    assert status == 0
    assert json.loads(told) == {"0": {"direct": 100.0, "reverse": 0.0}, "2": {"direct": 100.0, "reverse": 0.0}}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("small_talk = [", "An example:"),
        ('small_talk = ["It rained."]', "An example:"),
        ("[[thing]]\ntold = 3", "An example:"),
        ('small_talk = ["It rained."]\n[[thing]]\ntold = "x"\ndirect = { ask = "y" }', "An example:"),
        ('[[thing]]\ntold = "x"', "small_talk is empty"),
    ],
)
def test_a_file_that_is_none_is_told_how_to_be_one(text: str, wanted: str, tmp_path: Path) -> None:
    file = tmp_path / "things.toml"
    file.write_text(text, encoding="utf-8")
    status, told = run(str(file))
    assert status == 2
    assert wanted in told
