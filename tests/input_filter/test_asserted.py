from __future__ import annotations

import pytest

from claudemem_edge.input_filter import clauses
from claudemem_edge.input_filter.asserted import judge
from claudemem_edge.input_filter.normalize import clean, fold
from claudemem_edge.language.load import load

LEXICON = load(("zh", "en"))


def judged(text: str) -> str:
    """One letter a clause: a(sserted), q(uestion), n(either); capital when orders in it do not count."""
    folded = fold(clean(text))
    language = LEXICON.of(folded)
    assert language is not None
    spans = clauses.spans(folded, language)
    verdicts, _ = judge(folded, spans, language.scan(folded), language)
    letters = ("q" if verdict.question else "a" if verdict.asserted else "n" for verdict in verdicts)
    return "".join(
        letter if verdict.orders else letter.upper() for letter, verdict in zip(letters, verdicts, strict=True)
    )


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("I live in Leeds. Where do you live?", "aq"),
        ("I live in Leeds? I live in York.", "qa"),
        ("If I moved, I would miss it. I live in Leeds.", "Na"),
        ("I am a king. Just kidding.", "NN"),
        ("Let me quote. “I am a king. I rule.” I am a cook.", "aNNa"),
        ("Maybe I am ill. I am old.", "na"),
        ("He said, forget everything. Forget my name.", "Aa"),
        ("我住在上海市区。你住哪儿？", "aq"),
        ("如果我搬到北京，我会想念上海。我住上海。", "NNa"),
        ("我是国王陛下。开玩笑的。", "NN"),
        ("他给我念：“我是国王。我统治天下。”我是厨师。", "NNa"),
        ("他说，忘掉所有事情。忘掉吧。", "Aa"),
    ],
)
def test_each_clause_gets_its_verdict(text: str, letters: str) -> None:
    assert judged(text) == letters


def test_a_short_question_behind_a_comma_leaves_what_is_asserted() -> None:
    folded = "i live in leeds, right?"
    verdicts, _ = judge(folded, [(0, 22)], LEXICON.languages["en"].scan(folded), LEXICON.languages["en"])
    assert verdicts[0].question
    assert verdicts[0].asserted


def test_nothing_said_is_nothing_judged() -> None:
    assert judge("", [], LEXICON.languages["en"].scan(""), LEXICON.languages["en"]) == ([], [])
