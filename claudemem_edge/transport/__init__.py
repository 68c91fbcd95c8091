"""The doors: bytes in, Ask out; turn events in, bytes out. No door decides anything about memory."""
