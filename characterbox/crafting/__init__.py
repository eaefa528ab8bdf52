"""Crafting scenes with models in three stages: screenwriter, director, evaluator (paper, section 3.1)."""
