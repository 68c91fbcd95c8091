"""Memory for small local language models: offline, all in RAM, Chinese and English alike."""

from claudemem_edge.memory import Memory, find_times
from claudemem_edge.shapes.context import Context, Profile
from claudemem_edge.shapes.outcome import Outcome
from claudemem_edge.shapes.times import TimeMention

__version__ = "0.1.0"
__all__ = ["Context", "Memory", "Outcome", "Profile", "TimeMention", "find_times"]
