"""Runs every sample under this folder through the whole reading; the format stands in README.md beside this file."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import pytest

from claudemem_edge.input_filter.read import read
from claudemem_edge.language.load import known_packs, load
from claudemem_edge.shapes.reading import ReminderDraft
from claudemem_edge.shapes.terms import TermIndex
from claudemem_edge.shapes.times import Moment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from claudemem_edge.shapes.reading import Reading

FOLDER = Path(__file__).parent
LANGUAGES = tuple(sorted({language for language, _, _ in known_packs()}, reverse=True))
RECORDS = ("commands", "times", "mentions", "references", "claims", "reminders", "clauses")
FLAGS = ("question", "whole")
SETTINGS = ("text", "fires", "speaker", "hint", "now", "zone", "names", "attitude", "unclear_times", "note")
OF_THE_TIME = ("start", "end", "grain", "recurrence", "ambiguous", "elapsed")


@dataclass(frozen=True)
class Case:
    """One sample with the file it stands in."""

    language: str
    pack: str
    stem: str
    sample: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.language}/{self.pack}/{self.stem}: {self.sample.get('text', '')[:60]}"


def _cases() -> Iterator[Case]:
    for path in sorted(FOLDER.glob("*/*/*.toml")):
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        defaults = {key: value for key, value in content.items() if key != "sample"}
        for sample in content.get("sample", []):
            yield Case(path.parent.parent.name, path.parent.name, path.stem, defaults | sample)


CASES = list(_cases())


def _read(case: Case) -> Reading:
    sample = case.sample
    zone = ZoneInfo(sample.get("zone", "Asia/Shanghai"))
    now = Moment(datetime.fromisoformat(sample.get("now", "2026-03-11T09:40")).replace(tzinfo=zone), 1000.0)
    names = TermIndex()
    for alias, name in sample.get("names", {}).items():
        names.add(alias.lower(), name)
    packs = tuple(dict.fromkeys(("core", case.pack)))
    return read(
        sample["text"],
        speaker=sample.get("speaker", "user"),
        now=now,
        lexicon=load(LANGUAGES, packs),
        names=names,
        hint=sample.get("hint", ""),
    )


def _shown(value: object, expected: object) -> object:
    """Write a value the way samples write it; a number inside an expected range becomes that range."""
    if value is None:
        return "none"
    if isinstance(value, datetime):
        return value.isoformat()[: 19 if value.second else 16]
    if isinstance(value, float | int) and isinstance(expected, list):
        low, high = expected
        return expected if low <= value <= high else value
    if isinstance(value, tuple):
        return [_shown(part, None) for part in value]
    return value


def _field(record: Any, name: str, text: str) -> object:
    if name == "said":
        return text[record.span[0] : record.span[1]]
    if isinstance(record, ReminderDraft) and name in OF_THE_TIME:
        return getattr(record.time, name, None)
    return getattr(record, name)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_is_read_as_its_sample_says(case: Case) -> None:
    sample = case.sample
    unknown = set(sample) - {*RECORDS, *FLAGS, *SETTINGS}
    assert not unknown, f"no such key: {unknown}"
    reading = _read(case)
    text = reading.utterance.text

    prefix = f"{case.pack}.{case.stem}."
    assert {rule for rule, _ in reading.fired if rule.startswith(prefix)} == set(sample["fires"])
    for key in RECORDS:
        if key in sample:
            wanted = sample[key]
            records = getattr(reading, key)
            assert len(records) == len(wanted), f"{key}: {records}"
            for record, table in zip(records, wanted, strict=True):
                assert {name: _shown(_field(record, name, text), value) for name, value in table.items()} == table
    for key in FLAGS:
        if key in sample:
            assert getattr(reading, key) == sample[key], key
    if "attitude" in sample:
        low, high = sample["attitude"]
        assert low <= reading.attitude <= high
    if "unclear_times" in sample:
        assert [text[start:end] for start, end in reading.unclear_times] == sample["unclear_times"]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_spans_lie_in_the_text_and_rules_exist(case: Case) -> None:
    reading = _read(case)
    length = len(reading.utterance.text)
    assert len(reading.utterance.folded) == length
    language = load(LANGUAGES, tuple(dict.fromkeys(("core", case.pack)))).get(reading.utterance.language)
    known = {id_ for rules in language.rules.values() for id_ in rules} if language else set()
    stems = {f"core.{stem}." for stem in language.rules} if language else set()
    for rule, (start, end) in reading.fired:
        assert 0 <= start <= end <= length
        assert rule in known or not any(rule.startswith(stem) for stem in stems), f"{rule} is no rule of a pack"


@pytest.mark.parametrize("case", CASES, ids=str)
def test_gives_no_orders_and_no_claims_when_the_assistant_says_it(case: Case) -> None:
    reading = _read(replace(case, sample=case.sample | {"speaker": "assistant"}))
    assert not reading.commands
    assert not reading.reminders
    assert not reading.claims


def _packs() -> list[tuple[str, str]]:
    return [(language, pack) for language, pack, _ in known_packs()]


@pytest.mark.parametrize(("language", "pack"), _packs())
def test_every_rule_has_a_sample(language: str, pack: str) -> None:
    shown = {
        rule
        for case in CASES
        if (case.language, case.pack) == (language, pack)
        for rule in case.sample["fires"]
    }  # fmt: skip
    merged = load((language,), tuple(dict.fromkeys(("core", pack)))).languages[language]
    rules = {id_ for rules in merged.rules.values() for id_ in rules if id_.startswith(f"{pack}.")}
    assert rules <= shown, f"rules without a sample: {sorted(rules - shown)}"
    assert shown <= rules, f"samples of rules that are not there: {sorted(shown - rules)}"


@pytest.mark.parametrize(("language", "pack"), _packs())
def test_every_file_of_rules_has_a_sample_that_only_looks_like_one(language: str, pack: str) -> None:
    merged = load((language,), tuple(dict.fromkeys(("core", pack)))).languages[language]
    for stem, rules in merged.rules.items():
        if any(id_.startswith(f"{pack}.") for id_ in rules):
            assert any(
                not case.sample["fires"]
                for case in CASES
                if (case.language, case.pack, case.stem) == (language, pack, stem)
            ), f"{stem} has no sample with fires = []"


def test_every_sample_file_stands_beside_its_pack() -> None:
    assert {(case.language, case.pack) for case in CASES} <= set(_packs())
