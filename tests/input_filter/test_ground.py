from __future__ import annotations

from typing import TYPE_CHECKING

from claudemem_edge.input_filter.ground import TIME, UNCLEAR_TIME, prepare
from claudemem_edge.input_filter.times import TimesRead
from claudemem_edge.language.load import load
from claudemem_edge.language.pack import Rule
from claudemem_edge.shapes.times import TimeMention

if TYPE_CHECKING:
    from claudemem_edge.input_filter.ground import Ground

ENGLISH = load(("en",)).languages["en"]


def ground(text: str, times: tuple[tuple[int, int], ...] = (), unclear: tuple[tuple[int, int], ...] = ()) -> Ground:
    mentions = tuple(TimeMention(text[start:end], (start, end), None, None, "day") for start, end in times)
    return prepare(text, text.lower(), TimesRead(mentions, unclear), ENGLISH)


def found(base: Ground, pattern: str, *, masked: bool = False) -> list[str]:
    return [match.group() for match in base.matches(Rule("x.y.z", "z", (), pattern, {}), masked=masked)]


RULE = Rule("x.y.z", "z", (), "stop", {})


def test_times_are_blotted_out_character_by_character() -> None:
    base = ground("Call at 5, soonish", times=((8, 9),), unclear=((11, 18),))
    assert base.masked == f"call at {TIME}, {UNCLEAR_TIME * 7}"
    assert base.folded == "call at 5, soonish"


def test_times_that_overlap_keep_the_length() -> None:
    base = ground("at five pm", times=((3, 7), (5, 10)), unclear=((0, 4),))
    assert len(base.masked) == len(base.folded)


def test_an_order_begins_at_the_start_or_after_a_mark_and_a_reminder_after_and_too() -> None:
    base = ground("stop, stop stop. Stop and stop")
    assert found(base, "stop") == ["stop"] * 3
    assert [match.start() for match in base.matches(RULE, masked=False, linked=True)] == [0, 6, 17, 26]
    assert found(ground("do not stop"), "stop") == []


def test_no_match_begins_inside_the_one_before() -> None:
    assert found(ground("a, a, a, b"), "a, a") == ["a, a"]
    assert found(ground("a, a"), "a?") == ["a", "a"]
    assert found(ground("b"), "a?") == []


def test_a_group_is_cut_from_the_words_as_said() -> None:
    base = ground("Call Bob, now")
    match = next(base.matches(Rule("x.y.z", "z", (), "call(?P<who>[^,]{1,9},)(?P<how>x)?", {}), masked=False))
    assert base.slice(match, "who") == "Bob"
    assert base.slice(match, "how") == ""
