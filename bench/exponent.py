"""How a cost grows: the exponent of a line on a plot of logarithms."""

import math


def exponent(points):
    """The slope of log y by log x over the last decade of x, at least two points; None where there
    are fewer."""
    last = max((x for x, _ in points), default=0)
    chosen = [(math.log(x), math.log(y)) for x, y in points if x >= last / 10.5]
    if len(chosen) < 2:
        return None
    middle, height = (sum(column) / len(chosen) for column in zip(*chosen))
    return (sum((x - middle) * (y - height) for x, y in chosen) /
            sum((x - middle)**2 for x, _ in chosen))
