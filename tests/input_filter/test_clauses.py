from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claudemem_edge.input_filter.clauses import digest, spans, terms
from claudemem_edge.language.load import load
from claudemem_edge.shapes.digest import clause_digest

LEXICON = load(("zh", "en"))
WRITTEN = st.text(alphabet="abcI 1.3,;!?-—'我你吃药，。？！ \n的了()", max_size=60)


@pytest.mark.parametrize(
    ("language", "text", "clauses"),
    [
        ("en", "The kettle leaks. Please call the plumber!", ["The kettle leaks", "Please call the plumber"]),
        ("en", "Dr. Ames charges $3.50 for v2.3.1 at a.b@c.org.", ["Dr. Ames charges $3.50 for v2.3.1 at a.b@c.org"]),
        ("en", "J. R. Hill lives in the U.S. office tower.", ["J. R. Hill lives in the U.S. office tower"]),
        ("en", "We bought apples, pears and plums.", ["We bought apples, pears and plums"]),
        ("en", "The boiler broke at noon, so we slept at Ann's.", ["The boiler broke at noon", "so we slept at Ann's"]),
        ("en", "Oh! Thanks. The boiler works.", ["Oh! Thanks. The boiler works"]),
        ("en", "The boiler works. Thank you!", ["The boiler works. Thank you"]),
        ("en", "Yes.", ["Yes"]),
        ("en", "The lamp is very old - it flickers every night.", ["The lamp is very old", "it flickers every night"]),
        ("en", "...", []),
        ("zh", "水壶漏水了。请叫修理工来！", ["水壶漏水了", "请叫修理工来"]),
        ("zh", "我女儿在成都上班，每个月回来一次。", ["我女儿在成都上班", "每个月回来一次"]),
        ("zh", "嗯，那把伞是谁的？", ["嗯，那把伞是谁的"]),
        ("zh", "血压135/85，体温36.5度，都正常。", ["血压135/85", "体温36.5度，都正常"]),
        ("zh", "他问：“药在哪里？”我没听见。", ["他问：“药在哪里", "我没听见"]),
        ("zh", "好的。谢谢！门修好了。", ["好的。谢谢！门修好了"]),
        ("zh", "买了苹果、梨和李子。", ["买了苹果、梨和李子"]),
        ("zh", "我在读J. 希尔写的那本航海书。", ["我在读J. 希尔写的那本航海书"]),
        ("zh", "好. 门已经修好了,不用叫人。", ["好", "门已经修好了,不用叫人"]),
    ],
)  # fmt: skip
def test_cuts_where_a_clause_can_stand_alone(language: str, text: str, clauses: list[str]) -> None:
    found = spans(text.lower(), LEXICON.get(language))
    assert [text[start:end] for start, end in found] == clauses


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        ("en", "the nurses were carrying boxes", ("nurs", "carry", "box")),
        ("en", "she bought two pies and ate them", ("buy", "two", "pie", "eat")),
        ("en", "running, stopped, making", ("run", "stop", "mak")),
        ("en", "anna's mother-in-law", ("anna", "mom", "law")),
        ("en", "call 010-6400-1606, mail a.b@c.org on v2.3", ("call", "010-6400-1606", "mail", "a.b@c.org", "v2.3")),
        ("en", "what is it?", ()),
        ("zh", "血压有点高", ("血压", "高")),
        ("zh", "他的药盒在抽屉里", ("药盒", "抽屉", "屉里")),
        ("zh", "5月2日吃了3片", ("5月", "2日", "3片")),
        ("zh", "你什么时候来", ()),
        ("", "ĉu vi parolas esperanton", ("ĉu", "vi", "parolas", "esperanton")),
    ],
)  # fmt: skip
def test_terms_are_stems_pairs_and_whole_identifiers(language: str, text: str, found: tuple[str, ...]) -> None:
    assert terms(text, LEXICON.get(language) if language else None) == found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("walking", "walked"), ("boxes", "box"), ("parties", "party"),
        ("made", "making"), ("children", "child"), ("drove", "driving"),
    ],
)  # fmt: skip
def test_forms_of_a_word_meet_in_one_term(one: str, other: str) -> None:
    assert terms(one, LEXICON.get("en")) == terms(other, LEXICON.get("en"))


@pytest.mark.parametrize("language", ["zh", "en", ""])
@given(text=WRITTEN)
def test_spans_lie_in_order_and_leave_no_word_out(language: str, text: str) -> None:
    folded = text.lower()
    found = spans(folded, LEXICON.get(language) if language else None)
    last = 0
    for start, end in found:
        assert last <= start < end <= len(folded)
        assert folded[start:end] == folded[start:end].strip()
        assert not re.search(r"\w", folded[last:start])
        last = end
    assert not re.search(r"\w", folded[last:])


def test_a_digest_does_not_mind_width_and_case() -> None:
    said = digest("The boiler broke on Monday. Call Anna!", LEXICON)
    assert said == digest("ＴＨＥ boiler   broke on monday. call ANNA", LEXICON)
    assert clause_digest("The boiler broke on Monday") in said
    assert clause_digest("The boiler broke on Tuesday") not in said
    assert clause_digest("水壶漏水了") in digest("水壶漏水了。", LEXICON)
