"""Vectors of texts, and how they are stored."""

from base64 import b64decode, b64encode

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]
"""The direction of a text, with length 1: texts that have much in common point the same way."""
_STORED = np.dtype("<f2")
"""How a number is stored: half precision moves a cosine by less than the four digits that are told of it."""


def packed_vectors(vectors: NDArray[np.float64]) -> str:
    """Vectors, one a row, as a text: brought to length 1, and stored in half precision."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return b64encode((vectors / np.where(lengths, lengths, 1.0)).astype(_STORED).tobytes()).decode()


def unpacked_vectors(text: str, count: int) -> NDArray[np.float32]:
    """So many vectors that were packed, one a row. Raises ValueError if they are not there."""
    numbers = np.frombuffer(b64decode(text, validate=True), dtype=_STORED)
    if not len(numbers) or len(numbers) % count or not np.isfinite(numbers).all():
        raise ValueError(f"it holds no vectors of {count} texts")
    return numbers.reshape(count, -1).astype(np.float32)
