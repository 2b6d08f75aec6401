"""Compiled loops that follow the ranks of running means from one repeat to the next.

A mean and its place share one whole number, the mean in twelve decimals above the place: to sort
such numbers is to sort places by their means, and means that tie have the same upper part.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bestofk.learners.compiled import kernel

# Means are compared in twelve decimals: 40 bits, which leaves 23 of 63 to the place.
DECIMALS = 1e12
PLACE_BITS = 23
_PLACE = (1 << PLACE_BITS) - 1
_RUN = 16  # so few numbers are sorted faster by insertion than by merging
_DIGIT_BITS = 8
N_DIGITS = 1 << _DIGIT_BITS
# Numbers are put in order by their two uppermost digits before they are compared.
_UPPER, _UPPERMOST = PLACE_BITS + 40 - 2 * _DIGIT_BITS, PLACE_BITS + 40 - _DIGIT_BITS


# source, target int64 (n,): target is overwritten; counts int64 (N_DIGITS,): overwritten. O(n).
@kernel(lambda source, *_: 4 * source.size)
def scatter(source: Any, target: Any, shift: int, counts: Any) -> None:
    """Put numbers in order by one of their digits; those with the same keep their order."""
    for digit in range(N_DIGITS):
        counts[digit] = 0
    for t in range(source.size):
        counts[(source[t] >> shift) & (N_DIGITS - 1)] += 1
    start = 0
    for digit in range(N_DIGITS):
        count = counts[digit]
        counts[digit] = start
        start += count
    for t in range(source.size):
        digit = (source[t] >> shift) & (N_DIGITS - 1)
        target[counts[digit]] = source[t]
        counts[digit] += 1


# packed int64 (n,): low to middle and middle to high are ascending, overwritten; spare int64 (n,):
# overwritten. O(high - low), and O(1) for every number that has nothing to pass.
@kernel(lambda packed, spare, low, middle, high: high - low)
def merge(packed: Any, spare: Any, low: int, middle: int, high: int) -> None:
    """Merge two neighboring ascending runs in place."""
    first, begin = packed[middle], middle
    while begin > low and packed[begin - 1] > first:
        begin -= 1
    length = middle - begin
    for t in range(length):
        spare[t] = packed[begin + t]
    left, right, place = 0, middle, begin
    # packed[begin:place] is ascending and at most what is left of either run
    while left < length:
        if right < high and packed[right] < spare[left]:
            packed[place] = packed[right]
            right += 1
        else:
            packed[place] = spare[left]
            left += 1
        place += 1


# packed int64 (n,): overwritten; spare int64 (n,): overwritten. O(n log n), and O(n log d) where
# no number is further than d from its place.
@kernel(lambda packed, spare: 8 * packed.size)
def sort_nearly_sorted(packed: Any, spare: Any) -> None:
    """Sort numbers in place, fast where few are far from their places."""
    n = packed.size
    for low in range(0, n, _RUN):
        for t in range(low + 1, min(low + _RUN, n)):
            number, place = packed[t], t
            while place > low and packed[place - 1] > number:
                packed[place] = packed[place - 1]
                place -= 1
            packed[place] = number
    width = _RUN
    while width < n:
        for middle in range(width, n, 2 * width):
            if packed[middle - 1] > packed[middle]:
                merge(packed, spare, middle - width, middle, min(middle + width, n))
        width *= 2


# columns float64 (k, n), in [0, 1]: the next k repeats; sums float64 (n,): of the n_seen before,
# overwritten; packed int64 (n,): places in any order, best that of the last means, overwritten;
# spare int64 (n,), counts int64 (N_DIGITS,): overwritten; ranks float64 (n,): of the last means,
# overwritten; products float64 (k, 2): overwritten. O(k n log n), as a rule O(k n).
@kernel(lambda columns, *_: 20 * columns.size)
def follow_ranks(
    columns: Any,
    n_seen: int,
    sums: Any,
    packed: Any,
    spare: Any,
    counts: Any,
    ranks: Any,
    products: Any,
) -> None:
    """Rank the running means after every repeat; sum products with the ranks before and squares.

    Ranks are doubled and centered, so that they and their sums are whole numbers: i + j - n for
    the ties at places i to j - 1.
    """
    n = sums.size
    for k in range(columns.shape[0]):
        for t in range(n):
            place = packed[t] & _PLACE
            total = sums[place] + columns[k, place]
            sums[place] = total
            mean = np.int64(total / (n_seen + k + 1) * DECIMALS + 0.5)
            packed[t] = (mean << PLACE_BITS) | place
        scatter(packed, spare, _UPPER, counts)
        scatter(spare, packed, _UPPERMOST, counts)
        sort_nearly_sorted(packed, spare)
        product, square, start = 0.0, 0.0, 0
        while start < n:
            mean, end = packed[start] >> PLACE_BITS, start + 1
            while end < n and packed[end] >> PLACE_BITS == mean:
                end += 1
            rank = float(start + end - n)
            for t in range(start, end):
                place = packed[t] & _PLACE
                product += rank * ranks[place]
                ranks[place] = rank
            square += rank * rank * (end - start)
            start = end
        products[k, 0] = product
        products[k, 1] = square
