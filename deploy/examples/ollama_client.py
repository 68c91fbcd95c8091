#!/usr/bin/env python3
"""An existing Ollama client that gains memory by its address alone. Needs `pip install ollama`, and `[http] tcp` on.

deploy/examples/ollama_client.py [SCOPE]
"""

from __future__ import annotations

import os
import sys

from ollama import Client

URL = os.environ.get("CLAUDEMEM_URL", "http://127.0.0.1:11535")


def main(scope: str) -> None:
    """Ask twice, with no history between: what was said in the first call is known in the second."""
    client = Client(f"{URL}/u/{scope}", trust_env=False, timeout=120)
    model = client.list().models[0].model or ""
    for text in ("My doctor put me on amlodipine 5 mg.", "Which medicine do I take?"):
        for part in client.chat(model, [{"role": "user", "content": text}], stream=True):
            print(part.message.content, end="", flush=True)
        print()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "kim")
