# mypy: allow-untyped-defs, allow-untyped-calls
"""Compiled loops that follow the ranks of running means from one repeat to the next.

A mean and its place share one whole number, the mean in twelve decimals above the place: to sort
such numbers is to sort places by their means, and means that tie have the same upper part.
"""

from __future__ import annotations

import numpy as np

from bestofk.trees.compiled import kernel

# Means are compared in twelve decimals: 40 bits, which leaves 23 of 63 to the place.
DECIMALS = 1e12
PLACE_BITS = 23
_PLACE = (1 << PLACE_BITS) - 1
_RUN = 16  # so few numbers are sorted faster by insertion than by merging
_FEW = 4  # moves of a number, on average, until all are merged
_MOST_DIGIT_BITS = 16


def digit_of(n: int) -> tuple[int, int]:
    """Return by which bits n numbers are put in order at first: how many values, and the shift.

    There are two to four values for a number, so that hardly two of them share one.
    """
    bits = min(n.bit_length() + 1, _MOST_DIGIT_BITS)
    return 1 << bits, PLACE_BITS + 40 - bits


# source, target int64 (n,): not negative, target is overwritten; counts int64: as many as there
# are values of the uppermost digit, overwritten. O(n).
@kernel(lambda source, target, shift, counts: 3 * source.size + 2 * counts.size)
def scatter(source, target, shift, counts):
    """Put numbers in order by their uppermost digit; those with the same keep their order."""
    for digit in range(counts.size):
        counts[digit] = 0
    for t in range(source.size):
        counts[source[t] >> shift] += 1
    start = 0
    for digit in range(counts.size):
        count = counts[digit]
        counts[digit] = start
        start += count
    for t in range(source.size):
        digit = source[t] >> shift
        target[counts[digit]] = source[t]
        counts[digit] += 1


# packed int64 (n,): low to middle and middle to high are ascending, overwritten; spare int64 (n,):
# overwritten. O(high - low), and O(1) for every number that has nothing to pass.
@kernel(lambda packed, spare, low, middle, high: high - low)
def merge(packed, spare, low, middle, high):
    """Merge two neighboring ascending runs in place."""
    first, begin = packed[middle], middle
    while begin > low and packed[begin - 1] > first:
        begin -= 1
    length = middle - begin
    for t in range(length):
        spare[t] = packed[begin + t]
    left, right, index = 0, middle, begin
    # packed[begin:place] is ascending and at most what is left of either run
    while left < length:
        if right < high and packed[right] < spare[left]:
            packed[index] = packed[right]
            right += 1
        else:
            packed[index] = spare[left]
            left += 1
        index += 1


# packed int64 (n,): overwritten; spare int64 (n,): overwritten. O(n log n).
@kernel(lambda packed, spare: 8 * packed.size)
def merge_sort(packed, spare):
    """Sort numbers in place; runs that are in order already are not gone through again."""
    n = packed.size
    for low in range(0, n, _RUN):
        for t in range(low + 1, min(low + _RUN, n)):
            number, index = packed[t], t
            while index > low and packed[index - 1] > number:
                packed[index] = packed[index - 1]
                index -= 1
            packed[index] = number
    width = _RUN
    while width < n:
        for middle in range(width, n, 2 * width):
            if packed[middle - 1] > packed[middle]:
                merge(packed, spare, middle - width, middle, min(middle + width, n))
        width *= 2


# packed int64 (n,): overwritten; spare int64 (n,): overwritten. O(n log n), and O(n) where numbers
# are near to their places.
@kernel(lambda packed, spare: 2 * packed.size)
def sort_nearly_sorted(packed, spare):
    """Sort numbers in place, fast where few are far from their places."""
    n_moves = 0
    for t in range(1, packed.size):
        number = packed[t]
        if packed[t - 1] > number:
            index = t
            while index > 0 and packed[index - 1] > number:
                packed[index] = packed[index - 1]
                index -= 1
            packed[index] = number
            n_moves += t - index
            if n_moves > _FEW * packed.size:
                merge_sort(packed, spare)
                break


# packed int64 (n,): ascending; ranks float64 (n,): of the means before, overwritten. O(n).
@kernel(lambda packed, ranks: 4 * packed.size)
def rank(packed, ranks):
    """Rank the means, and return the sums of products with the ranks before and of squares.

    Ranks are doubled and centered, so that they and their sums are whole numbers: i + j - n for
    the ties at places i to j - 1.
    """
    n, n_ties = packed.size, 0
    for t in range(1, n):
        n_ties += packed[t] >> PLACE_BITS == packed[t - 1] >> PLACE_BITS
    product, square, start = 0.0, 0.0, 0
    if n_ties == 0:  # what the loop below does, in half of its time
        for t in range(n):
            index, now = packed[t] & _PLACE, float(2 * t + 1 - n)
            product += now * ranks[index]
            square += now * now
            ranks[index] = now
        start = n
    while start < n:
        mean, end = packed[start] >> PLACE_BITS, start + 1
        while end < n and packed[end] >> PLACE_BITS == mean:
            end += 1
        now = float(start + end - n)
        for t in range(start, end):
            index = packed[t] & _PLACE
            product += now * ranks[index]
            ranks[index] = now
        square += now * now * (end - start)
        start = end
    return product, square


# columns float64 (k, n), in [0, 1]: the next k repeats; sums float64 (n,): of the n_seen before,
# overwritten; packed int64 (n,): places in any order, best that of the last means, overwritten;
# spare, keys int64 (n,): overwritten; shift, counts: of `digit_of`, overwritten; ranks float64
# (n,): of the last means, overwritten; products float64 (k, 2): overwritten. O(k n log n), as a
# rule O(k n).
@kernel(lambda columns, *_: 20 * columns.size)
def follow_ranks(columns, n_seen, sums, packed, spare, keys, shift, counts, ranks, products):
    """Rank the running means after every repeat; sum products with the ranks before and squares."""
    n = sums.size
    for k in range(columns.shape[0]):
        for index in range(n):
            sums[index] += columns[k, index]
            mean = np.int64(sums[index] / (n_seen + k + 1) * DECIMALS + 0.5)
            keys[index] = (mean << PLACE_BITS) | index
        for t in range(n):
            spare[t] = keys[packed[t] & _PLACE]
        scatter(spare, packed, shift, counts)
        sort_nearly_sorted(packed, spare)
        products[k, 0], products[k, 1] = rank(packed, ranks)
