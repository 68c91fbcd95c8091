"""Reading one utterance of the user at the fixed now, without known names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from claudemem_edge.input_filter.read import read
from claudemem_edge.language.load import load
from claudemem_edge.shapes.terms import TermIndex

if TYPE_CHECKING:
    from collections.abc import Callable

    from claudemem_edge.shapes.reading import Reading
    from claudemem_edge.shapes.times import Moment


@pytest.fixture
def reads(now: Moment) -> Callable[..., Reading]:
    """Read an utterance with the core packs of both languages: reads(text, speaker="user", hint="")."""

    def reads(text: str, speaker: str = "user", hint: str = "") -> Reading:
        return read(text, speaker=speaker, now=now, lexicon=load(("zh", "en")), names=TermIndex(), hint=hint)

    return reads
