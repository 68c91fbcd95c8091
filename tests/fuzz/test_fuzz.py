"""Any bytes at any door: the kept corpus, what hypothesis thinks of, and where there is atheris, what that does."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from fuzz.door import HEADERS, METHODS, PATHS
from fuzz.targets import MODELS, NAMES, open_targets
from fuzz.topic import KINDS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fuzz.targets import Target

HERE = Path(__file__).parent
CORPUS = [(name, path) for name in NAMES for path in sorted((HERE / "corpus" / name).iterdir())]
RUNS = {"wire": 5000, "prompt": 5000, "words": 100, "mqtt": 500, "http": 40, "route": 60, "engine": 3000}
"""Less than a second of each."""
FIELDS = (
    "stop",
    "options",
    "format",
    "text",
    "id",
    "query",
    "what",
    "key",
    "op",
    "due",
    "for_s",
    "ttl_s",
    "speaker",
    "messages",
    "prompt",
    "model",
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=12)
    | st.sampled_from(
        ["last", "all", "add", "change", "p1", "2030-01-01T00:00:00Z", "user", "MODEL", "提醒我明天九点起床"]
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(("role", "content", "type")), inner),
    max_leaves=6,
)
BODIES = st.one_of(
    st.binary(max_size=80),
    st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=5).map(lambda body: json.dumps(body).encode()),
)
PIECES = st.sampled_from(
    [b"GET", b"POST", b" ", b"/health", b"/memory/anna/say", b" HTTP/1.1", b" HTTP/1.0", b"\r\n", b"\n", b"Host: a",
     b"Content-Length: ", b"Transfer-Encoding: chunked", b"0", b"9", b"\r\n\r\n", b'{"text":"hi"}',
     b"Connection: close"]
)  # fmt: skip
BYTES: dict[str, st.SearchStrategy[bytes]] = {
    "wire": st.tuples(st.integers(0, len(MODELS) - 1), BODIES).map(lambda both: bytes([both[0]]) + both[1]),
    "prompt": BODIES,
    "engine": BODIES,
    "words": st.text(max_size=60).map(str.encode) | st.binary(max_size=40),
    "mqtt": st.tuples(
        st.integers(0, 255) | st.integers(0, len(KINDS) - 1), st.text(max_size=8).map(str.encode), BODIES
    ).map(lambda parts: bytes([parts[0]]) + parts[1].replace(b"\n", b"") + b"\n" + parts[2]),
    "http": st.lists(PIECES | st.binary(max_size=8), max_size=14).map(b"".join),
    "route": st.tuples(
        st.integers(0, len(METHODS) - 1), st.integers(0, len(PATHS) - 1), st.integers(0, len(HEADERS) - 1),
        st.binary(max_size=10), BODIES,
    ).map(lambda parts: bytes(parts[:3]) + parts[3].replace(b"\n", b"") + b"\n" + parts[4]),
}  # fmt: skip


@pytest.fixture(scope="module")
def targets() -> Iterator[dict[str, Target]]:
    with open_targets() as opened:
        yield opened


@pytest.mark.parametrize(("name", "path"), CORPUS, ids=[f"{name}-{path.name}" for name, path in CORPUS])
def test_the_kept_corpus(targets: dict[str, Target], name: str, path: Path) -> None:
    targets[name](path.read_bytes())


@pytest.mark.parametrize("name", NAMES)
def test_bytes_of_the_right_kind(targets: dict[str, Target], name: str) -> None:
    few = name in {"http", "route", "words"}

    @settings(
        deadline=None, derandomize=True, database=None, max_examples=60 if few else 200,
        suppress_health_check=[HealthCheck.too_slow],
    )  # fmt: skip
    @given(BYTES[name])
    def holds(data: bytes) -> None:
        targets[name](data)

    holds()


if importlib.util.find_spec("atheris"):

    def test_a_short_run_with_atheris() -> None:
        options = ("-seed=1", "-max_total_time=20", "-max_len=400", "-timeout=30")
        wanted = [f"{name}={runs}" for name, runs in RUNS.items()]
        command = [sys.executable, "-B", str(HERE / "run.py"), *wanted, *options]
        ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=110)
        assert ran.returncode == 0, ran.stderr[-3000:]
        assert ran.stderr.count("Done ") == len(NAMES), "or one of them did not run at all"
