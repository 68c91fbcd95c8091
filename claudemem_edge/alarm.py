"""Sleeps until the next item is due."""
