"""Other languages: absolute dates through dateparser, which nobody loads for Chinese and English."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from claudemem_edge.input_filter import time_fallback
from claudemem_edge.input_filter.times import read_times
from claudemem_edge.language.load import load

if TYPE_CHECKING:
    from claudemem_edge.shapes.times import Moment

LEXICON = load(("zh", "en"))


@pytest.fixture(scope="module", autouse=True)
def _french() -> None:
    time_fallback.prepare(("fr", "xx"))


@pytest.mark.parametrize(
    ("text", "said", "day"),
    [
        ("rendez-vous le 12 mai 2027 chez le dentiste", "12 mai 2027", "2027-05-12"),
        ("on part le 1er août 2026", "1er août 2026", "2026-08-01"),
        ("le bail finit le 31.12.2026", "31.12.2026", "2026-12-31"),
    ],
)
def test_an_absolute_date_is_read(now: Moment, text: str, said: str, day: str) -> None:
    (mention,) = read_times(text, now, LEXICON, "fr").mentions
    assert (mention.text, mention.start and mention.start.date().isoformat(), mention.grain) == (said, day, "day")
    assert text[mention.span[0] : mention.span[1]] == said


@pytest.mark.parametrize("text", ["demain matin", "le 12 mai", "40 mai 2027", "12 chat 2027", "le 12.5 mg"])
def test_anything_less_is_left_alone(now: Moment, text: str) -> None:
    assert read_times(text, now, LEXICON, "fr").mentions == ()


def test_an_unknown_language_is_not_prepared() -> None:
    assert time_fallback.prepared("fr")
    assert not time_fallback.prepared("xx")


def test_chinese_and_english_load_nothing_of_it() -> None:
    script = (
        "import sys; from claudemem_edge import find_times;"
        "find_times('tomorrow at 8'); find_times('明天八点');"
        "sys.exit('dateparser' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
