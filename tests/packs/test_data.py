"""What holds for every pack: rules compile, terms are folded, lists hold nothing twice."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import claudemem_edge
from claudemem_edge.language.load import known_packs, load
from claudemem_edge.language.schema import unbounded

if TYPE_CHECKING:
    from claudemem_edge.language.pack import Language, Rule

PACKS = Path(claudemem_edge.__file__).parent / "packs"
LISTS = sorted(PACKS.glob("*/*/words/*.txt"))
NAMED_GROUP = re.compile(r"\(\?P[<=][^>)]*[>)]|\\[A-Z]")


def _merged() -> list[tuple[Language, Rule]]:
    packs = tuple(sorted({pack for _, pack, _ in known_packs()}, key=lambda pack: pack != "core"))
    codes = tuple(sorted({code for code, _, _ in known_packs()}))
    return [
        (language, rule)
        for language in load(codes, packs).languages.values()
        for rules in language.rules.values()
        for rule in rules.values()
    ]


RULES = _merged()
RULE_IDS = [f"{language.code}:{rule.id}" for language, rule in RULES]


@pytest.mark.parametrize(("language", "rule"), RULES, ids=RULE_IDS)
def test_a_rule_compiles_and_is_bounded(language: Language, rule: Rule) -> None:
    assert rule.pattern.pattern == rule.source
    assert not unbounded(rule.source)


@pytest.mark.parametrize(("language", "rule"), RULES, ids=RULE_IDS)
def test_a_rule_is_written_for_folded_text(language: Language, rule: Rule) -> None:
    source = NAMED_GROUP.sub("", rule.source)
    assert source == source.lower()
    assert source == source.translate(language.simplified)
    for need in rule.needs:
        assert need == need.lower().translate(language.simplified)


@pytest.mark.parametrize("path", LISTS, ids=lambda path: str(path.relative_to(PACKS)))
def test_a_list_holds_no_term_twice(path: Path) -> None:
    terms = [
        line.partition("#")[0].partition("\t")[0].strip().lower()
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    terms = [term for term in terms if term]
    assert terms
    assert len(terms) == len(set(terms)), sorted({term for term in terms if terms.count(term) > 1})


def test_traditional_characters_fold_in_one_step() -> None:
    table = load(("zh",)).languages["zh"].simplified
    assert len(table) > 1900
    assert not set(table) & set(table.values())
    assert "說好後來裡麼藥".translate(table) == "说好后来里么药"


@pytest.mark.parametrize(
    "path", sorted(PACKS.glob("*/*/words/attitude.txt")) + sorted(PACKS.glob("*/*/words/degrees.txt"))
)
def test_feelings_and_degrees_are_numbers_in_their_range(path: Path) -> None:
    most = 1.0 if path.stem == "attitude" else 1.5
    for line in path.read_text(encoding="utf-8").splitlines():
        term, _, value = line.partition("#")[0].strip().partition("\t")
        assert not term or abs(float(value)) <= most


def test_known_packs_name_their_title() -> None:
    assert ("zh", "core") in {(language, pack) for language, pack, _ in known_packs()}
    assert all(title for _, _, title in known_packs())
