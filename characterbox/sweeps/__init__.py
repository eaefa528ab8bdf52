"""Sweeps: scenes, models, narrators, seeds and repeats, all played with all, judged, and told as the paper's tables."""
