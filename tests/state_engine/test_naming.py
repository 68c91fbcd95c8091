"""A relation and a name can mean one person, in whatever order they come."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fakes.talk import mention

from claudemem_edge.shapes.reading import ClaimDraft

if TYPE_CHECKING:
    from fakes.talk import Talk


def _names(talk: Talk) -> list[set[str]]:
    return [{one.name, *one.aliases} for one in talk.state.entity_map.values() if one.kind == "person"]


def test_the_relation_first(talk: Talk) -> None:
    talk.tell("my son lives in Leeds", "son", "lives_in", "Leeds")
    talk.tell("my son is called Tom", "user", "son", "Tom")
    talk.tell("Tom has moved to York", "Tom", "lives_in", "York")
    assert ("son", "lives_in", "York") in talk.open_values()
    assert ("son", "lives_in", "Leeds") not in talk.open_values()
    assert _names(talk) == [{"son", "Tom"}]
    assert {hit.value for hit in talk.state.names.hits("tom and my son")} == {"son"}


def test_the_name_first(talk: Talk) -> None:
    talk.tell("my wife is called Ann", "user", "wife", "Ann")
    talk.tell("my wife lives in Leeds", "wife", "lives_in", "Leeds")
    assert ("Ann", "lives_in", "Leeds") in talk.open_values()
    assert _names(talk) == [{"Ann", "wife"}]


def test_both_in_one_breath(talk: Talk) -> None:
    talk.hear(
        "my daughter Amy lives in Paris",
        claims=(
            ClaimDraft("user", "daughter", "Amy", (0, 0), "t"),
            ClaimDraft("daughter", "lives_in", "Paris", (0, 0), "t"),
        ),
        mentions=(mention("daughter"), mention("Amy")),
    )
    assert _names(talk) == [{"Amy", "daughter"}]
    assert ("Amy", "lives_in", "Paris") in talk.open_values()


def test_both_known_apart_become_one(talk: Talk) -> None:
    talk.hear("Tom came by", mentions=(mention("Tom"),))
    talk.tell("Tom lives in Leeds", "Tom", "lives_in", "Leeds")
    talk.tell("my son lives in York", "son", "lives_in", "York")
    talk.tell("my son is called Tom", "user", "son", "Tom")
    assert _names(talk) == [{"son", "Tom"}]
    assert {value for value in talk.open_values() if value[1] == "lives_in"} == {("son", "lives_in", "York")}
    assert len(talk.state.entity_map["son"].sightings) == 2


def test_two_sons_stay_two(talk: Talk) -> None:
    talk.tell("my son is called Tom", "user", "son", "Tom")
    talk.hear("Bob came by", mentions=(mention("Bob"),))
    talk.tell("my other son is called Bob", "user", "son", "Bob")
    assert {"Tom", "son"} in _names(talk)
    assert {"Bob"} in _names(talk)


@pytest.mark.parametrize(("subject", "predicate"), [("son", "name"), ("user", "son")])
def test_a_corrected_name_leads_to_the_same_person(talk: Talk, subject: str, predicate: str) -> None:
    talk.tell("my son is here", "son", "is", "here")
    talk.tell("my son is called Tom", subject, predicate, "Tom")
    assert {hit.value for hit in talk.state.names.hits("tom")} == {"son"}


def test_what_is_denied_ties_nothing(talk: Talk) -> None:
    talk.tell("my son is here", "son", "is", "here")
    talk.tell("my son is not called Tom", "user", "son", "Tom", denies=True)
    assert _names(talk) == [{"son"}]
