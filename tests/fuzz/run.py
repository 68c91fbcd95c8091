"""Fuzzes one target with atheris, from the kept corpus on: python tests/fuzz/run.py TARGET [LIBFUZZER OPTION ...].

What is new to it is kept in a folder of its own, not in the corpus; what makes the target fail is written there, too.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import atheris

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent.parent)]


def main(name: str, *options: str) -> None:
    """Fuzz until an option, or somebody, ends it."""
    with atheris.instrument_imports(include=["claudemem_edge", "h11", "uvicorn"]):
        from fuzz.targets import open_targets
    found = tempfile.mkdtemp(prefix=f"fuzz-{name}-")
    sys.stderr.write(f"what is found is kept in {found}\n")
    with open_targets() as targets:
        atheris.Setup(
            [sys.argv[0], found, str(HERE / "corpus" / name), f"-artifact_prefix={found}/", *options],
            targets[name],
        )
        atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
