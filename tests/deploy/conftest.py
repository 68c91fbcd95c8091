"""A copy of the deploy folder in a house of its own, where it may set up and remove what it likes."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """The folder of a fresh clone: no `.try` in it yet."""
    clone = tmp_path / "clone"
    shutil.copytree(ROOT / "deploy", clone / "deploy", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "claudemem_edge", clone / "claudemem_edge", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, clone)
    return clone


@pytest.fixture
def parts(house: Path) -> Any:
    """deploy/parts.py of that house."""
    return _module("parts_of_the_house", house / "deploy" / "parts.py")


@pytest.fixture
def script() -> Iterator[Any]:
    """deploy/try as a module."""
    writes_no_bytecode = sys.dont_write_bytecode
    yield _module("deploy_try", ROOT / "deploy" / "try")
    sys.dont_write_bytecode = writes_no_bytecode


def _module(name: str, path: Path) -> Any:
    spec = importlib.util.spec_from_loader(name, SourceFileLoader(name, str(path)))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[name]
    return module
