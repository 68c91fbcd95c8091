"""What a model file says about itself: the metadata at the head of a GGUF file, without the long lists."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from pathlib import Path

MAGIC = b"GGUF"
MAX_STRING_BYTES = 1 << 22
STRING, ARRAY = 8, 9
NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}


def read_metadata(path: Path) -> dict[str, object]:
    """Return key and value of every text and number; lists are passed over. Raises ValueError on anything else."""
    try:
        with path.open("rb") as file:
            if file.read(4) != MAGIC:
                raise ValueError(f"{path.name} is no GGUF file")
            _, _, count = _unpack(file, "IQQ")
            found: dict[str, object] = {}
            for _ in range(int(count)):
                key = _string(file)
                (kind,) = _unpack(file, "I")
                if kind == ARRAY:
                    _skip_list(file)
                else:
                    found[key] = _value(file, int(kind))
            return found
    except (struct.error, KeyError, UnicodeDecodeError):
        raise ValueError(f"{path.name} is damaged or cut short") from None


def _unpack(file: BinaryIO, layout: str) -> tuple[float, ...]:
    return struct.unpack("<" + layout, file.read(struct.calcsize("<" + layout)))


def _string(file: BinaryIO) -> str:
    (size,) = _unpack(file, "Q")
    text = file.read(int(size)) if size <= MAX_STRING_BYTES else b""
    if len(text) < size:
        raise struct.error
    return text.decode("utf-8")


def _value(file: BinaryIO, kind: int) -> object:
    return _string(file) if kind == STRING else _unpack(file, NUMBERS[kind])[0]


def _skip_list(file: BinaryIO) -> None:
    kind, count = _unpack(file, "IQ")
    if kind == STRING:
        for _ in range(int(count)):
            (size,) = _unpack(file, "Q")
            file.seek(int(size), 1)
    else:
        file.seek(struct.calcsize("<" + NUMBERS[int(kind)]) * int(count), 1)
