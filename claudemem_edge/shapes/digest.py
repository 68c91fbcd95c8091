"""The digest by which a clause is recognised in what a client shows anyway."""

from __future__ import annotations

TOGETHER_CHARS = 64
"""Characters up to which short clauses of one breath are kept as one statement."""


def clause_digest(text: str) -> str:
    """Return the digest of a cleaned clause; case and the blanks around it make no difference.

    Python's own SipHash, keyed by the process: a digest means nothing outside it. (hashlib would load OpenSSL, 3.6 MB.)
    """
    return f"{hash(text.lower().strip()) & 0xFFFF_FFFF_FFFF_FFFF:016x}"
