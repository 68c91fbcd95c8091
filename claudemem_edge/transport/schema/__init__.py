"""The schemas of our doors. Made from the wire shapes when these change, and read from files ever after.

`python -m claudemem_edge.transport.describe` writes the files; a test holds them against the shapes. The daemon only
reads them, so that it never loads what makes them.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Literal

Name = Literal["openapi", "asyncapi"]


def schema_bytes(name: Name) -> bytes:
    """Return a schema as JSON in UTF-8."""
    return files(__name__).joinpath(f"{name}.json").read_bytes()
