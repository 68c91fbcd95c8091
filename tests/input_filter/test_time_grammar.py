"""The grammars of the packs hold together, and what speeds them up changes nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claudemem_edge.errors import PackError
from claudemem_edge.input_filter.time_grammar import Form, Grammar, grammar_of
from claudemem_edge.input_filter.time_pattern import bits, code_of, needs, translate
from claudemem_edge.input_filter.times import read_times
from claudemem_edge.language.load import load
from claudemem_edge.language.pack import Language
from claudemem_edge.shapes.terms import words_apart

if TYPE_CHECKING:
    from claudemem_edge.shapes.times import Moment

LEXICON = load(("zh", "en"))
CODES = {"number": code_of(0), "unit": code_of(1), "and": code_of(2)}


def grammar(code: str) -> Grammar:
    found = grammar_of(LEXICON.languages[code])
    assert found is not None
    return found


GRAMMARS = [grammar(code) for code in ("zh", "en")]


def forms() -> list[tuple[Grammar, Form]]:
    found: dict[int, tuple[Grammar, Form]] = {}
    for one in GRAMMARS:
        for stage in one.stages:
            for row in (*stage.by_bit.values(), stage.always):
                found |= {id(form): (one, form) for form in row}
    return list(found.values())


FORMS = forms()


@pytest.mark.parametrize("one", GRAMMARS, ids=["zh", "en"])
def test_every_rule_makes_something_that_is_used(one: Grammar) -> None:
    sources = " ".join(rule.source for rule in one.language.rules["times"].values())
    sources += " ".join(table["pattern"] for table in one.tables["form"])
    used = set(re.findall(r"[a-z_]+", sources)) | {
        *one.tables["results"],
        *one.tables["unclear"],
        *one.tables["leftovers"],
    }
    assert {form.makes for of, form in FORMS if of is one} <= used


@pytest.mark.parametrize("of_form", FORMS, ids=lambda pair: f"{pair[0].language.code}-{pair[1].id or pair[1].order}")
def test_a_form_compiles_and_needs_something(of_form: tuple[Grammar, Form]) -> None:
    form = of_form[1]
    assert form.pattern.groupindex is not None
    assert form.needs
    assert not form.pattern.match("")


@given(st.sampled_from(FORMS), st.data())
def test_what_a_form_needs_is_there_wherever_it_matches(of_form: tuple[Grammar, Form], data: st.DataObject) -> None:
    one, form = of_form
    codes = sorted(set(form.source) & set(one.codes.values())) or sorted(one.codes.values())
    line = data.draw(st.text(st.sampled_from(codes), max_size=8))
    if form.pattern.search(line):
        assert all(mask & bits(line) for mask in form.needs)
        assert any(form in stage.possible(bits(line)) for stage in one.stages)
        assert one.prospects.good(bits(line)) or not form.id or form.makes not in one.tables["results"]


@pytest.mark.parametrize("of_form", FORMS, ids=lambda pair: f"{pair[0].language.code}-{pair[1].id or pair[1].order}")
def test_no_form_spans_a_gap(of_form: tuple[Grammar, Form]) -> None:
    one, form = of_form
    taken = re.sub(r"\(\?<?[=!](?:[^()]|\([^()]*\))*\)", "", form.source)
    assert one.codes["gap"] not in taken


@pytest.mark.parametrize(
    ("code", "kinds", "good"),
    [
        ("en", ["number"], False),
        ("en", ["at", "number"], True),
        ("en", ["article"], False),
        ("en", ["article", "week_unit", "ago"], True),
        ("en", ["who", "past_word"], False),
        ("en", ["vague", "ago"], True),
        ("zh", ["number"], False),
        ("zh", ["number", "clock_mark"], True),
        ("zh", ["of", "filler"], False),
        ("zh", ["day_word"], True),
    ],
)
def test_prospects(code: str, kinds: list[str], *, good: bool) -> None:
    one = grammar(code)
    mask = bits("".join(one.codes[kind] for kind in kinds))
    assert one.prospects.good(mask) is good
    assert one.prospects.good(mask) is good


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("number unit", [["number"], ["unit"]]),
        ("number? unit", [["unit"]]),
        ("value:number{0,2} unit", [["unit"]]),
        ("(?:number|unit) and", [["number", "unit"], ["and"]]),
        ("(?:(?<=and)|^) unit", [["unit"]]),
        ("(?:number and?)? unit (?=number)", [["unit"], ["number"]]),
        ("(?<=and) unit (?!number)", [["and"], ["unit"]]),
        ("unit (?=number|$)", [["unit"]]),
        ("number unit|and", [["number", "and"], ["unit", "and"]]),
        ("number|unit", [["number", "unit"]]),
    ],
)
def test_needs(pattern: str, expected: list[list[str]]) -> None:
    masks = [bits("".join(CODES[kind] for kind in kinds)) for kinds in expected]
    assert list(needs(translate("test", pattern, CODES))) == masks


def test_an_unknown_kind_is_told() -> None:
    with pytest.raises(PackError, match="rule clock: there is no kind hours"):
        translate("clock", "hour:hours", CODES)


def test_a_word_of_two_kinds_is_told() -> None:
    language = Language("xx", "X", "latin", joined=False)
    language.tables["times"] = {"words": {"at": ["by"], "by": ["by"]}}
    with pytest.raises(PackError, match="by is of two kinds, at and by"):
        grammar_of(language)


def test_a_language_without_times_has_no_grammar() -> None:
    assert grammar_of(Language("xx", "X", "latin", joined=False)) is None


@pytest.mark.parametrize(
    ("one", "word"),
    [
        pytest.param(one, word, id=word)
        for one in GRAMMARS
        for kind in ("holiday_word", "day_word")
        for word in one.tables["values"][kind]
    ],
)
def test_a_day_with_a_name_passes_the_gate(now: Moment, one: Grammar, word: str) -> None:
    assert one.may_hold_time(word, words_apart(word))
    assert [mention.text for mention in read_times(word, now, LEXICON).mentions] == [word]
