"""Measurements, one file a claim. `python -m benchmarks` lists them; each prints JSON."""
