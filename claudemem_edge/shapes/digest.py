"""The digest by which a clause is recognised in what a client shows anyway."""

from __future__ import annotations

from hashlib import blake2b


def clause_digest(text: str) -> str:
    """Return the digest of a cleaned clause; case and the blanks around it make no difference."""
    return blake2b(text.lower().strip().encode(), digest_size=8).hexdigest()
