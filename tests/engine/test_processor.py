from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from claudemem_edge.engine.processor import check_processor
from claudemem_edge.errors import Unsupported

if TYPE_CHECKING:
    from pathlib import Path

NEW = "processor\t: 0\nflags\t\t: fpu sse4_2 avx avx2 fma\n"
OLD = "processor\t: 0\nflags\t\t: fpu sse4_2 avx\n"
TRAP = "processor\t: 0\nmodel name\t: avx2\nflags\t\t: fpu avx avx2x\n"


@pytest.mark.parametrize(
    ("machine", "cpuinfo", "problem"),
    [
        ("x86_64", NEW, ""),
        ("AMD64", NEW, ""),
        ("x86_64", OLD, "needs a processor with AVX2"),
        ("x86_64", TRAP, "needs a processor with AVX2"),
        ("x86_64", "", ""),
        ("aarch64", "Features\t: fp asimd\n", ""),
        ("armv7l", "Features\t: neon\n", "does not run on armv7l, it needs a 64-bit system"),
        ("i686", OLD, "does not run on i686"),
    ],
)
def test_which_processors_can_run_it(machine: str, cpuinfo: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "cpuinfo"
    path.write_text(cpuinfo)
    if not problem:
        check_processor(machine, path)
        return
    with pytest.raises(Unsupported, match=problem) as unsupported:
        check_processor(machine, path)
    assert "install Ollama" in unsupported.value.hint


def test_where_the_processor_does_not_tell_it_is_tried(tmp_path: Path) -> None:
    check_processor("x86_64", tmp_path / "nothing")
