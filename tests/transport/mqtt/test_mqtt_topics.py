"""The topic tree, without a broker."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claudemem_edge.errors import SettingsError, UnknownScope
from claudemem_edge.transport.mqtt_topics import REPLY_TO, Call, Topics

TOPICS = Topics("home")


@pytest.mark.parametrize(("first", "last"), list(REPLY_TO))
def test_each_request_is_subscribed_to_read_and_answered_elsewhere(first: str, last: str) -> None:
    assert f"claudemem/home/{first}/+/{last}" in TOPICS.requests
    assert TOPICS.call(f"claudemem/home/{first}/anna/{last}") == Call(f"{first}/{last}", "anna")
    answer = TOPICS.reply(f"{first}/{last}", "anna")
    assert TOPICS.call(answer) is None, "a reply that is a request would be answered for ever"


@pytest.mark.parametrize(
    "topic",
    ["", "claudemem/home", "claudemem/home/", "claudemem/other/chat/anna/request", "claudemem/home/chat/a/b/request",
     "claudemem/home/chat/anna/reply", "claudemem/homechat/anna/request", "x/claudemem/home/chat/anna/request"],
)  # fmt: skip
def test_other_topics_ask_for_nothing(topic: str) -> None:
    assert TOPICS.call(topic) is None


@pytest.mark.parametrize("segment", ["", "Anna", "a b", "anna\n", "a" * 65, "王", "a.b"])
def test_a_scope_is_checked_before_use(segment: str) -> None:
    call = TOPICS.call(f"claudemem/home/chat/{segment}/request")
    assert call is not None
    with pytest.raises(UnknownScope):
        _ = call.scope


@pytest.mark.parametrize("instance", ["", "a/b", "a+", "#", "a b", "家", "a" * 65, "home\n"])
def test_an_instance_is_one_level_of_a_topic(instance: str) -> None:
    with pytest.raises(SettingsError, match=r"mqtt\.instance"):
        Topics(instance)


@pytest.mark.parametrize(
    ("topic", "safe"),
    [
        ("nurse/answers", True),
        ("claudemem/home/reply/nurse", True),
        ("答案", True),
        ("claudemem/home/reply/", True),
        ("claudemem/home", False),
        ("claudemem/home/chat/anna/request", False),
        ("claudemem/home/status", False),
        ("claudemem/homes", True),
        ("", False),
        ("$SYS/x", False),
        ("a/+/b", False),
        ("a/#", False),
        ("a\0b", False),
        ("a\nb", False),
        ("a\ufffeb", False),
        ("a\ud800b", False),
        ("x" * 513, False),
    ],
)
def test_a_reply_goes_only_where_it_does_no_harm(topic: str, safe: bool) -> None:  # noqa: FBT001 - a table's column
    assert TOPICS.may_answer_on(topic) is safe


@given(st.text(max_size=30))
def test_no_safe_topic_asks_for_anything(topic: str) -> None:
    for candidate in (topic, f"claudemem/home/{topic}", f"claudemem/home/chat/{topic}/request"):
        assert not (TOPICS.may_answer_on(candidate) and TOPICS.call(candidate))
