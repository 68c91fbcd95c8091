"""Which memory belongs to which scope, and who may answer when."""

from claudemem_edge.sessions.registry import Sessions

__all__ = ["Sessions"]
