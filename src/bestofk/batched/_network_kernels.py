"""Compiled loops that train several networks of one shape side by side.

All numbers of a network are one row of `weights` float64 (s, p), C order; those of a layer are
sliced off at an offset, since plain slices are what the compiler vectorizes. Matrix products and
exponentials are left to numpy and scipy, so that they round as in scikit-learn.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bestofk.trees.compiled import kernel

_EPSILON = 2.220446049250313e-16  # of float64: probabilities in a loss keep this from 0 and 1


# key uint32 (624,), overwritten. O(1).
@kernel()
def _twist(key: Any) -> None:
    """Make the next 624 words of the Mersenne twister (Matsumoto and Nishimura 1998)."""
    for i in range(227):
        word = (np.int64(key[i]) & 0x80000000) | (np.int64(key[i + 1]) & 0x7FFFFFFF)
        key[i] = np.int64(key[i + 397]) ^ (word >> 1) ^ (word & 1) * 0x9908B0DF
    for i in range(227, 623):
        word = (np.int64(key[i]) & 0x80000000) | (np.int64(key[i + 1]) & 0x7FFFFFFF)
        key[i] = np.int64(key[i - 227]) ^ (word >> 1) ^ (word & 1) * 0x9908B0DF
    word = (np.int64(key[623]) & 0x80000000) | (np.int64(key[0]) & 0x7FFFFFFF)
    key[623] = np.int64(key[396]) ^ (word >> 1) ^ (word & 1) * 0x9908B0DF


# rows int64 (s, n), keys uint32 (s, 624), places int64 (s,), partners int64 (n,): overwritten.
# O(s n).
@kernel(lambda rows, *_: 8 * rows.size)
def _shuffle_rows(rows: Any, keys: Any, places: Any, partners: Any) -> None:
    """Shuffle the rows of every network as `numpy.random.RandomState.shuffle` would."""
    n_nets, n_rows = rows.shape
    for s in range(n_nets):
        row, key, at = rows[s], keys[s], places[s]
        mask = 1
        while mask < n_rows - 1:
            mask = 2 * mask + 1
        i = n_rows - 1
        while i > 0:
            mask = mask >> 1 if i <= mask >> 1 else mask
            if at == 624:
                _twist(key)
                at = 0
            word = np.int64(key[at])
            at += 1
            word ^= word >> 11
            word ^= (word << 7) & 0x9D2C5680
            word ^= (word << 15) & 0xEFC60000
            # a partner that is too high is drawn again: no branch, which would be guessed wrongly
            partners[i] = (word ^ (word >> 18)) & mask
            i -= np.int64(partners[i] <= i)
        for i in range(n_rows - 1, 0, -1):
            other = partners[i]
            row[i], row[other] = row[other], row[i]
        places[s] = at


# matrices float64 (s, n, d), codes int64 (s, n), rows int64 (s, b); batch float64 (s, b, d) and
# batch_codes int64 (s, b): overwritten. O(s b d).
@kernel(lambda matrices, codes, rows, batch, *_: batch.size)
def _gather(matrices: Any, codes: Any, rows: Any, batch: Any, batch_codes: Any) -> None:
    """Copy the rows of a batch and their classes."""
    n_nets, n_rows, n_columns = batch.shape
    for s in range(n_nets):
        for i in range(n_rows):
            at = rows[s, i]
            batch_codes[s, i] = codes[s, at]
            source = matrices[s, at]
            target = batch[s, i]
            for j in range(n_columns):
                target[j] = source[j]


# sums float64 (s, b, h), C order, overwritten; weights (s, p). O(s b h).
@kernel(lambda sums, *_: sums.size)
def _add_bias(sums: Any, weights: Any, offset: int, is_rectified: bool) -> None:
    """Add the intercepts of a layer; where rectified, nothing stays below 0."""
    n_nets, n_rows, n_units = sums.shape
    for s in range(n_nets):
        bias = weights[s, offset : offset + n_units]
        for i in range(n_rows):
            row = sums[s, i]
            if is_rectified:
                for j in range(n_units):
                    value = row[j] + bias[j]
                    row[j] = 0.0 if value <= 0.0 else value
            else:
                for j in range(n_units):
                    row[j] += bias[j]


# sums float64 (s, b, c), C order, overwritten. O(s b c).
@kernel(lambda sums: 2 * sums.size)
def _subtract_highest(sums: Any) -> None:
    """Subtract the highest value of every row."""
    n_nets, n_rows, n_units = sums.shape
    for s in range(n_nets):
        for i in range(n_rows):
            highest = sums[s, i, 0]
            for j in range(1, n_units):
                highest = max(highest, sums[s, i, j])
            for j in range(n_units):
                sums[s, i, j] -= highest


# outputs float64 (s, b, c), C order: probabilities of the second class (c = 1) or exponentials,
# overwritten by the errors; codes int64 (s, b): class of every row; losses float64 (s,): added
# to. O(s b c).
@kernel(lambda outputs, *_: 3 * outputs.size)
def _errors_of(outputs: Any, codes: Any, losses: Any) -> None:
    """Turn what the last layer says into probabilities less truth, and add up the log loss."""
    n_nets, n_rows, n_units = outputs.shape
    for s in range(n_nets):
        loss = 0.0
        for i in range(n_rows):
            code = codes[s, i]
            if n_units == 1:
                share = min(max(outputs[s, i, 0], _EPSILON), 1.0 - _EPSILON)
                loss -= math.log(share if code == 1 else 1.0 - share)
                outputs[s, i, 0] -= code
            else:
                total = 0.0
                for j in range(n_units):
                    total += outputs[s, i, j]
                for j in range(n_units):
                    outputs[s, i, j] /= total
                share = min(max(outputs[s, i, code], _EPSILON), 1.0 - _EPSILON)
                loss -= math.log(share)
                outputs[s, i, code] -= 1.0
        losses[s] += loss


# errors, activations float64 (s, b, h), C order, errors overwritten; gradient float64 (s, p):
# entries offset to offset + h overwritten. O(s b h).
@kernel(lambda errors, *_: 2 * errors.size)
def _sum_errors(
    errors: Any, activations: Any, gradient: Any, offset: int, is_rectified: bool
) -> None:
    """Sum the errors of every unit, where rectified after those of silent units became 0."""
    n_nets, n_rows, n_units = errors.shape
    for s in range(n_nets):
        total = gradient[s, offset : offset + n_units]
        for j in range(n_units):
            total[j] = 0.0
        for i in range(n_rows):
            row = errors[s, i]
            if is_rectified:
                out = activations[s, i]
                for j in range(n_units):
                    row[j] = 0.0 if out[j] == 0.0 else row[j]
            for j in range(n_units):
                total[j] += row[j]


# above float64 (s, b, 1): errors of the only unit above; weights (s, p): its own from offset on;
# errors float64 (s, b, h), C order, overwritten. O(s b h).
@kernel(lambda above, weights, offset, errors: errors.size)
def _spread_errors(above: Any, weights: Any, offset: int, errors: Any) -> None:
    """Hand the errors of a single unit down to the layer below."""
    n_nets, n_rows, n_units = errors.shape
    for s in range(n_nets):
        share = weights[s, offset : offset + n_units]
        for i in range(n_rows):
            row = errors[s, i]
            error = above[s, i, 0]
            for j in range(n_units):
                row[j] = error * share[j]


# weights, first, second float64 (s, p): overwritten; gradient (s, p); decay float64 (p,): penalty
# of each weight; numbers float64 (5,): rows, rate, beta 1, beta 2, epsilon; losses float64 (s,):
# added to. O(s p).
@kernel(lambda weights, *_: 6 * weights.size)
def _adam_step(
    weights: Any, gradient: Any, first: Any, second: Any, decay: Any, numbers: Any, losses: Any
) -> None:
    """Add half the penalty to the losses, then move all weights by Adam."""
    n_nets, n_weights = weights.shape
    n_rows, rate, beta_1, beta_2, epsilon = (
        numbers[0], numbers[1], numbers[2], numbers[3], numbers[4],
    )  # fmt: skip
    for s in range(n_nets):
        a = b = c = d = 0.0
        for p in range(0, n_weights - 3, 4):
            a += decay[p] * weights[s, p] * weights[s, p]
            b += decay[p + 1] * weights[s, p + 1] * weights[s, p + 1]
            c += decay[p + 2] * weights[s, p + 2] * weights[s, p + 2]
            d += decay[p + 3] * weights[s, p + 3] * weights[s, p + 3]
        for p in range(n_weights - n_weights % 4, n_weights):
            a += decay[p] * weights[s, p] * weights[s, p]
        losses[s] += 0.5 * (a + b + c + d)
        for p in range(n_weights):
            slope = (gradient[s, p] + decay[p] * weights[s, p]) / n_rows
            mean = beta_1 * first[s, p] + (1.0 - beta_1) * slope
            square = beta_2 * second[s, p] + (1.0 - beta_2) * (slope * slope)
            first[s, p] = mean
            second[s, p] = square
            weights[s, p] += -rate * mean / (math.sqrt(square) + epsilon)
