"""Compiled loops that follow the distance between the odd and the even ones of a series.

Kept are the distinct scores in ascending order and, for each of them, by how many odd repeats have
a score of at most this than even ones (`lead`), and how many repeats have one (`below`). A new
score makes room or joins its equal, and counts in all that are not smaller.
"""

from __future__ import annotations

from typing import Any

from bestofk.learners.compiled import kernel

# Scores that agree in twelve significant digits tie.
_NOISE = 1e-12


# Loops over parts of arrays run from 0 to a size: the compiler then sees that no index is below 0,
# and does several steps at once.


# numbers (m,): overwritten, the last is lost. O(m).
@kernel(lambda numbers: numbers.size)
def make_room(numbers: Any) -> None:
    """Move all numbers on by one, and leave the first as it is."""
    for t in range(numbers.size - 1, 0, -1):
        numbers[t] = numbers[t - 1]


# counts int64 (m,): overwritten. O(m).
@kernel(lambda counts, step: counts.size)
def count_on(counts: Any, step: int) -> None:
    """Add a step to all counts."""
    for t in range(counts.size):
        counts[t] += step


# lead, below int64 (m,): see above. O(m).
@kernel(lambda lead, below, n: lead.size)
def largest_gap(lead: Any, below: Any, n: int) -> int:
    """Return the largest distance in units of 1 / (2 n_odd n_even), 1 / n_odd where n is even.

    With o odd and e even repeats up to a score, o n_even - e n_odd is n (o - e) / 2 of an even n
    and (n (o - e) - (o + e)) / 2 of an odd one.
    """
    largest = 0
    if n % 2 == 0:
        for t in range(lead.size):
            largest = max(largest, abs(lead[t]))
    else:
        for t in range(lead.size):
            largest = max(largest, abs(n * lead[t] - below[t]))
    return largest


# values float64 (k,): finite, the next scores; n_seen: how many were before, m: distinct ones of
# them; ascending float64, lead, below int64 (at least m + k,): overwritten; distances float64
# (k,): overwritten. O(k (m + k)).
@kernel(lambda values, n_seen, m, *_: 4 * values.size * (m + values.size))
def follow_distance(
    values: Any, n_seen: int, m: int, ascending: Any, lead: Any, below: Any, distances: Any
) -> int:
    """Put every score into its place, find the largest gap, and return how many are distinct."""
    for k in range(values.size):
        value, low, high = values[k], 0, m
        while low < high:
            middle = (low + high) // 2
            if ascending[middle] <= value:
                low = middle + 1
            else:
                high = middle
        left, right = ascending[max(low - 1, 0)], ascending[min(low, m)]
        if low > 0 and value - left <= _NOISE * max(abs(value), abs(left)):
            low -= 1
        elif low == m or right - value > _NOISE * max(abs(value), abs(right)):
            make_room(ascending[low : m + 1])
            make_room(lead[low : m + 1])
            make_room(below[low : m + 1])
            ascending[low] = value
            lead[low] = lead[low - 1] if low > 0 else 0
            below[low] = below[low - 1] if low > 0 else 0
            m += 1
        n = n_seen + k + 1
        count_on(lead[low:m], 2 * (n % 2) - 1)
        count_on(below[low:m], 1)
        n_even = n // 2
        unit = n_even if n % 2 == 0 else 2 * (n - n_even) * max(n_even, 1)
        distances[k] = largest_gap(lead[:m], below[:m], n) / unit
    return m
