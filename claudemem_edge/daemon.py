"""Builds every part, starts them, watches, stops them in reverse."""
