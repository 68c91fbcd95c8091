"""What is claimed of "it" or "that pill" is claimed of what the word means, or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fakes.talk import mention

from claudemem_edge.shapes.reading import ClaimDraft, Reference

if TYPE_CHECKING:
    from fakes.talk import Talk

MEDICINE, PERSON, THING = "medicine", "person", "thing"


def _point(
    talk: Talk, text: str, word: str, kind: str, predicate: str = "side_effect", value: str = "headache"
) -> None:
    start = text.index(word)
    talk.hear(
        text,
        claims=(ClaimDraft(word, predicate, value, (0, 0), "t"),),
        references=(Reference(word, kind, (start, start + len(word)), "t"),),
    )


def _subjects(talk: Talk, predicate: str = "side_effect") -> list[str]:
    return [one.subject for one in talk.state.claims.values() if one.predicate == predicate]


@pytest.mark.parametrize(("word", "kind"), [("that pill", MEDICINE), ("it", THING), ("it", "")])
def test_a_word_points_to_what_fits_its_kind(talk: Talk, word: str, kind: str) -> None:
    talk.tell("I take zinc", "user", "takes", "zinc")
    talk.hear("Tom was here", mentions=(mention("Tom"),))
    talk.hear("we went to Leeds", mentions=(mention("Leeds", "place"),))
    _point(talk, f"{word} gives me a headache", word, kind)
    assert _subjects(talk) == ["zinc"]


def test_the_nearest_is_meant(talk: Talk) -> None:
    talk.tell("I take zinc", "user", "takes", "zinc")
    talk.tell("I take iron", "user", "takes", "iron")
    _point(talk, "it gives me a headache", "it", THING)
    assert _subjects(talk) == ["iron"]


def test_of_two_equals_none_is_guessed(talk: Talk) -> None:
    talk.hear("zinc and iron", mentions=(mention("zinc", MEDICINE), mention("iron", MEDICINE)))
    _point(talk, "it gives me a headache", "it", THING)
    assert _subjects(talk) == []
    assert "it gives me a headache" in talk.shown()


def test_nobody_is_meant(talk: Talk) -> None:
    _point(talk, "it gives me a headache", "it", THING)
    assert not talk.state.claims
    assert not talk.state.entity_map


def test_the_user_is_not_he(talk: Talk) -> None:
    talk.hear("I am Ann", claims=(ClaimDraft("user", "name", "Ann", (0, 0), "t"),), mentions=(mention("Ann"),))
    _point(talk, "she lives in York", "she", PERSON, "lives_in", "York")
    assert _subjects(talk, "lives_in") == []
    talk.tell("my son is here", "son", "is", "here")
    _point(talk, "he lives in York", "he", PERSON, "lives_in", "York")
    assert _subjects(talk, "lives_in") == ["son"]


@pytest.mark.parametrize(("word", "kind", "found"), [("it", THING, False), ("that pill", MEDICINE, True)])
def test_a_pronoun_does_not_reach_far(talk: Talk, word: str, kind: str, *, found: bool) -> None:
    talk.hear("zinc", mentions=(mention("zinc", MEDICINE),))
    for number in range(20):
        talk.hear(f"other things {number}")
    _point(talk, f"{word} is big", word, kind, "is", "big")
    assert bool(talk.state.claims) is found


def test_a_name_after_the_word_is_not_meant(talk: Talk) -> None:
    text = "he said that Tom was here"
    talk.hear(
        text,
        claims=(ClaimDraft("he", "lives_in", "York", (0, 0), "t"),),
        references=(Reference("he", PERSON, (0, 2), "t"),),
        mentions=(mention("Tom"),),
    )
    assert not talk.state.claims


def test_the_object_may_be_pointed_to(talk: Talk) -> None:
    talk.hear("zinc", mentions=(mention("zinc", MEDICINE),))
    text = "I take it"
    talk.hear(
        text,
        claims=(ClaimDraft("user", "takes", "it", (0, 0), "t"),),
        references=(Reference("it", THING, (7, 9), "t"),),
    )
    assert talk.open_values() == {("user", "takes", "zinc")}
