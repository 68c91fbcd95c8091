"""Counts and durations of this process: numbers, never words."""
