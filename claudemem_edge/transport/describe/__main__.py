"""Write the schemas anew, into `transport/schema`."""

from __future__ import annotations

from pathlib import Path

from claudemem_edge.transport.describe.asyncapi import asyncapi
from claudemem_edge.transport.describe.openapi import openapi
from claudemem_edge.transport.describe.shapes import document_text

FOLDER = Path(__file__).parents[1] / "schema"


def write(folder: Path = FOLDER) -> None:
    """Write both documents."""
    for name, document in (("openapi", openapi()), ("asyncapi", asyncapi())):
        folder.joinpath(f"{name}.json").write_text(document_text(document), "utf-8")


if __name__ == "__main__":
    write()
