from __future__ import annotations

from claudemem_edge.language.match import TimedPattern

RUNAWAY = r"^(\w|[a-z]){1,400}\d$"
"""Takes this engine exponential time on letters without a digit."""


def test_matches_as_a_pattern_of_re_does() -> None:
    pattern = TimedPattern(r"\p{L}{2}")
    assert pattern.pattern == r"\p{L}{2}"
    found = pattern.search("1 ab cd")
    assert found is not None
    assert found.span() == (2, 4)
    assert pattern.search("1 ab cd", 3, 5) is None
    assert pattern.match("ab") is not None
    assert pattern.match("1 ab") is None
    assert pattern.fullmatch("abc", 1) is not None
    assert pattern.fullmatch("abc") is None
    assert [one.group() for one in pattern.finditer("ab cd e")] == ["ab", "cd"]


def test_a_search_that_takes_too_long_has_found_nothing() -> None:
    pattern = TimedPattern(RUNAWAY)
    assert pattern.search("a" * 60) is None
    assert list(pattern.finditer("a" * 60)) == []
