from __future__ import annotations

import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
TABLE = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (FOLDER.parents[1] / "docs" / "doors.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("|")
]


@pytest.mark.parametrize("name", ["ollama", "openai"])
def test_the_docs_name_the_version_that_is_tried(name: str) -> None:
    pinned = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))["dependencies"][name]
    (row,) = [row for row in TABLE if row[0].startswith(f"`{name}` for JavaScript")]
    assert row[1].split()[0] == pinned
