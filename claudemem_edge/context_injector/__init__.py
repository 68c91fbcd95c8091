"""A memory and a question in, a Context out: the right few characters. Entry: `inject.inject`. Changes nothing."""
