"""Compiled loops that train a network of one hidden layer of rectified units.

A unit is silent or hands on a weighted sum of its inputs. So all slopes of a unit follow from one
sum over the rows where it is not silent: that of a row's inputs times its errors. Rows are taken
in blocks of 40, and each block in 10 groups of 4: the 16 sums over subsets of a group are the same
for all units, and a unit looks up its own (the method of the four Russians: Arlazarov, Dinic,
Kronrod and Faradzev 1970).

Numbers that are read by position, so that loops have lengths that the compiler knows: 40 rows of a
block, row 10 b + g being the b-th of group g; 8 inputs and 2 units of a tile of weights; 32
numbers of an entry of a table, 16 entries of a group.

n is the number of rows, d of columns, h of hidden units rounded up to even, o of outputs, w of
columns and the constant 1 rounded up to 8, v is o * w rounded up to 32. All numbers of a network
are one row: weights of hidden units (h, d), those of outputs (o, h), intercepts h and o.
"""

from __future__ import annotations

import math
from typing import Any

from bestofk.batched._network_kernels import _shuffle_rows
from bestofk.trees.compiled import kernel

_EPSILON = 2.220446049250313e-16  # of float64: probabilities in a loss keep this from 0 and 1


# weights float64 (h, d), C order: of the hidden units; tiles float64 (h / 2, t, 16): overwritten,
# what is beyond h and d stays; totals float64 (h, v): overwritten by 0. O(h (d + v)).
@kernel(lambda weights, tiles, totals: weights.size + totals.size)
def _begin_batch(weights: Any, tiles: Any, totals: Any) -> None:
    """Copy weights to tiles of 2 units and 8 inputs, and clear totals."""
    n_units, n_columns = weights.shape
    for j in range(n_units):
        row, total = weights[j], totals[j]
        for k in range(total.size):
            total[k] = 0.0
        start = 8 * (j % 2)
        pair = tiles[j // 2]
        for t in range(n_columns // 8):
            tile = pair[t]
            for p in range(8):
                tile[start + p] = row[8 * t + p]
        for k in range(n_columns - n_columns % 8, n_columns):
            pair[k // 8, start + k % 8] = row[k]


# columns float64 (d, n), C order; rows int64 (b,), b <= 40; inputs float64 (8 t * 40,): first
# 40 d overwritten. O(d).
@kernel(lambda columns, *_: 40 * columns.shape[0])
def _gather_columns(columns: Any, rows: Any, inputs: Any) -> None:
    """Copy the columns of a block; rows that it lacks are 0."""
    for k in range(columns.shape[0]):
        source = columns[k]
        target = inputs[40 * k : 40 * k + 40]
        for i in range(rows.size):
            target[i] = source[rows[i]]
        for i in range(rows.size, 40):
            target[i] = 0.0


# inputs, tiles as above; biases float64 (h,); shares float64 (o, h), offsets float64 (o,): of the
# outputs; sums float64 (88,), outputs float64 (o * 40,), found int64 (h, 16): overwritten, of found
# the first 10 are used: where a unit's entry for a group is in the table. O(h (d + o)).
@kernel(lambda inputs, tiles, *_: inputs.size * tiles.shape[0])
def _fire(
    inputs: Any, tiles: Any, biases: Any, shares: Any, offsets: Any, sums: Any, outputs: Any,
    found: Any,
) -> None:  # fmt: skip
    """Add up what the hidden units hand on, and find which rows they are not silent for."""
    n_pairs, n_tiles = tiles.shape[0], tiles.shape[1]
    for unit in range(offsets.size):
        for i in range(40):
            outputs[40 * unit + i] = offsets[unit]
    for j in range(n_pairs):
        bias_0, bias_1 = biases[2 * j], biases[2 * j + 1]
        for i in range(40):
            sums[i] = bias_0
            sums[40 + i] = bias_1
        for t in range(n_tiles):
            x = inputs[320 * t : 320 * t + 320]
            w = tiles[j, t]
            a, b, c, d, e, f, g, h = w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]
            m, n, o, p, q, r, s, u = w[8], w[9], w[10], w[11], w[12], w[13], w[14], w[15]
            for i in range(40):
                x0, x1, x2, x3 = x[i], x[40 + i], x[80 + i], x[120 + i]
                x4, x5, x6, x7 = x[160 + i], x[200 + i], x[240 + i], x[280 + i]
                low = (x0 * a + x1 * b) + (x2 * c + x3 * d)
                sums[i] += low + ((x4 * e + x5 * f) + (x6 * g + x7 * h))
                low = (x0 * m + x1 * n) + (x2 * o + x3 * p)
                sums[40 + i] += low + ((x4 * q + x5 * r) + (x6 * s + x7 * u))
        for unit in range(2):
            own = sums[40 * unit : 40 * unit + 48]
            index = found[2 * j + unit]
            for k in range(16):
                first = 0 if own[k] <= 0.0 else 32
                second = 0 if own[10 + k] <= 0.0 else 64
                third = 0 if own[20 + k] <= 0.0 else 128
                fourth = 0 if own[30 + k] <= 0.0 else 256
                index[k] = 512 * k + ((first + second) + (third + fourth))
        for unit in range(shares.shape[0]):
            share_0, share_1 = shares[unit, 2 * j], shares[unit, 2 * j + 1]
            out = outputs[40 * unit : 40 * unit + 40]
            for i in range(40):
                item = 0.0 if sums[i] <= 0.0 else sums[i]
                other = 0.0 if sums[40 + i] <= 0.0 else sums[40 + i]
                out[i] += share_0 * item + share_1 * other


# outputs float64 (o * 40,): overwritten by the errors; codes int64 (n,), rows int64 (b,);
# offset_slopes float64 (o,): added to. O(b o).
@kernel(lambda outputs, *_: 8 * outputs.size)
def _errors_of(outputs: Any, codes: Any, rows: Any, offset_slopes: Any) -> float:
    """Turn outputs into probabilities less truth, and return the loss."""
    loss, product = 0.0, 1.0
    for i in range(rows.size):
        code = codes[rows[i]]
        if outputs.size == 40:
            # beyond 700 the power would soon be no number
            power = math.exp(700.0 if outputs[i] < -700.0 else -outputs[i])
            second = 1.0 / (1.0 + power)
            outputs[i] = second - code
            share = second if code == 1 else 1.0 - second
        else:
            highest = outputs[i]
            for at in range(i + 40, outputs.size, 40):
                highest = outputs[at] if outputs[at] > highest else highest
            total = 0.0
            for at in range(i, outputs.size, 40):
                outputs[at] = math.exp(outputs[at] - highest)
                total += outputs[at]
            for at in range(i, outputs.size, 40):
                outputs[at] /= total
            share = outputs[40 * code + i]
            outputs[40 * code + i] = share - 1.0
        # the logarithm of a product costs as much as that of a factor
        share = _EPSILON if share < _EPSILON else share
        product *= 1.0 - _EPSILON if share > 1.0 - _EPSILON else share
        if i % 8 == 7:
            loss -= math.log(product)
            product = 1.0
    for at in range(offset_slopes.size):
        slope = 0.0
        for i in range(rows.size):
            slope += outputs[40 * at + i]
        offset_slopes[at] += slope
        for i in range(rows.size, 40):
            outputs[40 * at + i] = 0.0
    return loss - math.log(product)


# matrix float64 (n, w), C order: columns, then 1, then 0; rows int64 (b,); errors float64
# (o * 40,); weighed float64 (40, v): overwritten but for what is beyond o * w. O(o w).
@kernel(lambda matrix, rows, errors, weighed: weighed.size)
def _weigh(matrix: Any, rows: Any, errors: Any, weighed: Any) -> None:
    """Multiply the rows of a block by their errors; rows that it lacks are 0."""
    width = matrix.shape[1]
    for i in range(rows.size):
        row = matrix[rows[i]]
        for at in range(errors.size // 40):
            error = errors[40 * at + i]
            target = weighed[i, at * width : at * width + width]
            for k in range(width):
                target[k] = error * row[k]
    for i in range(rows.size, 40):
        row = weighed[i]
        for k in range(row.size):
            row[k] = 0.0


# weighed float64 (40, v); found int64 (h, 16); table float64 (5120,): overwritten; totals float64
# (h, v): added to. O(h v).
@kernel(lambda weighed, found, table, totals: table.size + 10 * totals.size)
def _add_subsets(weighed: Any, found: Any, table: Any, totals: Any) -> None:
    """Add, to the totals of every unit, the rows for which it is not silent."""
    for start in range(0, weighed.shape[1], 32):
        for group in range(10):
            first = weighed[group, start : start + 32]
            second = weighed[group + 10, start : start + 32]
            third = weighed[group + 20, start : start + 32]
            fourth = weighed[group + 30, start : start + 32]
            entries = table[512 * group : 512 * group + 512]
            for k in range(32):
                a, b, c, d = first[k], second[k], third[k], fourth[k]
                low, high = a + b, c + d
                entries[k] = 0.0
                entries[32 + k] = a
                entries[64 + k] = b
                entries[96 + k] = low
                entries[128 + k] = c
                entries[160 + k] = a + c
                entries[192 + k] = b + c
                entries[224 + k] = low + c
                entries[256 + k] = d
                entries[288 + k] = a + d
                entries[320 + k] = b + d
                entries[352 + k] = low + d
                entries[384 + k] = high
                entries[416 + k] = a + high
                entries[448 + k] = b + high
                entries[480 + k] = low + high
        for j in range(found.shape[0]):
            index = found[j]
            total = totals[j, start : start + 32]
            for half in range(0, 10, 5):
                a = table[index[half] : index[half] + 32]
                b = table[index[half + 1] : index[half + 1] + 32]
                c = table[index[half + 2] : index[half + 2] + 32]
                d = table[index[half + 3] : index[half + 3] + 32]
                e = table[index[half + 4] : index[half + 4] + 32]
                for k in range(32):
                    total[k] += ((a[k] + b[k]) + (c[k] + d[k])) + e[k]


# weights float64 (p,): of the network; totals float64 (h, v); gradient float64 (p,): overwritten
# but for the intercepts of the outputs. O(h d o).
@kernel(lambda weights, totals, *_: 4 * weights.size)
def _slopes(weights: Any, totals: Any, gradient: Any, n_columns: int, width: int) -> None:
    """Turn the totals of the hidden units into slopes of all their weights."""
    n_units = totals.shape[0]
    n_outputs = (weights.size - n_units * (n_columns + 1)) // (n_units + 1)
    shares_at = n_units * n_columns
    biases_at = shares_at + n_outputs * n_units
    for j in range(n_units):
        own = weights[j * n_columns : j * n_columns + n_columns]
        slopes = gradient[j * n_columns : j * n_columns + n_columns]
        for k in range(n_columns):
            slopes[k] = 0.0
        bias = weights[biases_at + j]
        slope = 0.0
        for at in range(n_outputs):
            share = weights[shares_at + at * n_units + j]
            total = totals[j, at * width : at * width + width]
            for k in range(n_columns):
                slopes[k] += share * total[k]
            slope += share * total[n_columns]
            # what a unit hands on is its weighted inputs
            handed = bias * total[n_columns]
            for k in range(n_columns):
                handed += own[k] * total[k]
            gradient[shares_at + at * n_units + j] = handed
        gradient[biases_at + j] = slope


# weights, gradient, first, second float64 (p,), overwritten; the first n_penalized weights have
# a penalty; numbers float64 (6,): rate, rows, beta 1, beta 2, epsilon, penalty. O(p).
@kernel(lambda weights, *_: 8 * weights.size)
def _adam(
    weights: Any, gradient: Any, first: Any, second: Any, n_penalized: int, numbers: Any
) -> float:
    """Move all weights by Adam, and return half the penalty that they had."""
    rate, n_rows, beta_1, beta_2, epsilon, alpha = (
        numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5],
    )  # fmt: skip
    a = b = c = d = 0.0
    for p in range(0, n_penalized - 3, 4):
        a += weights[p] * weights[p]
        b += weights[p + 1] * weights[p + 1]
        c += weights[p + 2] * weights[p + 2]
        d += weights[p + 3] * weights[p + 3]
    for p in range(n_penalized - n_penalized % 4, n_penalized):
        a += weights[p] * weights[p]
    for p in range(n_penalized):
        gradient[p] += alpha * weights[p]
    item, other = 1.0 - beta_1, 1.0 - beta_2
    for p in range(weights.size):
        slope = gradient[p] / n_rows
        mean = beta_1 * first[p] + item * slope
        square = beta_2 * second[p] + other * (slope * slope)
        first[p] = mean
        second[p] = square
        weights[p] += -rate * mean / (math.sqrt(square) + epsilon)
    penalty: float = 0.5 * alpha * ((a + b) + (c + d))
    return penalty


# data: matrix (n, w), columns (d, n), codes (n,), as above; stream: rows int64 (1, n_train), words
# of the Mersenne twister uint32 (1, 624), how many are used int64 (1,), or none, and int64
# (n_train,); state: weights, gradient, moments, float64 (p,); room: `rectified_network._room`;
# rates float64 (epochs, batches): of learning; numbers float64 (8,): for `_adam`, then tolerance
# and patience; progress float64 (2,): least loss, and epochs since. Overwritten are all but data,
# rates and the end of numbers. O(epochs n_train h (d + o)).
@kernel(lambda data, stream, state, *rest: stream[0].size * state[0].size * rest[1].shape[0])
def _train_epochs(
    data: Any, stream: Any, state: Any, room: Any, rates: Any, numbers: Any, progress: Any,
    batch_size: int,
) -> bool:  # fmt: skip
    """Train for some epochs, and return whether the loss came to a stand."""
    matrix, columns, codes = data
    rows, keys, indices, partners = stream
    weights, gradient, first, second = state
    inputs, tiles, sums, outputs, result, weighed, table, totals = room
    n_columns, n_units, n_outputs = columns.shape[0], totals.shape[0], outputs.size // 40
    shares_at = n_units * n_columns
    biases_at = shares_at + n_outputs * n_units
    offsets_at = biases_at + n_units
    coefs = weights[:shares_at].reshape(n_units, n_columns)
    shares = weights[shares_at:biases_at].reshape(n_outputs, n_units)
    biases, offsets = weights[biases_at:offsets_at], weights[offsets_at:]
    for epoch in range(rates.shape[0]):
        if indices.size > 0:
            _shuffle_rows(rows, keys, indices, partners)
        loss = 0.0
        for batch in range(rates.shape[1]):
            start = batch * batch_size
            stop = min(start + batch_size, rows.size)
            _begin_batch(coefs, tiles, totals)
            for p in range(offsets_at, gradient.size):
                gradient[p] = 0.0
            for at in range(start, stop, 40):
                some = rows[0, at : min(at + 40, stop)]
                _gather_columns(columns, some, inputs)
                _fire(inputs, tiles, biases, shares, offsets, sums, outputs, result)
                loss += _errors_of(outputs, codes, some, gradient[offsets_at:])
                _weigh(matrix, some, outputs, weighed)
                _add_subsets(weighed, result, table, totals)
            _slopes(weights, totals, gradient, n_columns, matrix.shape[1])
            numbers[0] = rates[epoch, batch]
            numbers[1] = stop - start
            loss += _adam(weights, gradient, first, second, biases_at, numbers)
        loss /= rows.size
        progress[1] = progress[1] + 1.0 if loss > progress[0] - numbers[6] else 0.0
        progress[0] = loss if loss < progress[0] else progress[0]
        if progress[1] > numbers[7]:
            return True
    return False
