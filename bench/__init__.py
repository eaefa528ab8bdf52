"""Benchmarks of the engine: ratios and counts, measured side by side in one run. `make bench`."""
