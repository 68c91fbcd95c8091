"""Fuzzes targets with atheris, one after another, from the kept corpus on.

    python tests/fuzz/run.py TARGET[=RUNS] [TARGET[=RUNS] ...] [-LIBFUZZER_OPTION ...]

What is new to it is kept in a folder of its own, not in the corpus; what makes a target fail is written there, too.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import atheris

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent.parent)]
WATCHED = ["claudemem_edge.transport", "claudemem_edge.engine", "claudemem_edge.input_filter", "h11"]
"""Whose branches guide the search."""

with atheris.instrument_imports(include=WATCHED):
    from fuzz.targets import open_targets


def fuzz(name: str, options: list[str]) -> None:
    """Fuzz one target until an option, or somebody, ends the process."""
    found = tempfile.mkdtemp(prefix=f"fuzz-{name}-")
    sys.stderr.write(f"{name}: what is found is kept in {found}\n")
    with open_targets() as targets:
        kept = [found, str(HERE / "corpus" / name), f"-artifact_prefix={found}/"]
        atheris.Setup([sys.argv[0], *kept, *options], targets[name])
        atheris.Fuzz()


def main(arguments: list[str]) -> int:
    """Fuzz each target in a process of its own: imports, which take longest, are done but once."""
    options = [one for one in arguments if one.startswith("-")]
    failed = 0
    for wanted in [one for one in arguments if not one.startswith("-")]:
        name, _, runs = wanted.partition("=")
        process = os.fork()
        if not process:
            fuzz(name, [*options, *([f"-runs={runs}"] if runs else [])])
        failed |= os.waitpid(process, 0)[1]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
