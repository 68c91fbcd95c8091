"""The embedded engine: a program of its own that speaks Ollama's HTTP over one small model. Nothing imports it."""
