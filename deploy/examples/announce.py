#!/usr/bin/env python3
"""Prints each reminder as it falls due, for a speaker to say. Needs nothing but Python.

deploy/examples/announce.py [SCOPE] | while read -r words; do espeak-ng "$words"; done
"""

from __future__ import annotations

import sys

from tell_and_ask import lines


def main(scope: str) -> None:
    """Listen until the daemon stops. The stream says `listening` first, and `lost` when we were too slow."""
    for row in lines("GET", f"/memory/{scope}/events"):
        if "due" in row:
            print(row["text"], flush=True)
        else:
            print(row["event"], file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "kim")
