from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claudemem_edge.model.history import MODES, History, count_tokens

RATES = {"en": 0.25, "zh": 1.0}
PAIRS = st.lists(st.tuples(st.text("ab 你好", max_size=30), st.text("ab 你好", max_size=30)), max_size=30)


def words(history: History) -> list[str]:
    return [message["content"] for message in history.messages()]


def test_tokens_are_counted_by_script() -> None:
    assert count_tokens("abcd 你好", RATES) == 5 * 0.25 + 2
    assert count_tokens("", RATES) == 0


def test_growing_appends_and_then_cuts_in_one_step_to_the_last_pair() -> None:
    history = History(10, "grow", RATES)
    kept = []
    for turn in range(6):
        history.append(f"user {turn} xx", f"bot {turn} xxx")
        kept.append(len(words(history)) // 2)
    assert kept == [1, 2, 1, 2, 1, 2]
    assert history.messages() == [
        {"role": "user", "content": "user 4 xx"},
        {"role": "assistant", "content": "bot 4 xxx"},
        {"role": "user", "content": "user 5 xx"},
        {"role": "assistant", "content": "bot 5 xxx"},
    ]


def test_sliding_drops_the_oldest_pair_each_time() -> None:
    history = History(10, "slide", RATES)
    for turn in range(6):
        history.append(f"user {turn} xx", f"bot {turn} xxx")
    assert words(history) == ["user 4 xx", "bot 4 xxx", "user 5 xx", "bot 5 xxx"]


def test_none_keeps_nothing_and_clear_forgets_all() -> None:
    nothing, history = History(100, "none", RATES), History(100, "grow", RATES)
    for each in (nothing, history):
        each.append("user", "bot")
    assert nothing.messages() == []
    assert words(history) == ["user", "bot"]
    history.clear()
    assert history.messages() == []


def test_a_mode_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="none, grow, slide"):
        History(100, "grwo", RATES)


@given(PAIRS, st.integers(1, 40), st.sampled_from(MODES))
def test_the_budget_holds_and_what_is_kept_is_the_end_of_what_was_said(
    pairs: list[tuple[str, str]], limit_tokens: int, mode: str
) -> None:
    history = History(limit_tokens, mode, RATES)
    for user, assistant in pairs:
        history.append(user, assistant)
    said = [text for pair in pairs for text in pair]
    kept = words(history)
    assert history.tokens() <= limit_tokens
    assert kept == said[len(said) - len(kept) :]


@given(PAIRS, st.integers(1, 60))
def test_while_it_grows_what_was_sent_stays_a_prefix(pairs: list[tuple[str, str]], limit_tokens: int) -> None:
    history = History(limit_tokens, "grow", RATES)
    for user, assistant in pairs:
        before = words(history)
        history.append(user, assistant)
        after = words(history)
        assert after[: len(before)] == before or len(after) <= 2
