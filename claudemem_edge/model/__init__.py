"""The way to language models: one HTTP client, streams of text, profiles as data."""
