"""What was told is held whichever way it is asked for, and things nobody told of get no block."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from claudemem_edge.cli import main


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("turns", ["8", "50"])
def test_things_are_held_directly_by_a_link_and_in_reverse(language: str, turns: str) -> None:
    file = Path(__file__).with_name(f"held.{language}.toml")
    ended = CliRunner().invoke(main, ["check-memory", str(file), "--after", turns, "--least", "100", "--misses"])
    assert ended.exit_code == 0, ended.output
