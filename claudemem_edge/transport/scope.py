"""Names of memories: which are allowed, and which are visits."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from claudemem_edge.errors import UnknownScope

NAME = re.compile(r"[a-z0-9_-]{1,64}")
DEFAULT_SCOPE = "default"


def resolve(name: str) -> str:
    """Return the scope a name stands for, safe in topics and paths. Raises UnknownScope for any other name."""
    if NAME.fullmatch(name) is None:
        raise UnknownScope(
            "this cannot be the name of a scope",
            hint="a scope is 1 to 64 of the characters a-z, 0-9, _ and -, for example grandma or visit-17",
        )
    return name


def is_visit(scope: str, pattern: str = "visit-*") -> bool:
    """Tell whether a scope ends by itself after a while of silence."""
    return fnmatchcase(scope, pattern)
