"""Sentences and what they claim; the tables stand in `claims.<language>.txt` beside this file."""

from __future__ import annotations

import tomllib
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claudemem_edge.errors import PackError
from claudemem_edge.input_filter.claim_rules import claim_rules
from claudemem_edge.input_filter.read import read
from claudemem_edge.language.load import load
from claudemem_edge.language.pack import Language, Rule
from claudemem_edge.shapes.terms import TermIndex
from claudemem_edge.shapes.times import Moment

if TYPE_CHECKING:
    from claudemem_edge.shapes.reading import ClaimDraft, Reading

NOW = Moment(datetime(2026, 3, 11, 9, 40, tzinfo=ZoneInfo("Asia/Shanghai")), 1000.0)
FOLDER = Path(__file__).parent
PACKS = FOLDER.parent.parent / "claudemem_edge" / "packs"
LANGUAGES = ("zh", "en")


def reading(text: str, speaker: str = "user", names: dict[str, str] | None = None) -> Reading:
    known = TermIndex()
    for alias, name in (names or {}).items():
        known.add(alias, name)
    return read(text, speaker=speaker, now=NOW, lexicon=load(LANGUAGES), names=known)


def claimed(text: str, speaker: str = "user", names: dict[str, str] | None = None) -> list[ClaimDraft]:
    return list(reading(text, speaker, names).claims)


def written(draft: ClaimDraft) -> str:
    """Write a draft the way the tables do."""
    mark = ("rather " if draft.corrects else "") + ("not " if draft.denies else "")
    fields = f"{mark}{draft.subject} | {draft.predicate} | {draft.object}"
    return f"{fields} | {draft.because}" if draft.because else fields


def rows() -> list[tuple[str, str]]:
    lines = [line for path in sorted(FOLDER.glob("claims.*.txt")) for line in path.read_text("utf-8").splitlines()]
    pairs = [line.split("=>") for line in lines if line and not line.startswith("#")]
    return [(text.strip(), wanted.strip()) for text, wanted in pairs]


@pytest.mark.parametrize(("text", "wanted"), rows(), ids=[text for text, _ in rows()])
def test_claims_what_the_table_says(text: str, wanted: str) -> None:
    assert "; ".join(written(draft) for draft in claimed(text)) == wanted


CONVERSATIONS = {
    "zh": [
        ("医生您好，我叫赵秀英，今年七十五岁。", ["user | name | 赵秀英", "user | age | 75岁"]),
        (
            "我每天早上吃一片硝苯地平。",
            ["user | takes | 硝苯地平", "硝苯地平 | frequency | 每天早上", "硝苯地平 | dose | 一片"],
        ),
        ("这个药吃得我脚踝肿。", ["这个药 | side_effect | 脚踝肿"]),
        ("提醒我明天上午十点量血压。", []),
        ("我儿子在苏州工作。", ["儿子 | works_in | 苏州"]),
        ("他上个月回来看过我。", ["他 | visited | 2026-02"]),
        ("我的脚肿得厉害，怎么办？", ["user | symptom | 脚肿"]),
    ],
    "en": [
        ("Good morning, my name is Edith Marsh and I'm 75.", ["user | name | Edith Marsh", "user | age | 75"]),
        (
            "I take one nifedipine tablet every morning.",
            ["user | takes | nifedipine", "nifedipine | frequency | every morning", "nifedipine | dose | one tablet"],
        ),
        ("It makes my ankles swell.", ["It | side_effect | ankles swell"]),
        ("Remind me to measure my blood pressure tomorrow at ten.", []),
        ("My son works in Bristol.", ["son | works_in | Bristol"]),
        ("He came to see me last month.", ["He | visited | 2026-02"]),
        ("My feet are badly swollen, what now?", ["user | symptom | feet swollen"]),
    ],
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_visit_to_the_doctor(language: str) -> None:
    said = [(text, [written(draft) for draft in claimed(text)]) for text, _ in CONVERSATIONS[language]]
    assert said == CONVERSATIONS[language]


@pytest.mark.parametrize(
    ("text", "word"),
    [("这个药让我头晕", "这个药"), ("他在深圳上班", "他"), ("That pill makes me dizzy.", "That pill")],
)
def test_a_subject_that_points_is_the_reference_at_its_place(text: str, word: str) -> None:
    understood = reading(text)
    (draft,) = understood.claims
    assert draft.subject == word
    assert word in {reference.word for reference in understood.references}


@pytest.mark.parametrize(
    ("text", "speaker", "wanted"),
    [
        ("I live in Leeds, my son lives in York.", "Jo", ["Jo | lives_in | Leeds", "Jo's son | lives_in | York"]),
        ("My blood type is O.", "Caroline", ["Caroline's blood type | is | O"]),
        ("我儿子在上小学", "小芳", ["小芳的儿子 | studies_at | 小学"]),
        ("我的血型是O型", "小芳", ["小芳的血型 | is | O型"]),
    ],
)
def test_a_named_speaker_is_the_subject(text: str, speaker: str, wanted: list[str]) -> None:
    assert [written(draft) for draft in claimed(text, speaker)] == wanted


@pytest.mark.parametrize("speaker", ["assistant", "event"])
@pytest.mark.parametrize("text", ["我叫王建国", "My name is Tom Baker."])
def test_others_than_people_claim_nothing(text: str, speaker: str) -> None:
    assert claimed(text, speaker) == []


@pytest.mark.parametrize(
    ("text", "names", "wanted"),
    [
        ("小明在南京工作", {"小明": "王小明"}, ["王小明 | works_in | 南京"]),
        ("Zsofia lives in Leeds.", {"zsofia": "Zsofia Nagy"}, ["Zsofia Nagy | lives_in | Leeds"]),
    ],
)
def test_a_name_the_memory_knows_is_a_subject(text: str, names: dict[str, str], wanted: list[str]) -> None:
    assert [written(draft) for draft in claimed(text, names=names)] == wanted


@pytest.mark.parametrize(
    "text",
    [
        *("如果我住在上海", "我住在上海吗？", "你觉得我叫王建国吗", "我妈说：“我住在成都”", "要是我七十岁就好了"),
        *("If I lived in Rome I'd be happy.", "Do I live in Rome?", 'My mum said "I live in Rome".'),
        "My friend says I live in a bubble.",
    ],
)
def test_what_is_not_meant_as_said_makes_no_claim(text: str) -> None:
    assert claimed(text) == []


def test_both_languages_have_the_same_predicates_with_the_same_logic() -> None:
    logic = []
    for language in LANGUAGES:
        table = tomllib.loads((PACKS / language / "core" / "predicates.toml").read_text("utf-8"))["predicates"]
        logic.append({
            name: {key: value for key, value in one.items() if key not in {"sentence", "told", "past", "key"}}
            for name, one in table.items()
        })  # fmt: skip
    assert logic[0] == logic[1]


def test_every_predicate_and_relation_a_rule_names_is_described() -> None:
    for language in LANGUAGES:
        pack = load(LANGUAGES).languages[language]
        tables = pack.tables["predicates"]
        named = {shape.predicate for rule in claim_rules(pack).values() for shape in rule.drafts}
        assert {one for one in named if "{" not in one} <= set(tables["predicates"])
        assert set(tables["relations"].values()) <= set(tables["predicates"])
        people = {value for name in ("relations", "roles") for value in pack.words[name].values()}
        assert people <= set(tables["relations"])


@pytest.mark.parametrize(
    "fields",
    [{}, {"predicate": "name", "at": "end"}, {"predicate": "name", "who": "nobody"}, {"predicate": "name", "odd": 1}],
)
def test_a_rule_of_another_shape_is_refused(fields: dict[str, Any]) -> None:
    rule = Rule("core.claims.odd", "odd", (), "x", fields)
    language = Language("xx", "Test", "latin", joined=False, rules={"claims": {rule.id: rule}})
    with pytest.raises(PackError, match=r"core\.claims\.odd"):
        claim_rules(language)


PARTS = [text for text, _ in rows()] + [text for said in CONVERSATIONS.values() for text, _ in said]


@given(st.lists(st.one_of(st.sampled_from(PARTS), st.text(max_size=12)), max_size=4), st.sampled_from("，。 ,.；"))
def test_whatever_is_said_spans_lie_in_the_text_and_fields_are_filled(parts: list[str], joint: str) -> None:
    understood = reading(joint.join(parts))
    length = len(understood.utterance.text)
    for draft in understood.claims:
        assert 0 <= draft.span[0] < draft.span[1] <= length
        assert draft.object == draft.object.strip() != ""
        assert bool(draft.subject) == bool(draft.predicate)
        assert draft.predicate or draft.corrects
        assert not (draft.denies and draft.corrects)
