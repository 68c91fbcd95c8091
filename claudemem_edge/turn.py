"""One utterance, top to bottom."""
