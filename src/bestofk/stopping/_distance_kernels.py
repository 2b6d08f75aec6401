# mypy: allow-untyped-defs, allow-untyped-calls
"""Compiled loops that follow the distance between the odd and the even ones of a series.

Distinct scores stand in ascending order, and each has a weight: `LEAD` for every odd repeat with it
and -`LEAD` - 1 for every even one. With o odd and e even repeats up to a score, the weights up to
it sum to (o - e) `LEAD` - e. The largest and the smallest of these sums show the largest distance:
in units of 1 / (n_odd n_even) it is (o - e) n_even - e (n_odd - n_even), and as e is at most n_even
and n_odd - n_even at most 1, no smaller lead makes more of it.

A binary tree over the scores keeps, of each of its parts, the sum and the largest and smallest sum
of scores from the left, so that a new repeat changes one way from a leaf to the root.
"""

from __future__ import annotations

from bestofk.trees.compiled import kernel

# Scores that agree in twelve significant digits tie.
_NOISE = 1e-12
LEAD_BITS = 31  # so many repeats can be counted below a lead
LEAD = 1 << LEAD_BITS


# numbers (m,): overwritten, the last is lost. O(m).
@kernel(lambda numbers: numbers.size)
def make_room(numbers):
    """Move all numbers on by one, and leave the first as it is."""
    # from 0 to a size: the compiler then sees that no index is below 0, and does several at once
    for t in range(numbers.size - 1, 0, -1):
        numbers[t] = numbers[t - 1]


# values float64 (k,): finite, the next scores; m: how many scores were distinct before; ascending
# float64, names int64 (at least m + k,): the distinct scores and how many there were before each,
# overwritten; placed int64 (k,): names of the next scores, overwritten. O(k (m + k)).
@kernel(lambda values, m, *_: values.size * (m + values.size))
def place_scores(values, m, ascending, names, placed):
    """Insert every score in order, merging equal ones; return the number of distinct scores."""
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
            placed[k] = names[low - 1]
        elif low < m and right - value <= _NOISE * max(abs(value), abs(right)):
            placed[k] = names[low]
        else:
            make_room(ascending[low : m + 1])
            make_room(names[low : m + 1])
            ascending[low] = value
            names[low] = placed[k] = m
            m += 1
    return m


# tree int64 (2 size, 3): the children of a part are at twice its place; overwritten. O(1).
@kernel()
def add_up(tree, part):
    """Take the sum of a part, and the largest and smallest from its left, from its children."""
    left, right = 2 * part, 2 * part + 1
    before = tree[left, 0]
    tree[part, 0] = before + tree[right, 0]
    tree[part, 1] = max(tree[left, 1], before + tree[right, 1])
    tree[part, 2] = min(tree[left, 2], before + tree[right, 2])


# total: a sum of weights. O(1).
@kernel()
def gap(total, n_odd, n_even):
    """Return the distance at a score in units of 1 / (n_odd n_even)."""
    lead = -((-total) >> LEAD_BITS)
    n_even_up_to_it = lead * LEAD - total
    return abs(lead * n_even - n_even_up_to_it * (n_odd - n_even))


# placed int64 (k,): names of the next scores; n_seen: how many repeats were before; names int64
# (m,): of the distinct scores, ascending; weights int64 (m,): by names, of the repeats before,
# overwritten; tree int64 (2 size, 3): zeros, size a power of two and at least m, overwritten;
# leaves int64 (m,): overwritten; distances float64 (k,): overwritten. O(m + k log m).
@kernel(lambda placed, n_seen, names, *_: 16 * names.size + 80 * placed.size)
def follow_distance(placed, n_seen, names, weights, tree, leaves, distances):
    """Count every repeat in, and find the largest gap."""
    size = tree.shape[0] // 2
    for t in range(names.size):
        name = names[t]
        leaves[name] = size + t
        for which in range(3):
            tree[size + t, which] = weights[name]
    for part in range(size - 1, 0, -1):
        add_up(tree, part)
    for k in range(placed.size):
        n = n_seen + k + 1
        n_odd, n_even = (n + 1) // 2, n // 2
        name = placed[k]
        weights[name] += LEAD if n % 2 == 1 else -LEAD - 1
        part = leaves[name]
        for which in range(3):
            tree[part, which] = weights[name]
        while part > 1:
            part //= 2
            add_up(tree, part)
        largest = max(gap(tree[1, 1], n_odd, n_even), gap(tree[1, 2], n_odd, n_even))
        distances[k] = largest / (n_odd * max(n_even, 1))
