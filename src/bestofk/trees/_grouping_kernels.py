# mypy: allow-untyped-defs, allow-untyped-calls
"""Compiled loops that join the levels of nominal attributes into groups.

Counts are class weights; a block is a set of levels that are together so far.
"""

from __future__ import annotations

import math

import numpy as np

from bestofk.trees.compiled import kernel

ALMOST = 0.1  # weight of other classes that a block of one class may have
IMPOSSIBLE = -1e-3  # worth of a test that must not be
STEP = 1e-5  # by which the ratio must rise
ZERO = 1e-9


# x >= 0. O(1).
@kernel()
def _times_log(x):
    return x * math.log2(x) if x > 0.0 else 0.0


# blocks float64 (m, c), size float64 (m,), owner int64 (m,): block of each level, -1 for none;
# blocks b and `last` are overwritten. O(m + c).
@kernel()
def _join(blocks, size, owner, a, b, last):
    """Join block b to block a; the last block takes the number of b."""
    for k in range(blocks.shape[1]):
        blocks[a, k] += blocks[b, k]
        blocks[b, k] = blocks[last, k]
    size[a] += size[b]
    size[b] = size[last]
    for v in range(owner.size):
        if owner[v] == b:
            owner[v] = a
        elif owner[v] == last:
            owner[v] = b


# counts float64 (m, c); present: weight that a level exceeds; blocks float64 (m, c), size
# float64 (m,), owner int64 (m,): overwritten. Returns the number of blocks. O(m squared).
@kernel()
def _first_blocks(counts, present, blocks, size, owner):
    """Make a block of each level that is present."""
    n_blocks = 0
    for v in range(counts.shape[0]):
        weight = 0.0
        for k in range(counts.shape[1]):
            weight += counts[v, k]
        owner[v] = -1
        if weight > present:
            size[n_blocks] = weight
            owner[v] = n_blocks
            for k in range(counts.shape[1]):
                blocks[n_blocks, k] = counts[v, k]
            n_blocks += 1
    return n_blocks


# As _first_blocks. Returns how many blocks are left. O(m squared).
@kernel()
def _join_pure(blocks, size, owner, n_blocks):
    """Join the blocks that are of one and the same class."""
    a = 0
    while a < n_blocks - 1:
        k = 0
        while k < blocks.shape[1] - 1 and blocks[a, k] < ALMOST:
            k += 1
        b = a + 1 if blocks[a, k] >= size[a] - ALMOST else n_blocks
        while b < n_blocks:
            if blocks[b, k] >= size[b] - ALMOST:
                n_blocks -= 1
                _join(blocks, size, owner, a, b, n_blocks)
            else:
                b += 1
        a += 1
    return n_blocks


# blocks float64 (m, c); purity float64 (m, m): row and column a are overwritten. O(m c).
@kernel()
def _note_purity(blocks, n_blocks, a, purity):
    """Note weight times minus entropy of a block joined to each other one, and of itself."""
    for b in range(n_blocks):
        weight = 0.0
        result = 0.0
        for k in range(blocks.shape[1]):
            count = blocks[a, k] + (blocks[b, k] if b != a else 0.0)
            weight += count
            result += _times_log(count)
        purity[a, b] = result - _times_log(weight)
        purity[b, a] = purity[a, b]


# gain and info in bits. O(1).
@kernel()
def _worth_of_test(gain, info, by_ratio):
    if not by_ratio:
        return gain
    return float(np.float32(max(gain, 0.0) / info)) if gain >= -ZERO and info > 1e-3 else IMPOSSIBLE


# sums float64 (4,): purity, sum of w log2 w and weight of all blocks, and how many have weight 1;
# node: weight, that of unknown rows, purity of all known ones, by ratio. Returns gain and worth.
# O(1).
@kernel()
def _value(sums, node):
    """Return what the test with these blocks is worth."""
    weight, unknown, base, by_ratio = node
    gain = float(np.float32((sums[0] - base) / weight)) if sums[3] >= 2.0 else IMPOSSIBLE
    info = (_times_log(sums[2] + unknown) - sums[1] - _times_log(unknown)) / weight
    return gain, _worth_of_test(gain, float(np.float32(info)), by_ratio)


# size float64 (m,), purity float64 (m, m); sums, node as in _value; least: weight of a branch;
# goal: gain that a pair should leave. Returns the pair, -1 for none, its value, and how many
# blocks are large enough for branches. O(m squared).
@kernel()
def _best_pair(size, purity, n_blocks, sums, node, least, goal):
    """Find the two blocks whose joining leaves the best test; the last of equals."""
    n_reasonable = 0
    barred = 0
    for a in range(n_blocks):
        n_reasonable += 1 if size[a] >= least - 1e-6 else 0
        if size[a] > size[barred] + 1e-6:
            barred = a
    if n_reasonable >= 3:
        barred = -1
    is_forced = n_reasonable < 2 or not node[3]
    joined = np.empty(4)
    first, second = -1, -1
    best, best_gain = 0.0, IMPOSSIBLE
    for a in range(n_blocks - 1):
        for b in range(a + 1, n_blocks):
            if a == barred or b == barred:
                continue
            both = size[a] + size[b]
            joined[0] = sums[0] + purity[a, b] - purity[a, a] - purity[b, b]
            joined[1] = sums[1] + _times_log(both) - _times_log(size[a]) - _times_log(size[b])
            joined[2] = sums[2]
            joined[3] = sums[3]
            joined[3] += int(both >= 1.0) - int(size[a] >= 1.0) - int(size[b] >= 1.0)
            gain, value = _value(joined, node)
            reaches = gain >= goal and best_gain < goal
            if reaches or value >= best or (first < 0 and is_forced):
                first, second, best, best_gain = a, b, value, gain
    return first, second, best, n_reasonable


# size float64 (m,), purity float64 (m, m); sums as in _value, overwritten. O(m).
@kernel()
def _sum_up(size, purity, n_blocks, sums):
    """Sum over the blocks what the worth of a test is made of."""
    for j in range(4):
        sums[j] = 0.0
    for a in range(n_blocks):
        sums[0] += purity[a, a]
        sums[1] += _times_log(size[a])
        sums[2] += size[a]
        sums[3] += 1.0 if size[a] >= 1.0 else 0.0


# counts float64 (b, m, c): known class weights; weight float64 (b,): of the nodes; rule: least
# weight of a branch, by ratio, weight that a level exceeds; mapping int16 (b, m) and worth
# float64 (b,): set where there is a test: branch of each level, and worth times known weight.
# O(b m m (m + c)) at worst.
@kernel(lambda counts, *_: 10 * counts.size * counts.shape[1])
def _group_levels(counts, weight, rule, mapping, worth):
    """Join levels pair by pair at each node, as long as that makes the test better."""
    least, by_ratio, present = rule
    n_nodes, n_levels, n_classes = counts.shape
    blocks = np.zeros((n_levels, n_classes))
    size = np.zeros(n_levels)
    owner = np.zeros(n_levels, np.int64)
    purity = np.zeros((n_levels, n_levels))
    sums = np.zeros(4)
    for i in range(n_nodes):
        known = 0.0
        base = 0.0
        for k in range(n_classes):
            of_class = 0.0
            for v in range(n_levels):
                of_class += counts[i, v, k]
            known += of_class
            base += _times_log(of_class)
        base -= _times_log(known)
        node = (weight[i], max(weight[i] - known, 0.0), base, by_ratio)
        n_blocks = _first_blocks(counts[i], present, blocks, size, owner)
        n_blocks = _join_pure(blocks, size, owner, n_blocks)
        for a in range(n_blocks):
            _note_purity(blocks, n_blocks, a, purity)
        _sum_up(size, purity, n_blocks, sums)
        gain, value = _value(sums, node)
        while n_blocks > 2:
            a, b, joined, n_reasonable = _best_pair(
                size, purity, n_blocks, sums, node, least, gain / 2.0
            )
            if a < 0 or (by_ratio and n_reasonable >= 2 and joined < value + STEP):
                break
            value = joined
            n_blocks -= 1
            _join(blocks, size, owner, a, b, n_blocks)
            _note_purity(blocks, n_blocks, a, purity)
            if b < n_blocks:
                _note_purity(blocks, n_blocks, b, purity)
            _sum_up(size, purity, n_blocks, sums)
        n_enough = 0
        for a in range(n_blocks):
            n_enough += 1 if size[a] >= least - 1e-6 else 0
        if value > ZERO and n_enough >= 2:
            worth[i] = sums[0] - base
            for v in range(n_levels):
                mapping[i, v] = owner[v] if owner[v] >= 0 else n_blocks
