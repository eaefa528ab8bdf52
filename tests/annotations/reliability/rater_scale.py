"""The scale on which an agreement of single ratings is about normal, written out."""

import math

from tests.annotations.jackknifed import Scale


def single_ratings(raters: float) -> Scale:
    """Fisher's z (1925) of an intraclass correlation, of so many ratings of an item; of two it is twice that of r."""
    return (
        lambda r: math.log((1 + (raters - 1) * r) / (1 - r)),
        lambda value: (math.exp(value) - 1) / (math.exp(value) + raters - 1),
    )
