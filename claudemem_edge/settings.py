"""Reads the settings and hands each part its own."""
