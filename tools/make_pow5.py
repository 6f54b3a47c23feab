"""Writes the table of powers of five that src/data/number.c includes.

Usage: make_pow5.py OUTPUT

Row q holds the first 128 bits of 5^q, as in Lemire, "Number parsing at a
gigabyte per second" (2021). The parser multiplies a row T by a 64-bit integer
w >= 2^63 and rounds from the top 55 bits of the 192-bit product, so an error
of T matters only if it carries into bit 137. It never does:

- For 0 <= q <= 55 the row is exact.
- For -27 <= q < 0 it is rounded up, which makes the product too large by less
  than 2^64, or 2^-73 units of bit 137. In these units the exact product is a
  fraction whose denominator is below 2^63: either it is whole or it misses the
  next whole number by more than that. This also leaves bits 64 to 136 zero
  where it is whole, by which the parser knows a tie.
- Otherwise it is truncated, and check_row() tries all w.
"""

import sys

# Below 10^-342 every 64-bit mantissa gives zero, above 10^308 infinity.
FIRST, LAST = -342, 308
ROUNDED_UP = range(-27, 0)
EXACT = range(0, 56)


def significand(q):
    """The first 128 bits of 5^q."""
    power = 5 ** abs(q)
    bits = power.bit_length()
    if q >= 0:
        return (power << 128) >> bits
    # 2^(bits - 1) < power < 2^bits, so the quotient has 128 bits.
    return (1 << (bits + 127)) // power + (q in ROUNDED_UP)


def first_multiple_in(a, m, low, high):
    """The least n >= 0 with low <= a n mod m <= high, or None; a < m.

    As in Euclid's algorithm: if no multiple of a lies in the interval itself,
    one lies in it m k further on for some k > 0, and the least such k is the
    answer to the same question modulo a.
    """
    if low == 0:
        return 0
    if a == 0:
        return None
    n = -(-low // a)
    if a * n <= high:
        return n
    k = first_multiple_in(m % a, a, -high % a, -low % a)
    if k is None:
        return None
    return -(-(low + m * k) // a)


def check_row(q):
    """A truncated row is never too close to call.

    It makes the product w T too small by less than w < 2^64, which can only
    carry into bit 137 if bits 64 to 136 are all ones. No 64-bit w gives that:
    Mushtak and Lemire, "Fast number parsing without fallback" (2023).
    """
    unit = 1 << 137
    w = first_multiple_in(significand(q), unit, unit - (1 << 64), unit - 1)
    if w is not None and w < 1 << 64:
        raise AssertionError(f"5^{q} times {w} cannot be rounded")


def check_logarithm(q):
    """The parser's floor(q log2(10)) is right."""
    bits = (10 ** abs(q)).bit_length()
    if 217706 * q >> 16 != (bits - 1 if q >= 0 else -bits):
        raise AssertionError(f"the binary exponent of 10^{q} is wrong")


def table():
    lines = [
        "/* Written by make_pow5.py: 128 bits of 5^q, high word first. */",
        f"#define NUMBER_POW5_FIRST ({FIRST})",
        f"#define NUMBER_POW5_LAST {LAST}",
        "",
        f"static const uint64_t number_pow5[{LAST - FIRST + 1}][2] = {{",
    ]
    for q in range(FIRST, LAST + 1):
        check_logarithm(q)
        if q not in ROUNDED_UP and q not in EXACT:
            check_row(q)
        high, low = divmod(significand(q), 1 << 64)
        lines.append(f"    {{0x{high:016x}, 0x{low:016x}}}, /* {q} */")
    lines.append("};")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: make_pow5.py OUTPUT")
    with open(sys.argv[1], "w", encoding="ascii") as output:
        output.write(table())
