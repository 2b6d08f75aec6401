"""Compiled loops that join the levels of nominal attributes into groups.

Counts are class weights; a block is a set of levels that are together so far. Shapes: m levels,
c classes, b nodes.
"""

import numpy as np

from libc.math cimport log2
from libc.stdint cimport int16_t, int64_t

cdef double ALMOST = 0.1  # weight of other classes that a block of one class may have
cdef double IMPOSSIBLE = -1e-3  # worth of a test that must not be
cdef double STEP = 1e-5  # by which the ratio must rise
cdef double ZERO = 1e-9


# What the worth of a test is made of: purity, w log2 w and weight of all blocks, summed, and how
# many of them weigh at least 1.
cdef struct Sums:
    double purity
    double logs
    double weight
    double n_heavy


# Weight, that of unknown rows, and purity of all known ones together.
cdef struct Node:
    double weight
    double unknown
    double base


cdef struct Pair:
    Py_ssize_t first
    Py_ssize_t second
    double value
    Py_ssize_t n_reasonable


cdef class Blocks:
    """The blocks of a node: counts (m, c), sizes (m,), block of each level (m,), -1 for none."""

    cdef double[:, ::1] counts
    cdef double[:, ::1] purity  # of each two blocks together: weight times minus entropy
    cdef double[::1] size
    cdef int64_t[::1] owner
    cdef Py_ssize_t n

    def __init__(self, n_levels, n_classes):
        self.counts = np.zeros((n_levels, n_classes))
        self.purity = np.zeros((n_levels, n_levels))
        self.size = np.zeros(n_levels)
        self.owner = np.zeros(n_levels, np.int64)


# x >= 0. O(1).
cdef inline double times_log(double x) noexcept nogil:
    return x * log2(x) if x > 0.0 else 0.0


# O(m + c).
cdef void join(Blocks blocks, Py_ssize_t a, Py_ssize_t b) noexcept nogil:
    """Join block b to block a; the last block takes the number of b."""
    cdef Py_ssize_t k, v, last = blocks.n - 1
    for k in range(blocks.counts.shape[1]):
        blocks.counts[a, k] += blocks.counts[b, k]
        blocks.counts[b, k] = blocks.counts[last, k]
    blocks.size[a] += blocks.size[b]
    blocks.size[b] = blocks.size[last]
    for v in range(blocks.owner.shape[0]):
        if blocks.owner[v] == b:
            blocks.owner[v] = a
        elif blocks.owner[v] == last:
            blocks.owner[v] = b
    blocks.n = last


# counts float64 (m, c); present: weight that a level exceeds. O(m c).
cdef void begin_blocks(
    Blocks blocks, const double[:, ::1] counts, double present
) noexcept nogil:
    """Make a block of each level that is present."""
    cdef Py_ssize_t v, k
    cdef double weight
    blocks.n = 0
    for v in range(counts.shape[0]):
        weight = 0.0
        for k in range(counts.shape[1]):
            weight += counts[v, k]
        blocks.owner[v] = -1
        if weight > present:
            blocks.size[blocks.n] = weight
            blocks.owner[v] = blocks.n
            for k in range(counts.shape[1]):
                blocks.counts[blocks.n, k] = counts[v, k]
            blocks.n += 1


# O(m squared).
cdef void join_pure(Blocks blocks) noexcept nogil:
    """Join the blocks that are of one and the same class."""
    cdef Py_ssize_t a = 0, b, k
    while a < blocks.n - 1:
        k = 0
        while k < blocks.counts.shape[1] - 1 and blocks.counts[a, k] < ALMOST:
            k += 1
        b = a + 1 if blocks.counts[a, k] >= blocks.size[a] - ALMOST else blocks.n
        while b < blocks.n:
            if blocks.counts[b, k] >= blocks.size[b] - ALMOST:
                join(blocks, a, b)
            else:
                b += 1
        a += 1


# O(m c).
cdef void note_purity(Blocks blocks, Py_ssize_t a) noexcept nogil:
    """Note the purity of a block joined to each other one, and of itself."""
    cdef Py_ssize_t b, k
    cdef double weight, result, count
    for b in range(blocks.n):
        weight = 0.0
        result = 0.0
        for k in range(blocks.counts.shape[1]):
            count = blocks.counts[a, k] + (blocks.counts[b, k] if b != a else 0.0)
            weight += count
            result += times_log(count)
        blocks.purity[a, b] = result - times_log(weight)
        blocks.purity[b, a] = blocks.purity[a, b]


# In 32 bits, as the original program reckons. O(1).
cdef double gain_of(Sums sums, Node node) noexcept nogil:
    """Return the gain of the test with these blocks, in bits."""
    if sums.n_heavy < 2.0:
        return IMPOSSIBLE
    return <float>((sums.purity - node.base) / node.weight)


# O(1).
cdef double value_of(double gain, Sums sums, Node node, bint by_ratio) noexcept nogil:
    """Return what the test with these blocks is worth: its gain, or the ratio."""
    cdef double info
    if not by_ratio:
        return gain
    info = times_log(sums.weight + node.unknown) - sums.logs - times_log(node.unknown)
    info = <float>(info / node.weight)
    return <float>(max(gain, 0.0) / info) if gain >= -ZERO and info > 1e-3 else IMPOSSIBLE


# O(m).
cdef Sums sum_up(Blocks blocks) noexcept nogil:
    """Sum over the blocks what the worth of a test is made of."""
    cdef Sums sums = Sums(0.0, 0.0, 0.0, 0.0)
    cdef Py_ssize_t a
    for a in range(blocks.n):
        sums.purity += blocks.purity[a, a]
        sums.logs += times_log(blocks.size[a])
        sums.weight += blocks.size[a]
        sums.n_heavy += 1.0 if blocks.size[a] >= 1.0 else 0.0
    return sums


# least: weight of a branch. O(m).
cdef Py_ssize_t n_large(Blocks blocks, double least) noexcept nogil:
    """Return how many blocks are large enough for branches."""
    cdef Py_ssize_t a, result = 0
    for a in range(blocks.n):
        if blocks.size[a] >= least - 1e-6:
            result += 1
    return result


# least: weight of a branch; goal: gain that a pair should leave; first is -1 for none.
# O(m squared).
cdef Pair best_pair(
    Blocks blocks, Sums sums, Node node, double least, bint by_ratio, double goal
) noexcept nogil:
    """Find the two blocks whose joining leaves the best test; the last of equals."""
    cdef Pair pair = Pair(-1, -1, 0.0, n_large(blocks, least))
    cdef double best_gain = IMPOSSIBLE, both, gain, value
    cdef Py_ssize_t a, b, barred = 0
    cdef bint is_forced
    cdef Sums joined = sums
    for a in range(blocks.n):
        if blocks.size[a] > blocks.size[barred] + 1e-6:
            barred = a
    if pair.n_reasonable >= 3:
        barred = -1
    is_forced = pair.n_reasonable < 2 or not by_ratio
    for a in range(blocks.n - 1):
        for b in range(a + 1, blocks.n):
            if a == barred or b == barred:
                continue
            both = blocks.size[a] + blocks.size[b]
            joined.purity = sums.purity + blocks.purity[a, b]
            joined.purity = joined.purity - blocks.purity[a, a] - blocks.purity[b, b]
            joined.logs = sums.logs + times_log(both)
            joined.logs = joined.logs - times_log(blocks.size[a]) - times_log(blocks.size[b])
            joined.n_heavy = sums.n_heavy
            joined.n_heavy += (both >= 1.0) - (blocks.size[a] >= 1.0) - (blocks.size[b] >= 1.0)
            gain = gain_of(joined, node)
            value = value_of(gain, joined, node, by_ratio)
            if (
                (gain >= goal and best_gain < goal)
                or value >= pair.value
                or (pair.first < 0 and is_forced)
            ):
                pair.first, pair.second, pair.value, best_gain = a, b, value, gain
    return pair


# O(m m (m + c)) at worst.
cdef Sums join_pairs(
    Blocks blocks, Node node, double least, bint by_ratio, double *value
) noexcept nogil:
    """Join blocks pair by pair as long as that makes the test better; value is set to its own."""
    cdef Sums sums
    cdef Pair pair
    cdef double gain
    cdef Py_ssize_t a
    for a in range(blocks.n):
        note_purity(blocks, a)
    sums = sum_up(blocks)
    gain = gain_of(sums, node)
    value[0] = value_of(gain, sums, node, by_ratio)
    while blocks.n > 2:
        pair = best_pair(blocks, sums, node, least, by_ratio, gain / 2.0)
        if pair.first < 0:
            break
        if by_ratio and pair.n_reasonable >= 2 and pair.value < value[0] + STEP:
            break
        value[0] = pair.value
        join(blocks, pair.first, pair.second)
        note_purity(blocks, pair.first)
        if pair.second < blocks.n:
            note_purity(blocks, pair.second)
        sums = sum_up(blocks)
    return sums


# counts float64 (b, m, c): known class weights; weight float64 (b,): of the nodes; least: weight of
# a branch; present: weight that a level exceeds; mapping int16 (b, m) and worth float64 (b,): set
# where there is a test: branch of each level, and worth times known weight.
# O(b m m (m + c)) at worst.
def group_levels(
    const double[:, :, ::1] counts,
    const double[::1] weight,
    double least,
    double present,
    bint by_ratio,
    int16_t[:, :] mapping,
    double[:] worth,
):
    """Join levels pair by pair at each node, as long as that makes the test better."""
    cdef Py_ssize_t i, v, k
    cdef Blocks blocks = Blocks(counts.shape[1], counts.shape[2])
    cdef Node node
    cdef Sums sums
    cdef double known, of_class, value
    with nogil:
        for i in range(counts.shape[0]):
            known = 0.0
            node.base = 0.0
            for k in range(counts.shape[2]):
                of_class = 0.0
                for v in range(counts.shape[1]):
                    of_class += counts[i, v, k]
                known += of_class
                node.base += times_log(of_class)
            node.base -= times_log(known)
            node.weight = weight[i]
            node.unknown = max(weight[i] - known, 0.0)
            begin_blocks(blocks, counts[i], present)
            join_pure(blocks)
            sums = join_pairs(blocks, node, least, by_ratio, &value)
            if value > ZERO and n_large(blocks, least) >= 2:
                worth[i] = sums.purity - node.base
                for v in range(counts.shape[1]):
                    k = blocks.owner[v]
                    mapping[i, v] = <int16_t>(k if k >= 0 else blocks.n)
