"""Conversations in both languages with the engine alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fakes.talk import Talk

from claudemem_edge.language.load import load

if TYPE_CHECKING:
    from claudemem_edge.language.pack import Lexicon


@pytest.fixture(scope="session")
def lexicon() -> Lexicon:
    """Both languages."""
    return load(("zh", "en"))


@pytest.fixture
def talk(lexicon: Lexicon) -> Talk:
    """A conversation in English."""
    return Talk(lexicon)


@pytest.fixture
def zh(lexicon: Lexicon) -> Talk:
    """A conversation in Chinese."""
    return Talk(lexicon, language="zh")
