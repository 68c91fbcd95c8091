from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claudemem_edge.errors import UnknownScope
from claudemem_edge.transport.scope import is_visit, resolve

ALLOWED = "abcdefghijklmnopqrstuvwxyz0123456789_-"


@given(st.text(ALLOWED, min_size=1, max_size=64))
def test_allowed_names_stand_for_themselves(name: str) -> None:
    assert resolve(name) == name


@given(st.text())
def test_any_other_name_is_refused_without_repeating_it(name: str) -> None:
    if 1 <= len(name) <= 64 and set(name) <= set(ALLOWED):
        return
    with pytest.raises(UnknownScope) as refused:
        resolve(name)
    assert refused.value.hint
    if len(name) > 10:
        assert name not in refused.value.message + refused.value.hint


@pytest.mark.parametrize("name", ["kim\n", "Kim", "", "a" * 65, "a/b", "a b", "kïm", "\u5976\u5976", "+", "#", "a\0"])
def test_near_misses_are_refused(name: str) -> None:
    with pytest.raises(UnknownScope):
        resolve(name)


@pytest.mark.parametrize(
    ("scope", "pattern", "visit"),
    [
        ("visit-17", "visit-*", True),
        ("visit", "visit-*", False),
        ("grandma", "visit-*", False),
        ("kiosk_3", "kiosk_*", True),
    ],
)
def test_a_visit_is_told_by_its_name(scope: str, pattern: str, *, visit: bool) -> None:
    assert is_visit(scope, pattern) is visit
