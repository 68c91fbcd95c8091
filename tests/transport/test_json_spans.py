from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claudemem_edge.transport.json_spans import document, elements, members, replaced

_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
_styles = st.sampled_from(
    [{"indent": 2}, {"separators": (",", ":")}, {"ensure_ascii": False}, {"indent": "\t", "ensure_ascii": False}]
)


@settings(deadline=None)
@given(st.dictionaries(st.text(max_size=8), _json, max_size=5), _styles)
def test_every_member_stands_where_it_says(value: dict[str, Any], style: dict[str, Any]) -> None:
    text = json.dumps(value, **style)
    found = document(f" \n{text}\r\n ")
    assert {name: place.value for name, place in found.items()} == value
    assert all(json.loads(f" \n{text}\r\n "[place.start : place.end]) == place.value for place in found.values())


@settings(deadline=None)
@given(st.lists(_json, max_size=5), _styles)
def test_every_element_stands_where_it_says(value: list[Any], style: dict[str, Any]) -> None:
    text = json.dumps(value, **style)
    found = elements(text, 0)
    assert [place.value for place in found] == value
    assert all(json.loads(text[place.start : place.end]) == place.value for place in found)


@settings(deadline=None)
@given(st.text(), st.text(st.characters(exclude_categories=["Cs"])))
def test_replacing_a_string_changes_nothing_else(before: str, after: str) -> None:
    head, tail = '{"n": 4096.0, "e":1E+2 ,\t"s" : ', ', "x": "\\u00e9", "big": 123456789012345678901}'
    text = head + json.dumps(before) + tail
    expected = head + json.dumps(after, ensure_ascii=False) + tail
    assert replaced(text, document(text)["s"], after) == expected.encode("utf-8")


def test_of_two_members_with_one_name_the_last_counts() -> None:
    text = '{"a": 1, "a": {"b": 2, "b": 3}}'
    place = document(text)["a"]
    assert place.value == {"b": 3}
    assert text[members(text, place.start)["b"].start] == "3"


@pytest.mark.parametrize(
    "text", ["", "[]", "17", '{"a":1', '{"a":1} x', '{"a":1,}', "{a:1}", '{"a" 1}', '{"a":"\n"}', "\ufeff{}"]
)
def test_what_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        document(text)


def test_what_is_nested_too_deep_is_refused() -> None:
    with pytest.raises(RecursionError):
        document('{"a":' + "[" * 100_000)
