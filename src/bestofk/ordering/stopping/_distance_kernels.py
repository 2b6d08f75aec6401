"""Compiled loop that follows the distance between the odd and the even ones of a series."""

from __future__ import annotations

from typing import Any

from bestofk.learners.compiled import kernel

# Scores that agree in twelve significant digits tie.
_NOISE = 1e-12


# values float64 (k,): finite, the next scores; n_seen: how many were before; ascending float64
# (n_seen + k,): those before, sorted, overwritten; is_odd int64, same length: 1 for scores of odd
# repeats, 0 for others, overwritten; distances float64 (k,): overwritten. O(k (n_seen + k)).
@kernel(lambda values, n_seen, *_: 3 * values.size * (n_seen + values.size))
def follow_distance(values: Any, n_seen: int, ascending: Any, is_odd: Any, distances: Any) -> None:
    """Put every score into its place and find the largest gap of the two distributions.

    The gap is counted in units of 1 / (n_odd n_even), in whole numbers. A score that agrees with
    a neighbor becomes the same number.
    """
    for k in range(values.size):
        n = n_seen + k
        value, low, high = values[k], 0, n
        while low < high:
            middle = (low + high) // 2
            if ascending[middle] <= value:
                low = middle + 1
            else:
                high = middle
        below, above = ascending[max(low - 1, 0)], ascending[min(low, n)]
        if low > 0 and value - below <= _NOISE * max(abs(value), abs(below)):
            value = below
        elif low < n and above - value <= _NOISE * max(abs(value), abs(above)):
            value = above
        for t in range(n, low, -1):
            ascending[t] = ascending[t - 1]
            is_odd[t] = is_odd[t - 1]
        ascending[low] = value
        is_odd[low] = (n + 1) % 2
        n += 1
        n_even = n // 2
        n_odd = n - n_even
        gap, largest = 0, 0
        for t in range(n):
            gap += n * is_odd[t] - n_odd  # n_even for an odd one, -n_odd for an even one
            if abs(gap) > largest and (t + 1 == n or ascending[t + 1] > ascending[t]):
                largest = abs(gap)
        distances[k] = largest / (n_odd * max(n_even, 1))
