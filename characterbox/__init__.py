"""CharacterBox: see, rate and trust role-play by language models."""

__version__ = "0.1.0"
