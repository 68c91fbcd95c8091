"""A memory, a reading and now in, an Outcome out. Entry: `advance.advance`. The only place where a memory changes."""
